<?php

namespace Shop\Models;

enum State: string
{
    case Open = 'o';
    case Shut = 's';

    public const FIRST = self::Open;
//                             ^ -> State::Open

    public function label(): string
    {
        return ucfirst($this->name);
//             ^ external
    }
}
