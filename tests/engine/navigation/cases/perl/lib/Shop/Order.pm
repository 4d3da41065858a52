package Shop::Order;
use parent 'Shop::Base';

our $count = 0;
my %cache;

sub total {
    my ($self, $x) = @_;
    $count = $count + 1;
#    ^ -> count
#             ^ -> count
    helper($x);
#   ^ -> helper
    return _hidden($x) + later($x);
#          ^ -> _hidden
#                        ^ -> later
}

sub helper { my ($x) = @_; $cache{$x} = $x; return again($x) }
#                           ^ -> cache
#                                                  ^ -> again

sub _hidden { return helper(1) }
#                    ^ -> helper

sub later { return $count }
#                   ^ -> count

sub again { return missing(1) }
#                  ^ external

1;
