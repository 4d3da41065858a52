<?php

namespace Shop\Util;

class Money
{
    public function __construct(public readonly int $cents) {}

    public function plus(int $more): self
    {
        $inner = new class ($more) extends Money {
            public function minus(int $less): Money
            {
                return $this->plus(-$less);
//                            ^ -> Money::plus
            }
        };
        $inner->minus(1);

        return new self($this->cents + $more);
//                             ^ -> Money::cents
    }
}
