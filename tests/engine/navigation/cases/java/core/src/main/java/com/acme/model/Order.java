package com.acme.model;

import java.util.ArrayList;
//               ^ external
import java.util.List;

public class Order extends Entity {
//                         ^ -> core/src/main/java/com/acme/model/Entity.java Entity
  public static final int LIMIT = 10;
  private final List<Line> lines = new ArrayList<>();
  private Status status = Status.OPEN;
//                        ^ -> Status
//                               ^ -> Status.OPEN

  public enum Status { OPEN, CLOSED; boolean isOpen() { return this == OPEN; } }

  public record Line(Product product, int count) {}
//                   ^ -> core/src/main/java/com/acme/model/Product.java Product

  public static Builder builder() { return new Builder(); }
//                                             ^ -> Builder

  public static final class Builder {
    private final Order order = new Order();
//                                  ^ -> Order

    public Builder add(Product product) {
      order.lines.add(new Line(product, LIMIT));
//          ^ -> Order.lines
//                ^ external
//                        ^ -> Line
//                                      ^ -> Order.LIMIT
      return this;
    }

    public Order build() { return order; }
  }

  @Override
// ^ external
  public String name() {
    super.save();
//        ^ -> core/src/main/java/com/acme/model/Entity.java Entity.save
    for (Line line : lines) {
      line.product().price();
//         ^ -> Line.product
//                   ^ -> core/src/main/java/com/acme/model/Product.java Product.price
    }
    for (var line : lines) {
      line.count();
//         ^ -> Line.count
    }
    lines.get(0).product();
//               ^ unresolved
    return status.isOpen() ? label() : "";
//                ^ -> Status.isOpen
//                           ^ -> core/src/main/java/com/acme/model/Named.java Named.label
  }
}
