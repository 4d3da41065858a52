#!/usr/bin/env php
<?php

require __DIR__ . '/../src/helpers.php';

use Shop\Models\State;

$state = State::from($argv[1]);
//       ^ -> src/Models/State.php State
//              ^ unresolved
//                   ^ external
$label = State::Shut->label();
//                    ^ -> src/Models/State.php State::label
echo $label . helper(2) . State::FIRST->label() . $unknown;
//   ^ -> $label
//            ^ -> src/helpers.php helper
//                                      ^ -> src/Models/State.php State::label
//                                                ^ unresolved

State::tryFrom('o')?->label();
//                    ^ -> src/Models/State.php State::label

function local(): void
{
    global $label;
    echo $label;
//       ^ -> $label
}

local();
// <- -> local
