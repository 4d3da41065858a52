<?php

namespace Shop\Models;

use Shop\Services\Mailer;
//                ^ -> src/Services/Mailer.php Mailer

abstract class Entity
{
    /** @var Mailer|null */
    protected $mailer;

    public static int $made = 0;

    public function __construct(protected int $id)
    {
        self::$made++;
//             ^ -> made
    }

    public function id(): int
    {
        return $this->id;
//                    ^ -> src/Models/Entity.php Entity::id
    }

    public function save(): self
    {
        $this->mailer->send($this->id());
//             ^ -> mailer
//                     ^ -> src/Services/Mailer.php Mailer::send
//                                 ^ -> Entity::id

        return $this;
    }

    public function describe(): string
    {
        return 'entity';
    }

    public static function find(int $id): static
    {
        return new static($id);
    }
}
