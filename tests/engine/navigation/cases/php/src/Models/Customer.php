<?php

namespace Shop\Models;

class Customer
{
    public string $name = '';

    /** @return \Vendor\Collection */
    public function orders()
    {
        return new \Vendor\Collection();
//                         ^ external
    }

    public function rename(string $name): void
    {
        $this->name = $name;
//             ^ -> Customer::name
    }
}

class Line
{
    public function __construct(public int $cents) {}

    public function price(): int
    {
        return $this->cents;
//                    ^ -> Line::cents
    }
}
