package Dies;

use Collectd qw(:all);

my $turns = 0;

sub attempt
{
	my $what = shift;
	my $done = plugin_dispatch_values(@_);

	INFO("$what is taken") if $done;
}

sub list { return { plugin => 'dies', type => 'gauge', time => 1700000000 + $turns, @_ } }

sub dies
{
	$turns++;
	attempt('a value', list(values => [$turns]));
	if ($turns == 1) {
		attempt('an unknown type', list(type => 'unheard', values => [1]));
		attempt('a type with a blank', list(type => 'a b', values => [1]));
		attempt('no type', list(type => undef, values => [1]));
		attempt('no plugin', list(plugin => '', values => [1]));
		attempt('no value', list(values => []));
		attempt('no array', list(values => 5));
		attempt('too few values', list(type => 'if_octets', values => [1]));
		attempt('no hash', 5);
		attempt('two arguments', 'gauge', list(values => [1]));
		attempt('no number', list(type_instance => 'a/b', values => ['x']));
		attempt('a large number', list(type => 'derive', values => ['9223372036854775807']));
		attempt('one value too many', list(type_instance => 'two', values => [4, 5]));
		plugin_register(42, 'dies', 'dies');
		plugin_register(TYPE_READ, 'other', sub { 1 });
		plugin_register(TYPE_READ, 'dies', 'dies');
		plugin_register(TYPE_DATASET, 'own_type', [{ name => 'a', type => DS_TYPE_GAUGE, min => 0, max => 65535 }]);
		plugin_register(TYPE_DATASET, 'if_octets', [{ name => 'rx', type => DS_TYPE_DERIVE }]);
		plugin_dispatch_notification({ severity => 3, message => 'odd' });
		plugin_dispatch_notification({ severity => NOTIF_OKAY });
		fc_register(FC_MATCH, 'odd', { match => 'odd' });
		INFO('the same type is taken') if plugin_register(TYPE_DATASET, 'gauge', [{ name => 'value', type => DS_TYPE_GAUGE }]);
		print "PUTVAL host/x/gauge N:1\n";
	}
	die "lost\n" if $turns == 2;
	return if $turns == 3;
	return 1;
}

plugin_register(TYPE_READ, 'dies', 'dies');
1;
