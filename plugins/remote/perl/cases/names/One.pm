package NAME;

use Collectd qw(:all);

# Each in a file of its own, as nobody knows which process is first.
sub note
{
	open my $file, '>>', "FOLDER/said.$_[0]" or die $!;
	return print $file "NAME $_[1]\n";
}

sub configure { my ($config) = @_; return note('NAME', "has $config->{children}[0]{values}[0]") }
sub init { return note('NAME', 'begins') }

plugin_register(TYPE_CONFIG, 'NAME', 'configure');
plugin_register(TYPE_INIT, 'NAME', 'init');
1;
