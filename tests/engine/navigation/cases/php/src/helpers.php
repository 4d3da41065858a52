<?php

use Shop\Models;
use Shop\Services\Mailer;

if (! function_exists('helper')) {
    function helper(int $limit): int
    {
        return $limit;
    }
}

function shop_name(): string
{
    $customer = new Models\Customer();
//                         ^ -> src/Models/Customer.php Customer
    $customer->rename('z');
//             ^ -> src/Models/Customer.php Customer::rename

    return mailer()->sender;
//         ^ -> mailer
//                   ^ -> src/Services/Mailer.php Mailer::sender
}

function mailer(): Mailer
{
    return Mailer::instance();
//                 ^ -> src/Services/Mailer.php Mailer::instance
}
