<?php

namespace Shop\Contracts;

interface HasTotal
{
    public const UNIT = 'EUR';

    public function total(): int;
}
