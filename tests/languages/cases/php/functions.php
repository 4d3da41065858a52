#!/usr/bin/env php
<?php
# == files that are loaded
require_once __DIR__ . '/vendor/autoload.php';
//                       ^ import module="/vendor/autoload.php"
include 'config.php';
//       ^ import module="config.php"

// == functions and their documentation
/**
 * Adds two numbers.
 */
function add(int $a, int $b = LIMIT): int { return $a + $b; }
//       ^ def fn vis=public sig="function add(int $a, int $b = LIMIT): int" doc="Adds two numbers."
//                            ^ ref read owner=add

// A plain comment documents nothing.
function bare(): void {}
//       ^ def fn doc=""

// == a function that is defined on a condition
if (!function_exists('late')) {
    function late(): ?Money { return null; }
//           ^ def fn
//                    ^ ref type owner=late
}

// == constants
const RED = 1, GREEN = 2;
//    ^ def const
//             ^ def const
define('BLUE', RED + GREEN);
//      ^ def const
//             ^ ref read owner=BLUE

// == variables of a script
$config = ['debug' => true];
// <- def var sig="$config = ['debug' => true]"
[$left, $right] = [1, 2];
#^ def var
//      ^ def var
echo $config['debug'];
//   ^ ref read

function calls(Order $order, array $rows): void
//       ^ def fn
//             ^ ref type owner=calls
{
    // == calls
    add(1, 2);
//  ^ ref call owner=calls
    \Shop\Util\slug('x');
//             ^ ref call recv="\\Shop\\Util\\"
    namespace\add(3, b: 4);
//            ^ ref call recv="namespace\\"
//                   ^ none
    $order->total()->round(2);
//          ^ ref call recv="$order"
//                   ^ ref call recv="$order.total()"
    $order?->customer?->name;
//           ^ ref read recv="$order"
//                      ^ ref read recv="$order.customer"
    Order::of($order);
//  ^ ref type
//         ^ ref call recv="Order"
    \Shop\Orders\Order::$items;
//               ^ ref type recv="\\Shop\\Orders\\"
//                       ^ ref read recv="\\Shop\\Orders\\Order"
    $order::MAX;
//          ^ ref read recv="$order"
    Order::class;
//         ^ none
    isset($order, $rows['a']);
//  ^ none
    (new Order(1))->save();
//       ^ ref instance
//                  ^ ref call recv="Order()"
    new \Shop\Money(2);
//            ^ ref instance recv="\\Shop\\"
    $order
        ->open()
        ->close();
//        ^ ref call recv="$order.open()"

    // == a dot joins texts, not members
    echo 'sum: '.add(1, 2).RED.$order->total();
//               ^ ref call recv=""
//                         ^ ref read recv=""
//                                     ^ ref call recv="$order"

    // == functions without a name
    $twice = function (int $n) use ($order): int { return $n * 2; };
//  ^ none
    $thrice = fn (Money $m): Money => $m->times(3);
//                ^ ref type
//                                        ^ ref call recv="$m"
    $twice(2);
//  ^ ref call recv="~"
    $later = add(...);
//           ^ ref call

    // == values that are written
    $order->state = 'x';
//          ^ ref write recv="$order"
    $order->count += 1;
//          ^ ref write recv="$order"
    Order::$items = [];
//          ^ ref write recv="Order"
    $order->count++;
//          ^ ref write recv="$order"
    $rows[] = 1;
//  ^ none

    // == types in tests and handlers
    if ($order instanceof \Shop\Entity) {}
//                              ^ ref type recv="\\Shop\\"
    try {
        throw new Failure('no');
//                ^ ref throw
    } catch (Failure | \RuntimeException $e) {
//           ^ ref type
//                      ^ ref type recv="\\"
        throw $e;
    }

    // == text with names inside
    $text = "total {$order->total} of $order->name";
//                          ^ ref read recv="$order"
//                                            ^ ref read recv="$order"
    $more = <<<TEXT
      Dear {$order->customer->name},
//                  ^ ref read recv="$order"
//                            ^ ref read recv="$order.customer"
      class Ghost {}
      TEXT;
    $raw = <<<'RAW'
      function ghost() {}
      RAW;

    // == loops bind their variables
    foreach ($rows as $key => $row) {
        $row->send($key);
//            ^ ref call recv="$row"
//                 ^ none
    }
}

// == a generator
function numbers(): \Generator { yield 1; yield from others(); }
//       ^ def fn
//                   ^ ref type recv="\\"
//                                                   ^ ref call owner=numbers

// == comments
# a shell comment
// <- comment
/** a block */
// <- doc
