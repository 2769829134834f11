package Hangs;

use strict;
use warnings;
use Collectd qw(:all);

sub hangs
{
	my %list = (plugin => 'hangs', type => 'gauge');

	plugin_dispatch_values({ %list, time => 1700000000, values => [1] });
	if (!-e 'FOLDER/hung') {
		open my $file, '>', 'FOLDER/hung' or die $!;
		sleep 10000;
	}
	plugin_dispatch_values({ %list, time => 1700000015, type_instance => 'after', values => [2] });
	return 1;
}

plugin_register(TYPE_READ, 'hangs', 'hangs');
1;
