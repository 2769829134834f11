package Writer;

use strict;
use warnings;
use Collectd qw(:all);

sub say_it
{
	open my $file, '>>', 'FOLDER/written' or die $!;
	print $file join(' ', map { $_ // 'undef' } @_), "\n";
	return close $file;
}

sub show { my ($hash) = @_; return map { "$_=$hash->{$_}" } sort grep { !ref $hash->{$_} } keys %$hash }

sub put
{
	my ($type, $sources, $list) = @_;

	return say_it($type, (map { '{' . join(' ', show($_)) . '}' } @$sources), show($list),
		join ':', @{$list->{values}});
}

sub hear { my ($notification) = @_; return say_it('notification', show($notification)) }
sub empty { my ($timeout, $name) = @_; return say_it('flush', $timeout, $name) }
sub down { return say_it('shutdown') }

plugin_register(TYPE_WRITE, 'writer', 'put');
plugin_register(TYPE_NOTIF, 'writer', 'hear');
plugin_register(TYPE_FLUSH, 'writer', 'empty');
plugin_register(TYPE_SHUTDOWN, 'writer', 'down');
1;
