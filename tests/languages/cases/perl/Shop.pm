# == a package reaches to the next one
package Data::Shop;
#             ^ def mod scope=Data sig="package Data::Shop" end=+66

# == imports and pragmas
use strict;
# <- none
use Shop::Tools qw(one two);
# <- import module="Shop::Tools" name="one"
# <- import module="Shop::Tools" name="two"
use List::Util 'sum';
# <- import module="List::Util" name="sum"
use Carp;
# <- import module="Carp"
#   ^ ref import
require Shop::Late;
# <- import module="Shop::Late"
require "conf.pl";
# <- import module="conf.pl"

# == parents
use parent 'Data::Base', -norequire;
# <- import module="Data::Base"
use base qw(Other);
#           ^ ref inherit owner=Shop
our @ISA = ('Third');
#    ^ def var scope="Data::Shop" vis=public
#            ^ ref inherit

# == constants
use constant PI => 3.14;
#            ^ def const scope="Data::Shop" sig="use constant PI => 3.14"
use constant { LOW => 1, HIGH => 2 };
#              ^ def const
#                        ^ def const

# == variables of the file
our $VERSION = '1.0';
#    ^ def var vis=public sig="our $VERSION"
my %cache = (a => 1);
#   ^ def var vis=private sig="my %cache"
my ($left, $right);
#    ^ def var vis=private
#           ^ def var vis=private

# == attributes
has name => sub { 'x' };
#   ^ def property scope="Data::Shop"
has 'size' => (is => 'rw');
#    ^ def property
extends 'Moose::Object';
with 'Role::Shown';

# == subs, documentation above
# Makes one.
sub new {
#   ^ def fn scope="Data::Shop" sig="sub new" doc="Makes one." end=+9
    my ($class, %args) = @_;
#        ^ none
    my $self = bless { %args }, $class;
#              ^ ref call
    $self->{total} = PI;
#           ^ ref write recv="$self"
    $self->init(1);
#          ^ ref call recv="$self" owner=new
    Shop::Tools->new;
#                ^ ref call recv="Shop.Tools"
    Shop::Tools::one(3);
#                ^ ref call recv="Shop.Tools"
    two(1, 2);
    # <- ref call owner=new
    return $self;
}

# == documents between the code

=head2 price

Says what it costs.

=cut

sub price { return shift->{price} }
#   ^ def fn doc="Says what it costs."

# == private subs
sub _check { 1 }
#   ^ def fn vis=private
my sub lexical { 2 }
#      ^ def fn vis=private

# == signatures, prototypes and attributes
sub add($x, $y = 2) { return $x + $y }
#   ^ def fn sig="sub add($x, $y = 2)"
#                            ^ none
sub pair($$) { 1 }
#   ^ def fn
sub announced($);
sub after { announced(1) }
#   ^ def fn scope="Data::Shop"
#           ^ ref call owner=after

# == subs of other packages and by name
sub Other::Place::run { 1 }
#                 ^ def fn scope="Other::Place"
*alias = \&price;
 # <- def fn
#          ^ ref read

# == exceptions
sub fail_now { die My::Error->new("x") }
#   ^ def fn
#                  ^ none
#                      ^ ref throw owner=fail_now
sub throw_it { My::Error->throw }
#   ^ def fn
#                  ^ ref throw

# == anonymous subs
my $anon = sub { my $inner = 1; price($inner) };
#   ^ def var vis=private
#                   ^ none
#                               ^ ref call

# == packages with a block
package Shop::Inner {
#             ^ def mod scope=Shop end=+3
    our $depth = 1;
#        ^ def var scope="Shop::Inner"
    sub inside { 1 }
#       ^ def fn scope="Shop::Inner"
}

# == the next package
package Last;
#       ^ def mod scope=""
sub tail { Data::Shop->new }
#   ^ def fn scope=Last doc="Ends it."
#                ^ ref instance owner=tail

1;

# == documents behind the code
__END__

=head1 METHODS

=head2 tail

Ends it.

=cut
