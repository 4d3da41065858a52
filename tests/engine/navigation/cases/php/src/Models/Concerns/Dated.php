<?php

namespace Shop\Models\Concerns;

trait Dated
{
    private ?int $stampedAt = null;

    public function stamp(): static
    {
        $this->stampedAt = time();
//             ^ -> stampedAt
//                         ^ external
        $this->touch();
//             ^ unresolved

        return $this;
    }

    public function describe(): string
    {
        return 'dated';
    }
}
