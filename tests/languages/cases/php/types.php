<?php

declare(strict_types=1);

// == a namespace and its imports
namespace Shop\Orders;

use Shop\Billing\Invoice;
//               ^ import module="Shop\\Billing" name="Invoice"
//               ^ ref import
use Shop\Billing\Receipt as Slip;
//               ^ import module="Shop\\Billing" name="Receipt" alias="Slip"
//                          ^ none
use Countable;
//  ^ import module="Countable"
use \JsonSerializable;
//   ^ import module="JsonSerializable"
use Shop\{Clock, Money as Cash, Util\Text};
//        ^ import module="Shop" name="Clock"
//                        ^ import module="Shop" name="Money" alias="Cash"
//                                   ^ import module="Shop\\Util" name="Text"
use function Shop\Util\{slug, trim_all as tidy};
//                      ^ import module="Shop\\Util" name="slug"
//                                        ^ import module="Shop\\Util" name="trim_all" alias="tidy"
use const Shop\Util\LIMIT;
//                  ^ import module="Shop\\Util" name="LIMIT"

// == a class with its bases
/**
 * What a customer buys.
 */
abstract class Order extends \Shop\Entity implements Countable, Util\HasTotal
//             ^ def class vis=public sig="abstract class Order extends \\Shop\\Entity implements Countable, Util\\HasTotal" doc="What a customer buys."
//                                 ^ ref inherit owner=Order recv="\\Shop\\"
//                                                   ^ ref inherit owner=Order
//                                                                   ^ ref inherit owner=Order recv="Util\\"
{
    // == traits are mixed in
    use Dated, \Shop\Util\Loud {
//      ^ ref inherit owner=Order
//                        ^ ref inherit owner=Order recv="\\Shop\\Util\\"
        Dated::stamp insteadof Loud;
//             ^ ref read recv="Dated"
//                             ^ ref type
        stamp as protected mark;
//                         ^ def method scope=Order vis=protected sig="stamp as protected mark"
//      ^ none
    }

    // == constants of a class
    const OPEN = 'open', CLOSED = 'closed';
//        ^ def const scope=Order vis=public
//                       ^ def const scope=Order vis=public
    final protected const int MAX = self::BASE * 2;
//                            ^ def const scope=Order vis=protected sig="final protected const int MAX = self::BASE * 2"
//                                        ^ ref read owner=MAX recv="self"

    // == properties
    public ?string $title = null, $note;
//                  ^ def field scope=Order vis=public
//                                 ^ def field scope=Order vis=public
    /** @var Item[] */
    private static array $items = [];
//                        ^ def field scope=Order vis=private sig="private static array $items = []" doc="@var Item[]"
    var $legacy;
//       ^ def field scope=Order vis=public
    protected Cash|null $total;
//                       ^ def field scope=Order vis=protected
//            ^ ref type owner=total
    public private(set) string $state = self::OPEN;
//                              ^ def field scope=Order vis=public

    // == a property with hooks
    public string $label {
//                 ^ def property scope=Order vis=public sig="public string $label" end=+5
        get => strtoupper($this->title);
//      ^ none
//             ^ ref call owner=label
//                               ^ ref read owner=label recv="$this"
        set(string $value) {
            $this->title = $value;
//                 ^ ref write owner=label recv="$this"
        }
    }

    // == parameters of the constructor that are fields
    public function __construct(private readonly Clock $clock, protected ?Invoice $invoice = null, int $number = 1)
//                  ^ def method scope=Order vis=public end=+3
//                                                      ^ def field scope=Order vis=private sig="private readonly Clock $clock"
//                                                                                 ^ def field scope=Order vis=protected
//                                               ^ ref type owner=clock
//                                                                                                      ^ none
    {
        parent::__construct($number);
//              ^ ref call owner=__construct recv="parent"
    }

    // == methods
    #[Route('/total'), Cached]
    public static function of(Clock&Countable $clock, callable ...$more): static
//                         ^ def method scope=Order vis=public sig="public static function of(Clock&Countable $clock, callable ...$more): static"
//         ^ none
    {
        return new static($clock);
//                 ^ none
    }

    abstract protected function total(): Cash;
//                              ^ def method scope=Order vis=protected sig="abstract protected function total(): Cash"
    function &all() { return self::$items; }
//            ^ def method scope=Order vis=public
//                                  ^ ref read owner=all recv="self"
}

// == an interface
interface HasTotal extends Util\HasName, Countable
//        ^ def interface vis=public
//                              ^ ref inherit owner=HasTotal recv="Util\\"
{
    const UNIT = 'EUR';
//        ^ def const scope=HasTotal
    public function total(): Cash;
//                  ^ def method scope=HasTotal vis=public sig="public function total(): Cash"
}

// == a trait
trait Dated
//    ^ def trait vis=public
{
    private ?int $at = null;
//                ^ def field scope=Dated vis=private

    public function stamp(): void { $this->at ??= time(); }
//                  ^ def method scope=Dated
//                                         ^ ref write owner=stamp recv="$this"
}

// == an enum with cases and methods
#[Labelled('state')]
//^ ref decorator owner=State
enum State: string implements HasTotal
//   ^ def enum vis=public sig="enum State: string implements HasTotal"
//                            ^ ref inherit owner=State
{
    case Open = 'o';
//       ^ def field scope=State vis=public sig="case Open = 'o'"
    case Shut = 's';
//       ^ def field scope=State
    const FIRST = self::Open;
//        ^ def const scope=State

    public function label(): string
//                  ^ def method scope=State
    {
        return match ($this) {
            self::Open => 'open',
//                ^ ref read owner=label recv="self"
            State::Shut => throw new \LogicException('shut'),
//          ^ ref type owner=label
//                 ^ ref read recv="State"
//                                    ^ ref throw owner=label recv="\\"
        };
    }
}

// == a class without a name
return new class(7) extends Order implements Countable {
//         ^ def class vis=public sig="class(7) extends Order implements Countable" end=+2
//                          ^ ref inherit owner=class
    public function count(): int { return 7; }
//                  ^ def method scope=class
};
