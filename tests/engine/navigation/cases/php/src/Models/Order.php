<?php

namespace Shop\Models;

use Shop\Contracts\HasTotal;
use Shop\Models\Concerns;
use Shop\Util\Money as Cash;
//            ^ -> src/Util/Money.php Money
use Vendor\Clock;
use function Shop\Util\{slug, plain as bare};
//                      ^ -> src/Util/functions.php slug
//                            ^ -> src/Util/functions.php plain
use const Shop\Util\LIMIT;

/**
 * @property Customer $owner
 */
final class Order extends Entity implements HasTotal
//                        ^ -> src/Models/Entity.php Entity
//                                          ^ -> src/Contracts/HasTotal.php HasTotal
{
    use Concerns\Dated;
//               ^ -> src/Models/Concerns/Dated.php Dated

    private State $state = State::Open;
//                         ^ -> src/Models/State.php State
//                                ^ -> src/Models/State.php State::Open

    /** @var Line[] */
    private array $lines = [];

    public function __construct(private Customer $customer, private Clock $clock)
//                                      ^ -> src/Models/Customer.php Customer
//                                                                  ^ external
    {
        parent::__construct(1);
//              ^ -> src/Models/Entity.php Entity::__construct
    }

    public function total(): int
    {
        $sum = new Cash(0);
        foreach ($this->lines as $line) {
//                      ^ -> lines
            $sum = $sum->plus($line->price());
//                       ^ -> src/Util/Money.php Money::plus
//                                   ^ -> src/Models/Customer.php Line::price
        }
        slug('x');
//      ^ -> src/Util/functions.php slug
        bare('x');
//      ^ -> src/Util/functions.php plain
        count($this->lines);
//      ^ external
        helper(LIMIT);
//      ^ -> src/helpers.php helper
//             ^ -> src/Util/functions.php LIMIT
        shop_name();
//      ^ -> src/helpers.php shop_name

        return min($sum->cents, self::UNIT ? LIMIT : 0);
//                       ^ -> src/Util/Money.php Money::cents
//                                    ^ -> src/Contracts/HasTotal.php HasTotal::UNIT
    }

    public function count(): int
    {
        return $this->customer->orders()->first();
//                    ^ -> Order::customer
//                              ^ -> src/Models/Customer.php Customer::orders
//                                        ^ external
    }

    public function send(): void
    {
        $this->stamp()->save()->id();
//             ^ -> src/Models/Concerns/Dated.php Dated::stamp
//                      ^ -> src/Models/Entity.php Entity::save
//                              ^ -> src/Models/Entity.php Entity::id
        $this->describe();
//             ^ -> src/Models/Concerns/Dated.php Dated::describe
        parent::describe();
//              ^ -> src/Models/Entity.php Entity::describe
        $this->state->label();
//                    ^ -> src/Models/State.php State::label
        $this->owner->rename('x');
//                    ^ -> src/Models/Customer.php Customer::rename
        $this->clock->now();
//                    ^ external
        static::find(2)->total();
//              ^ -> src/Models/Entity.php Entity::find
//                       ^ -> Order::total
        $copy = clone $this;
        $copy?->customer?->rename('y');
//              ^ -> Order::customer
//                         ^ -> src/Models/Customer.php Customer::rename
        Entity::$made = 3;
//               ^ -> src/Models/Entity.php Entity::made
        $anything = unserialize('');
        $anything->run();
//                 ^ unresolved
    }
}
