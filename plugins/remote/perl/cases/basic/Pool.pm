package Collectd::Plugins::Pool;

use strict;
use warnings;
use Collectd qw(:all);

# Time stands still in the test, and time() knows nothing of it.
my $now = 1700000000;
my (%options, @heard);

sub configure
{
	my ($config) = @_;

	for my $child (@{$config->{children}}) {
		$options{$child->{key}} = join '|', @{$child->{values}};
		$options{"$child->{key}.$_->{key}"} = join '|', @{$_->{values}} for @{$child->{children}};
	}
	return 1;
}

sub init
{
	plugin_log(LOG_NOTICE, 'pool has ' . join ', ', map { "$_=$options{$_}" } sort keys %options);
	return 1;
}

sub pool
{
	my %list = (plugin => 'pool', time => $now, host => $hostname_g, interval => plugin_get_interval());

	$now += 10;
	plugin_dispatch_values({ %list, type => 'gauge', type_instance => 'number', values => [5] });
	plugin_dispatch_values({ %list, type => 'if_octets', plugin_instance => 'a b', values => [1, 2**40] });
	plugin_dispatch_values({ %list, type => 'gauge', type_instance => 'lost', host => 'there',
		values => ['nan'] });
	while (my $message = shift @heard) {
		plugin_dispatch_notification({ severity => NOTIF_FAILURE, plugin => 'pool', type => 'gauge',
			message => "heard: $message" });
	}
	return 1;
}

sub hear
{
	my ($notification) = @_;

	push @heard, $notification->{message} if $notification->{plugin} eq 'df';
	return 1;
}

plugin_register(TYPE_CONFIG, 'pool', 'configure');
plugin_register(TYPE_INIT, 'pool', 'init');
plugin_register(TYPE_READ, 'pool', 'pool');
plugin_register(TYPE_NOTIF, 'pool', 'hear');
1;
