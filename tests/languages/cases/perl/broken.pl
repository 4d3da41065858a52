# == what is broken leaves the rest alone
sub good { 1 }
#   ^ def fn

my $bad = = (;
#   ^ def var

sub later { good() }
#   ^ def fn
#           ^ ref call owner=later
