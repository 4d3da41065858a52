use Shop::Order;
use List::Util qw(sum);

my $limit = 3;

sub main {
    my $x = shift;
    print $limit;
#          ^ -> limit
    second($limit);
#   ^ -> second
#           ^ -> limit
    return sum($x);
#          ^ external
}

sub second { return third(first()) }
#                   ^ -> third
#                         ^ -> first
sub third { return first() }
#                  ^ -> first
sub first { return $limit }
#                   ^ -> limit

main();
second(third());
#      ^ -> third
