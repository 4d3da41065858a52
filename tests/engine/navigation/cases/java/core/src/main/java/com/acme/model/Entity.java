package com.acme.model;

public abstract class Entity implements Named {
//                                      ^ -> core/src/main/java/com/acme/model/Named.java Named
  protected long id;

  public Entity save() {
    this.id = nextId();
//       ^ -> Entity.id
//            ^ -> Entity.nextId
    return this;
  }

  static long nextId() {
    return Counter.NEXT.incrementAndGet();
//         ^ -> Counter
//                 ^ -> Counter.NEXT
//                      ^ external
  }

  static class Counter {
    static final java.util.concurrent.atomic.AtomicLong NEXT = null;
//                                           ^ external
  }
}
