package com.acme.app;

import static com.acme.util.Checks.notNull;
//                                 ^ -> core/src/main/java/com/acme/util/Checks.java Checks.notNull
import static com.acme.util.Checks.*;

import com.acme.model.*;
import com.acme.model.Order.Status;
//                          ^ -> core/src/main/java/com/acme/model/Order.java Order.Status
import com.acme.util.Checks;
import com.acme.old.Legacy;
//                  ^ ambiguous 2
import org.slf4j.Logger;
//               ^ external

class Main extends Base {
  private final Repository<Order> repository = new Repository<>();
//              ^ -> app/src/main/java/com/acme/app/Repository.java Repository
  private Logger log;

  void run(Order order, Object other) {
    Order made = Order.builder().add(null).build();
//                     ^ -> core/src/main/java/com/acme/model/Order.java Order.builder
//                               ^ -> core/src/main/java/com/acme/model/Order.java Order.Builder.add
//                                         ^ -> core/src/main/java/com/acme/model/Order.java Order.Builder.build
    made.save().save();
//       ^ -> core/src/main/java/com/acme/model/Entity.java Entity.save
//              ^ -> core/src/main/java/com/acme/model/Entity.java Entity.save
    notNull(order);
//  ^ -> core/src/main/java/com/acme/util/Checks.java Checks.notNull
    text(() -> EMPTY);
//  ^ -> core/src/main/java/com/acme/util/Checks.java Checks.text
//             ^ -> core/src/main/java/com/acme/util/Checks.java Checks.EMPTY
    Checks.text(order::name);
//         ^ -> core/src/main/java/com/acme/util/Checks.java Checks.text
//                     ^ -> core/src/main/java/com/acme/model/Order.java Order.name
    com.acme.util.Checks.notNull(made);
//                ^ -> core/src/main/java/com/acme/util/Checks.java Checks
//                       ^ -> core/src/main/java/com/acme/util/Checks.java Checks.notNull
    repository.find(1L);
//             ^ -> app/src/main/java/com/acme/app/Repository.java Repository.find
    this.repository.size();
//                  ^ -> app/src/main/java/com/acme/app/Repository.java Repository.size
    log.info("x");
//      ^ external
    setUp();
//  ^ -> app/src/main/java/com/acme/app/Base.java Base.setUp
    super.tearDown();
//        ^ -> app/src/main/java/com/acme/app/Base.java Base.tearDown
    if (other instanceof Product product) {
      product.price();
//            ^ -> core/src/main/java/com/acme/model/Product.java Product.price
    }
    Status status = Status.valueOf("OPEN");
    status.isOpen();
//         ^ -> core/src/main/java/com/acme/model/Order.java Order.Status.isOpen
    other.hashCode();
//        ^ external
    repository.find(2L).save();
//                      ^ unresolved
    handlers().forEach(item -> item.save());
//                                  ^ unresolved
    Runnable task = new Runnable() {
      @Override public void run() { Main.this.stop(); launch(); }
//                                            ^ -> Main.stop
//                                                    ^ unresolved
    };
    try (Session session = open()) {
//       ^ -> app/src/main/java/com/acme/app/Base.java Base.Session
      session.close();
//            ^ -> app/src/main/java/com/acme/app/Base.java Base.Session.close
    }
  }

  java.util.List<Order> handlers() { return null; }

  void boot() { Legacy.boot(); }
//                     ^ ambiguous 2

  void stop() { System.exit(0); }
//                     ^ external
}
