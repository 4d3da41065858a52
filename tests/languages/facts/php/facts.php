<?php

namespace App;

use Acme\Net\Client;
use Acme\Net;
use function Acme\Text\slug;

/** Keeps pages. */
#[Entity]
abstract class Store extends Base implements \Countable, Api\Sized
//             ^ bases: Api\Sized, Base, Shared, \Countable
//             ^ decorators: #[Entity]
//             ^ marks: abstract
//             ^ doc: Keeps pages.
//             ^ visibility: public
//             ^ imports:
{
    use Shared;

    private static int $limit = 10, $other = 5;
//                      ^ types: limit: int annotation
//                      ^ marks: static
//                      ^ visibility: private
//                                   ^ types: other: int annotation
    public $title = 'x';
//          ^ types: title: string literal
    final protected const int MAX = 3;
//                            ^ marks: final
//                            ^ types: MAX: int annotation
//                            ^ visibility: protected

    public function __construct(private readonly Client $client, protected ?Page $page = null, int &$n = self::MAX)
//                  ^ params: $client: Client | $page: ?Page = null | $n: int = self::MAX
//                  ^ calls: parent.__construct
//                  ^ marks:
//                  ^ types: $client: Client annotation, $page: ?Page annotation, $n: int annotation
//                  ^ imports: Acme\Net
//                                                       ^ visibility: private
    {
        parent::__construct($n);
    }

    /** Loads one page. */
    #[Get('/x'), Cached]
    final protected static function load(string $url, int $tries = 3, $plain = [], Page ...$rest): ?Page
//                                  ^ params: $url: string | $tries: int = 3 | $plain = [] | $rest: Page
//                                  ^ returns: ?Page
//                                  ^ marks: final, static
//                                  ^ decorators: #[Get('/x'), Cached]
//                                  ^ visibility: protected
//                                  ^ doc: Loads one page.
//                                  ^ throws: $e, Failed.because, GoneException, \LogicException
//                                  ^ calls: $client.get, $run, Client, Failed.because, Net\Wire.open, \strlen, array_map, self.make, slug
//                                  ^ imports: Acme, Acme\Net, Acme\Text
//                                  ^ reads: $at, $client, $client.name, $e, $full, $key, $other, $p, $parts, $plain, $rest, $total, $tries, $url, $x, E_ALL, Mode.Fast
//                                  ^ writes: $a, $at, $b, $body, $client, $flag, $full, $half, $key, $other, $p, $parts, $ref, $run, $text, $total
//                                  ^ mutations: $p.seen, $parts[], $parts[][], $plain[], self.limit
//                                  ^ aliases: $other=$client, $ref=$client.name
//                                  ^ types: $url: string annotation, $tries: int annotation, $plain: array literal, $rest: Page annotation, $e: GoneException | Failed annotation, $client: Client constructor, $total: int literal, $half: float literal, $flag: bool literal, $text: string literal, $parts: array literal, $at: int literal, $p.seen: bool literal, $run: Closure literal, $full: string constructor
//                                  ^ branches: 7
//                                  ^ loops: 4
//                                  ^ breaks: 2
//                                  ^ continues: 1
//                                  ^ returned: 1
//                                  ^ has names: Client, GoneException, client, get, slug, url
    {
        $client = new Client($url);
        $other = $client;
        $ref = $client->name;
        $total = 0;
        $half = 1.5;
        $flag = true;
        $text = "a $total";
        $parts = ['a'];
        $parts[] = 'b';
        $parts['x']['y'] = Mode::Fast;
        self::$limit += 1;
        [$a, $b] = $plain;
        unset($plain['k']);
        for ($at = 0; $at < $tries; $at++) {
            if ($total > 2) {
                break;
            } elseif ($total === 1) {
                continue;
            }
        }
        foreach ($rest as $key => $p) {
            $p->seen = true;
        }
        while ($total < 1) {
            $total++;
        }
        do {
            echo 'x'.$key.E_ALL;
        } while ($total < 1);
        switch ($tries) {
            case 1:
                break;
            default:
        }
        $body = match ($total) {
            1, 2 => slug($url),
            default => \strlen($other),
        };
        try {
            $client->get($url);
            throw new GoneException();
        } catch (GoneException | Failed $e) {
            throw $e;
        }
        $run = fn (int $x): int => $x + 1;
        $run(2);
        array_map(function ($x) { return $x; }, $rest);
        $full = (string) Net\Wire::open();
        if ($full ?? self::make()) {
            throw Failed::because($total ? 1 : 2);
        }
        throw new \LogicException();

        return $rest[0];
    }

    public function numbers(): iterable
//                  ^ marks: generator
//                  ^ returns: iterable
    {
        yield 1;
        $this->last = $this->page;
        static $seen = 0;
        throw Failed::because('x');
    }
}

function run(callable $f = null)
//       ^ params: $f: callable = null
//       ^ returns:
//       ^ awaits:
{
    $f();
}
