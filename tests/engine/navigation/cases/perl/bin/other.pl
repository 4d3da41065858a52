use Shop::Order;
use Shop::Base qw(double);

sub run {
    my $order = Shop::Order->new;
#                     ^ -> lib/Shop/Order.pm Order
    my $x = Shop::Order::helper(2);
#                        ^ -> lib/Shop/Order.pm helper
    return double($x);
#          ^ -> lib/Shop/Base.pm double
}
