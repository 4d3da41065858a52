<?php
// == a broken file still yields what is whole
class Whole
//    ^ def class
{
    public function first() { return $this->second(; }
//                  ^ def method scope=Whole

    private function second(): int { return 2; }
//                   ^ def method scope=Whole vis=private
}

function after(array $x { return }
//       ^ def fn

function last_one(): void {}
//       ^ def fn
