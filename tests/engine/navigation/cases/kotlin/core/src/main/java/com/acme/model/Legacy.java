package com.acme.model;

public class Legacy {
    public static void boot() {}

    public Order load(long id) {
        return Order.empty();
//             ^ -> core/src/main/kotlin/com/acme/model/Order.kt Order
//                   ^ -> core/src/main/kotlin/com/acme/model/Order.kt Order.empty
    }
}
