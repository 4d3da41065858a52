<?php

namespace Shop\Util;

const LIMIT = 10;

function slug(string $text): string
{
    return plain($text) . namespace\plain($text);
//         ^ -> plain
//                                  ^ -> plain
}

function plain(string $text): string
{
    return \shop_name() . \Shop\Models\Order::find(1)->id() . Money\nothing();
//          ^ -> src/helpers.php shop_name
//                                     ^ -> src/Models/Order.php Order
//                                            ^ -> src/Models/Entity.php Entity::find
//                                                     ^ -> src/Models/Entity.php Entity::id
//                                                                  ^ external
}
