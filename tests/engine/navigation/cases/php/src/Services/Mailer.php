<?php

namespace Shop\Services;

use Shop\Models\{Customer, Order};

class Mailer
{
    private static ?Mailer $one = null;

    public string $sender = 'shop';

    public static function instance(): self
    {
        return self::$one ??= new self();
//                    ^ -> Mailer::one
    }

    public function send(int $id): void {}

    /**
     * @param Customer|Order $target
     */
    public function to($target, array $rows): void
    {
        $target->rename('a');
//               ^ -> src/Models/Customer.php Customer::rename
        foreach ($rows as $row) {
            /** @var Order $row */
            $row->total();
//                ^ -> src/Models/Order.php Order::total
        }
        $other = unserialize('');
        if ($other instanceof \Shop\Models\Customer) {
            $other->rename('b');
//                  ^ -> src/Models/Customer.php Customer::rename
        }
        $send = fn (Order $order) => $order->send();
//                                           ^ -> src/Models/Order.php Order::send
    }

    public function both(Customer|Line $one, \Shop\Models\Line|Pair $two): void
//                                ^ external
    {
        $two->price();
//            ^ ambiguous 2
        $one->missing();
//            ^ external
    }
}

class Pair
{
    public function price(): int
    {
        return 1;
    }
}
