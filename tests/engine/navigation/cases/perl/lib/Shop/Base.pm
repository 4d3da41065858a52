package Shop::Base;

use constant LIMIT => 10;

sub new { my ($class) = @_; return bless {}, $class }

sub describe {
    my ($self) = @_;
    return double(LIMIT) . $self->name;
#          ^ -> double
}

sub double { my ($x) = @_; return $x + $x }

sub name { 'base' }

1;
