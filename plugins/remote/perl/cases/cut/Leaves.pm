package Leaves;

use Collectd qw(:all);

sub leaves
{
	my %list = (plugin => 'leaves', type => 'gauge', time => 1700000000);

	plugin_dispatch_values({ %list, values => [1] });
	if (!-e 'FOLDER/left') {
		open my $file, '>', 'FOLDER/left' or die $!;
		print '["half of a line';
		kill KILL => $$;
	}
	return plugin_dispatch_values({ %list, values => [2], type_instance => 'after' });
}

plugin_register(TYPE_READ, 'leaves', 'leaves');
1;
