# SPDX-License-Identifier: MIT
# The module Collectd, for modules that were written for collectd's plugin perl.
# The facts are those of collectd-perl(5).
#
# collectord starts this file once for each module:
#
#     perl collectd.pl MODULE
#
# Standard input has requests, a JSON list in each line: [ID,[VERB,ARGUMENT...]],
# without blanks.  Standard output has lines PUTVAL, PUTNOTIF and FLUSH of
# collectd-unixsock(5), and
#
#     DONE ID                 the request has been done
#     FAILED ID COUNT TEXT    or not; of "write" COUNT values have failed
#     REGISTER KIND [INTERVAL NAME], UNREGISTER KIND [NAME]
#     CONFIGURED NUMBER       the block with that number has a callback
#     LOG SEVERITY TEXT
#     TYPE NAME               asks for a request "type"
#
# What a module itself prints goes to standard error.  There is one thread: a
# callback that waits delays the others of its module, and nothing else.
use strict;
use warnings;

package Collectd;

use Exporter ();
use Scalar::Util qw(looks_like_number reftype);
use Time::HiRes ();

use constant {
	TYPE_INIT => 0, TYPE_READ => 1, TYPE_WRITE => 2, TYPE_SHUTDOWN => 3, TYPE_LOG => 4,
	TYPE_NOTIF => 5, TYPE_FLUSH => 6, TYPE_CONFIG => 254, TYPE_DATASET => 255,
	DS_TYPE_COUNTER => 0, DS_TYPE_GAUGE => 1, DS_TYPE_DERIVE => 2, DS_TYPE_ABSOLUTE => 3,
	LOG_ERR => 3, LOG_WARNING => 4, LOG_NOTICE => 5, LOG_INFO => 6, LOG_DEBUG => 7,
	NOTIF_FAILURE => 1, NOTIF_WARNING => 2, NOTIF_OKAY => 4,
	FC_MATCH => 0, FC_TARGET => 1, FC_CB_CREATE => 0, FC_CB_DESTROY => 1, FC_CB_EXEC => 2,
	FC_MATCH_NO_MATCH => 0, FC_MATCH_MATCHES => 1,
	FC_TARGET_CONTINUE => 0, FC_TARGET_STOP => 1, FC_TARGET_RETURN => 2,
};

our @ISA = ('Exporter');
our %EXPORT_TAGS = (
	plugin => [qw(plugin_register plugin_unregister plugin_dispatch_values plugin_get_interval
		plugin_write plugin_flush plugin_flush_one plugin_flush_all
		plugin_dispatch_notification plugin_log)],
	types => [qw(TYPE_INIT TYPE_READ TYPE_WRITE TYPE_SHUTDOWN TYPE_LOG TYPE_NOTIF TYPE_FLUSH
		TYPE_CONFIG TYPE_DATASET)],
	ds_types => [qw(DS_TYPE_COUNTER DS_TYPE_GAUGE DS_TYPE_DERIVE DS_TYPE_ABSOLUTE)],
	log => [qw(ERROR WARNING NOTICE INFO DEBUG
		LOG_ERR LOG_WARNING LOG_NOTICE LOG_INFO LOG_DEBUG)],
	filter_chain => [qw(fc_register FC_MATCH_NO_MATCH FC_MATCH_MATCHES FC_TARGET_CONTINUE
		FC_TARGET_STOP FC_TARGET_RETURN)],
	fc_types => [qw(FC_MATCH FC_TARGET)],
	notif => [qw(NOTIF_FAILURE NOTIF_WARNING NOTIF_OKAY)],
	globals => [qw($hostname_g $interval_g)],
);
$EXPORT_TAGS{all} = [map { @$_ } values %EXPORT_TAGS];
our @EXPORT_OK = @{$EXPORT_TAGS{all}};

our $hostname_g = $ENV{COLLECTD_HOSTNAME};
our $interval_g = $ENV{COLLECTD_INTERVAL} + 0;
our $cb_name; # The callback that runs: for call_by_name().

my $interval = $interval_g; # A change of $interval_g is the module's own.
my $module;                 # Its name.
my %others;                 # Modules that have a process of their own.
my ($requests, $output);    # The descriptors of the protocol.
my @waiting;                # Requests that came while a type was asked for.
my $in_log = 0;             # A callback for the log runs.

my %SEVERITIES = (3 => 'error', 4 => 'warning', 5 => 'notice', 6 => 'info', 7 => 'debug');
my %KINDS = ( # Of callbacks, and what the collector calls them, if it asks for them.
	TYPE_CONFIG, 'config', TYPE_INIT, 'init', TYPE_SHUTDOWN, 'shutdown', TYPE_READ, 'read',
	TYPE_WRITE, 'write', TYPE_LOG, 'log', TYPE_NOTIF, 'notification', TYPE_FLUSH, 'flush',
);
my %callbacks = map { $_ => [] } keys %KINDS; # Pairs [NAME, FUNCTION] of each kind, in order.

# Characters of a part of a name, lines that a callback may hold back, and for how long.
use constant { NAME_MAX => 127, LINES_MAX => 64, HOLD_MAX => 0.1, KNOWN_MAX => 10000 };

# --- Lines to the collector ---------------------------------------------------

my ($holding, $held_since, @held, $owner) = (0, 0);

sub _send
{
	my $data = join '', map { "$_\n" } @_;

	utf8::encode($data) if utf8::is_utf8($data);
	for (my $at = 0; $at < length $data;) {
		my $size = syswrite $output, $data, length($data) - $at, $at;

		if (defined $size) {
			$at += $size;
		} elsif (!$!{EINTR}) {
			CORE::exit(1); # The collector has gone.
		}
	}
}

sub _flush_held
{
	return if !@held || $$ != $owner;
	my @lines = splice @held;

	_send(@lines);
}

# Values that a callback dispatches go in one piece when it returns, or when there are many.
sub _put
{
	my ($line) = @_;

	if (!$holding || $$ != $owner) {
		_send($line);
		return;
	}
	my $now = Time::HiRes::time();

	$held_since = $now if !@held;
	push @held, $line;
	_flush_held() if @held >= LINES_MAX || $now - $held_since > HOLD_MAX || $now < $held_since;
}

# A thread that a module starts has nothing to hold back.
sub CLONE
{
	@held = ();
	$holding = 0;
}

# Bytes, as collectd has them.
sub _text
{
	my ($value) = @_;

	return '' if !defined $value;
	$value = "$value";
	utf8::encode($value) if utf8::is_utf8($value);
	return $value;
}

sub _name { return substr _text($_[0]), 0, NAME_MAX }

sub _line
{
	my $text = _text($_[0]);

	$text =~ tr/\0-\x1f\x7f/ /;
	$text =~ s/ +\z//;
	return $text;
}

# A word of a line, in quotes.
sub _word
{
	my ($text) = @_;

	$text =~ tr/\0-\x1f\x7f/ /;
	$text =~ s/([\\"])/\\$1/g;
	return "\"$text\"";
}

# --- The log ------------------------------------------------------------------

sub plugin_log
{
	my ($level, $text) = @_;

	if (@_ != 2) {
		_error('usage: plugin_log (level, message)');
		return;
	}
	{
		no warnings;
		$level = int $level;
	}
	$level = LOG_ERR if $level < LOG_ERR;
	$level = LOG_DEBUG if $level > LOG_DEBUG;
	my @lines = grep { $_ ne '' } map { _line($_) } split /\n/, _text($text);
	if ($in_log) { # Else it would be called for its own message.
		print STDERR map { "$_\n" } @lines;
	} else {
		_flush_held();
		_send(map { "LOG $SEVERITIES{$level} $_" } @lines) if @lines;
	}
	return 1;
}

sub ERROR { return plugin_log(LOG_ERR, $_[0]) }
sub WARNING { return plugin_log(LOG_WARNING, $_[0]) }
sub NOTICE { return plugin_log(LOG_NOTICE, $_[0]) }
sub INFO { return plugin_log(LOG_INFO, $_[0]) }
sub DEBUG { return plugin_log(LOG_DEBUG, $_[0]) }

sub _complain { plugin_log($_[0], "$module: $_[1]"); return }
sub _error { return _complain(LOG_ERR, $_[0]) }
sub _warning { return _complain(LOG_WARNING, $_[0]) }

# --- Types --------------------------------------------------------------------

my %types; # Their data sets, as callbacks get them; undef: there is none.

# The data set of a type, which the collector is asked for once.
sub _type
{
	my ($name) = @_;

	if (!exists $types{$name}) {
		return if $name !~ /\A[!-~]+\z/;
		_send("TYPE $name");
		until (exists $types{$name}) {
			my ($id, $verb, $rest) = _request();

			if ($verb eq 'type') {
				_do($id, $verb, $rest);
			} else {
				push @waiting, [$id, $verb, $rest];
			}
		}
	}
	return $types{$name};
}

my %DS_TYPES = (
	counter => DS_TYPE_COUNTER, gauge => DS_TYPE_GAUGE, derive => DS_TYPE_DERIVE,
	absolute => DS_TYPE_ABSOLUTE,
);

sub _learn_type
{
	my ($name, $sources) = @_;

	$types{$name} = defined $sources ? [map {
		my ($source, $kind, $min, $max) = @$_;

		+{ name => $source, type => $DS_TYPES{$kind},
			defined $min ? (min => $min) : (), defined $max ? (max => $max) : () }
	} @$sources] : undef;
}

sub _bound
{
	my ($value) = @_;

	return 'U' if !defined $value || !looks_like_number($value) || $value != $value;
	return 0 + $value;
}

# A row of a TypesDB.
sub _row
{
	my ($name, $sources) = @_;
	my %words = map { $DS_TYPES{$_} => uc } keys %DS_TYPES;

	return "$name " . join ', ', map {
		no warnings;
		join ':', $_->{name} // '', $words{$_->{type} // DS_TYPE_COUNTER} // '?',
			_bound($_->{min}), _bound($_->{max})
	} @$sources;
}

# Only rows of a TypesDB are types: one of them may be registered once more.
sub _register_type
{
	my ($name, $sources) = @_;

	if (!@$sources || grep { (reftype($_) // '') ne 'HASH' } @$sources) {
		return _error("the data set '$name' is not a list of hashes");
	}
	my $known = _type(_name($name));
	my $row = _row($name, $sources);

	return 1 if defined $known && _row($name, $known) eq $row;
	return _error("the type '$name' is another one in the TypesDB: " . _row($name, $known) .
		", not $row") if defined $known;
	return _error("types cannot be registered: add '$row' to a file that TypesDB names");
}

# --- Values and notifications -------------------------------------------------

# A part of a name, as collectd makes it fit for a file.
sub _part
{
	my ($text) = @_;

	return 'root' if $text eq '/';
	$text =~ s/\A\///;
	$text =~ tr/\//_/;
	return $text;
}

# What is known of a series, by the texts that its value lists have: [the line up to its interval,
# its data set, its name].  undef after a complaint.
my %known;

sub _learn
{
	my ($key, $list) = @_;
	my $type = _name($list->{type});

	return _error('a value list has no type') if $type eq '';
	my $sources = _type($type);
	return _error("unknown type '$type'") if !defined $sources;
	my ($host, $plugin, $plugin_instance, $type_instance) =
		map { _part(_name($_)) } @$list{qw(host plugin plugin_instance type_instance)};
	return _error("a value list of type '$type' has no plugin") if $plugin eq '';
	$plugin .= "-$plugin_instance" if $plugin_instance ne '';
	my $end = _part($type);
	$end .= "-$type_instance" if $type_instance ne '';
	$host = _part(_name($hostname_g)) if $host eq '';
	my $name = _word("$host/$plugin/$end");
	my $learnt = ["PUTVAL $name interval=", $sources, $name];
	%known = () if keys %known >= KNOWN_MAX;
	# Characters of two kinds may be equal as a key, and are not as bytes.
	$known{$key} = $learnt if !utf8::is_utf8($key);
	return $learnt;
}

# A value as collectd takes it: as a whole number but for a gauge; what is no number is 0.
sub _number
{
	my ($value, $source) = @_;

	no warnings; # A module's own are about its own lines.
	if ($source->{type} == DS_TYPE_GAUGE) {
		return sprintf '%.17g', $value if $value - $value == 0;
		return $value != $value ? 'U' : $value > 0 ? 'inf' : '-inf';
	}
	return sprintf $source->{type} == DS_TYPE_DERIVE ? '%d' : '%u', $value;
}

my %doubted; # Series with values that are no numbers: reported once.

sub _doubt
{
	my ($name, $value) = @_;

	return if $doubted{$name} || keys %doubted >= KNOWN_MAX;
	$doubted{$name} = 1;
	_warning(sprintf "a value of %s is not a number, and is taken as collectd takes it: %s", $name,
		defined $value ? "'" . _text($value) . "'" : 'undef');
}

my ($last_time, $time_text) = (0, ''); # A callback often has one time for all.

# The line for a value list; undef after a complaint.  This is done often.
sub _values_line
{
	no warnings; # What a list lacks is empty, or 0.
	my ($list) = @_;
	my ($values, $time, $every) = @$list{qw(values time interval)};
	my $key = join "\0", @$list{qw(type host plugin plugin_instance type_instance)};
	my $known = $known{$key} // _learn($key, $list) // return;
	my ($line, $sources, $name) = @$known;
	my ($wanted, $at) = (scalar @$sources, 0);

	if (ref $values ne 'ARRAY' && (reftype($values) // '') ne 'ARRAY' || !@$values) {
		return _error("a value list of type '$list->{type}' has no array of values");
	}
	if (@$values != $wanted) {
		_warning("a value list of type '$list->{type}' has " . @$values .
			" values, not $wanted");
		return if @$values < $wanted;
	}
	$line .= $every > 0 ? sprintf '%.3f', $every : $interval;
	$time = Time::HiRes::time() if !($time > 0);
	($last_time, $time_text) = ($time, sprintf ' %.6f', $time) if $time != $last_time;
	$line .= $time_text;
	for my $source (@$sources) {
		my $value = $values->[$at++];

		_doubt($name, $value) if !looks_like_number($value);
		$line .= $source->{type} == DS_TYPE_GAUGE && $value - $value == 0 ?
			sprintf ':%.17g', $value : ':' . _number($value, $source);
	}
	return $line;
}

sub plugin_dispatch_values
{
	my ($list) = @_;

	return _error('usage: plugin_dispatch_values (value-list)')
		if @_ != 1 || ref $list ne 'HASH' && (reftype($list) // '') ne 'HASH';
	my $line = _values_line($list);

	return if !defined $line;
	_put($line);
	return 1;
}

sub _list_of { return ref $_[0] eq 'ARRAY' ? @{$_[0]} : ($_[0]) }

# As plugin_dispatch_values(): all writers get the values.
sub plugin_write
{
	my %arguments = @_;

	return _error('plugin_write needs valuelists') if !defined $arguments{valuelists};
	my @lists = _list_of($arguments{valuelists});

	return _error('plugin_write needs as many datasets as valuelists')
		if defined $arguments{datasets} && _list_of($arguments{datasets}) != @lists;
	for my $list (@lists) {
		plugin_dispatch_values($list);
	}
	return 1;
}

my %NOTIFIED = (1 => 'failure', 2 => 'warning', 4 => 'okay');

sub plugin_dispatch_notification
{
	my ($notification) = @_;

	return _error('usage: plugin_dispatch_notification (notification)')
		if @_ != 1 || (reftype($notification) // '') ne 'HASH';
	my %is = %$notification;
	my $severity = $NOTIFIED{$is{severity} // NOTIF_FAILURE};
	my $message = _text($is{message});

	return _error("a notification has no severity NOTIF_FAILURE, NOTIF_WARNING or NOTIF_OKAY")
		if !defined $severity;
	return _error('a notification has no message') if $message eq '';
	no warnings;
	my @words = (['severity', $severity],
		['time', sprintf '%.6f', defined $is{time} ? 0 + $is{time} : Time::HiRes::time()],
		['host', _name($is{host} // $hostname_g)],
		map { [$_, _name($is{$_})] } qw(plugin plugin_instance type type_instance));
	for my $meta ((reftype($is{meta}) // '') eq 'ARRAY' ? @{$is{meta}} : ()) {
		if ((reftype($meta) // '') ne 'HASH' || !defined $meta->{name} ||
			!defined $meta->{value}) {
			_warning('meta data without a name or a value is left out');
			next;
		}
		push @words, ['s:' . _name($meta->{name}), _text($meta->{value})];
	}
	_flush_held();
	_send(join ' ', 'PUTNOTIF', map { _word("$_->[0]=$_->[1]") }
		grep { $_->[1] ne '' } @words, ['message', $message]);
	return 1;
}

sub _flush_one
{
	my ($timeout, $plugin, $identifier) = @_;
	my @words = ('FLUSH');

	push @words, sprintf 'timeout=%.3f', $timeout if $timeout > 0;
	push @words, _word('plugin=' . _text($plugin)) if defined $plugin;
	push @words, _word('identifier=' . _text($identifier)) if defined $identifier;
	_flush_held();
	_send(join ' ', @words);
}

sub plugin_flush
{
	my %arguments = @_;
	my $timeout = $arguments{timeout};

	$timeout = -1 if !looks_like_number($timeout);
	for my $plugin (_list_of($arguments{plugins})) {
		for my $identifier (_list_of($arguments{identifiers})) {
			_flush_one($timeout, $plugin, $identifier);
		}
	}
	return 1;
}

sub plugin_flush_one { return plugin_flush(timeout => $_[0], plugins => $_[1]) }
sub plugin_flush_all { return plugin_flush(timeout => $_[0]) }

sub plugin_get_interval { return $interval }

# --- Callbacks ----------------------------------------------------------------

sub _find
{
	my ($kind, $name) = @_;

	return (grep { $_->[0] eq $name } @{$callbacks{$kind}})[0];
}

sub _is_asked { return $_[0] == TYPE_WRITE || $_[0] == TYPE_LOG || $_[0] == TYPE_NOTIF ||
	$_[0] == TYPE_FLUSH }

# As plugin_register() and what collectd calls for it.
sub _register
{
	my ($package, $kind, $name, $function) = @_;
	my $known = _find($kind, $name);

	# A module that this one uses, and that runs on its own, too.
	return 1 if $others{$package};
	if ($kind == TYPE_READ && defined $known) {
		return _error("the read function '$name' is already registered");
	}
	if (defined $known) {
		$known->[1] = $function;
		return 1;
	}
	push @{$callbacks{$kind}}, [$name, $function];
	if ($kind == TYPE_READ) {
		_send('REGISTER read 0 ' . _line($name));
	} elsif (_is_asked($kind) && @{$callbacks{$kind}} == 1) {
		_send("REGISTER $KINDS{$kind}");
	}
	return 1;
}

sub plugin_register
{
	my ($kind, $name, $data) = @_;
	my $package = caller;

	return _error('usage: plugin_register (type, name, data)')
		if !defined $kind || !defined $name || !defined $data;
	return _register_type(_text($name), $data)
		if $kind eq TYPE_DATASET && ref $data eq 'ARRAY';
	return _error("there is no type '$kind' of callbacks")
		if !exists $KINDS{$kind} && $kind ne TYPE_DATASET;
	return _error("plugin_register: '$name' needs the name of a function")
		if ref $data || $kind eq TYPE_DATASET;
	$data = "${package}::$data" if index($data, "${package}::") != 0;
	return _register($package, $kind, _name($name), $data);
}

sub plugin_unregister
{
	my ($kind, $name) = @_;

	return _error('usage: plugin_unregister (type, name)') if !defined $kind || !defined $name;
	return _error("the type '$name' is of a TypesDB, and stays") if $kind eq TYPE_DATASET;
	return _error("there is no type '$kind' of callbacks") if !exists $KINDS{$kind};
	my $known = _find($kind, _name($name));

	return if !defined $known;
	@{$callbacks{$kind}} = grep { $_ != $known } @{$callbacks{$kind}};
	if ($kind == TYPE_READ) {
		_send('UNREGISTER read ' . _line($known->[0]));
	} elsif (_is_asked($kind) && !@{$callbacks{$kind}}) {
		_send("UNREGISTER $KINDS{$kind}");
	}
	return 1;
}

# Calls the function that $cb_name names, as a module may do, too.
sub call_by_name
{
	no strict 'refs';
	if (!defined $cb_name || !defined &$cb_name) {
		$@ = defined $cb_name ? "unknown callback \"$cb_name\"" : 'cb_name has not been set';
		return;
	}
	return scalar &{\&$cb_name}(@_);
}

# Calls a function; undef, or why it has failed.
sub _try
{
	(my $function, local $cb_name, my @arguments) = @_;

	return if eval { scalar &$function(@arguments) };
	return _line(_text($@) ne '' ? $@ : 'callback returned false');
}

# Has jobs done, whose values go in one piece when they end; returns what they return.
sub _hold
{
	my ($job) = @_;
	local $_;

	return $job->() if $holding;
	$holding = 1;
	my @found = $job->();
	_flush_held();
	$holding = 0;
	return @found;
}

# Calls a callback; undef, or why it has failed.
sub _call
{
	my ($callback, @arguments) = @_;
	my $name = $callback->[1];

	no strict 'refs';
	return (_hold(sub { _try(\&$name, $name, @arguments) }))[0];
}

sub fc_register
{
	my ($kind, $name) = @_;

	return _error(sprintf "fc_register: matches and targets in Perl are not served: '%s' is left out",
		_text($name));
}

# --- Requests -----------------------------------------------------------------

my $STRING = qr/"([^"\\]*+(?:\\.[^"\\]*+)*+)"/;
my %ESCAPES = (b => "\b", f => "\f", n => "\n", r => "\r", t => "\t");

sub _unescaped
{
	my ($text) = @_;

	return $text if index($text, '\\') < 0;
	$text =~ s{\\(?:u([0-9a-fA-F]{4})|(.))}{
		my ($code, $char) = ($1, $2);

		if (defined $code) {
			$char = chr hex $code;
			utf8::encode($char);
		}
		defined $code ? $char : $ESCAPES{$char} // $char
	}ges;
	return $text;
}

# The JSON at pos() of the text; a map is a list of names and values, in order.
sub _decode
{
	my ($text) = @_;

	return _unescaped($1) if $$text =~ /\G$STRING/gco;
	return 0 + $1 if $$text =~ /\G(-?(?:[0-9][0-9.eE+-]*|Infinity)|NaN)/gc;
	return !!1 if $$text =~ /\Gtrue/gc;
	return !!0 if $$text =~ /\Gfalse/gc;
	return undef if $$text =~ /\Gnull/gc;
	die "a request is not JSON\n" if $$text !~ /\G[\[{]/gc;
	my @items;
	until ($$text =~ /\G[\]}]/gc) {
		push @items, _decode($text);
		$$text =~ /\G[,:]/gc;
	}
	return \@items;
}

# The rest of a request: its arguments.
sub _arguments
{
	my ($text) = @_;
	my @items;

	push @items, _decode($text) while $$text =~ /\G,/gc;
	return @items;
}

# The next request: its number, its verb, and the text, at the position after the verb.
sub _request
{
	local $/ = "\n"; # Whatever the module has set.
	my $line = readline $requests;

	$. = 0; # Else it is in the text of each exception, which would never be the same.
	CORE::exit(0) if !defined $line; # The collector has gone.
	die "a request is not understood\n" if $line !~ /\A\[([0-9]+),\["([a-z]+)"/g;
	return ($1, $2, \$line);
}

sub _reply
{
	my ($id, @failures) = @_;

	_send(@failures ? "FAILED $id " . @failures . " $failures[0]" : "DONE $id");
}

# A config item, as collectd gives it.
sub _config
{
	my %item = @{$_[0]};

	return { key => $item{key}, values => $item{values},
		children => [map { _config($_) } @{$item{children}}] };
}

sub _configure
{
	my ($number, $config) = @_;
	my $name = _text($config->{values}[0]);
	my $callback = _find(TYPE_CONFIG, $name);

	return if !defined $callback;
	_send("CONFIGURED $number");
	my $failure = _call($callback, $config);

	_error("the callback for <Plugin $name> has failed: $failure") if defined $failure;
}

sub _load
{
	my ($name) = @_;

	return 'is not the name of a module' if $name !~ /\A\w+(?:::\w+)*\z/;
	my $file = "$name.pm";

	$file =~ s{::}{/}g;
	{
		local $_;
		return if eval { require $file; 1 };
	}
	my $why = $@;

	# Without folders of Perl's own, and without the place above, which says nothing.
	$why =~ s/ \(you may need to install .*//s;
	$why =~ s/\n?(?:Compilation failed in require)? at \Q${\__FILE__}\E line \d+\.?\n?//g;
	return 'cannot be loaded: ' . _line($why);
}

sub _start
{
	my ($id, $settings) = @_;
	my %settings = @$settings;

	unshift @INC, @{$settings{module_path}};
	$others{$_} = 1 for @{$settings{others}};
	my $failure = _load($settings{import});

	if (defined $failure) {
		_reply($id, $failure);
		return;
	}
	my @configs = map { _config($_) } @{$settings{configs}};

	_configure($_, $configs[$_]) for 0 .. $#configs;
	for my $callback (@{$callbacks{+TYPE_INIT}}) {
		$failure = _call($callback);
		if (defined $failure) {
			_reply($id, "cannot be initialized: $failure");
			return;
		}
	}
	_reply($id);
}

sub _read
{
	my ($id, $name) = @_;
	my ($callback) = grep { _line($_->[0]) eq $name } @{$callbacks{+TYPE_READ}};

	_reply($id, defined $callback ? _call($callback) // () : ());
}

# A value list for callbacks.
sub _value_list
{
	my ($time, $every, $values, $host, $plugin, $plugin_instance, $type, $type_instance) = @_;

	return {
		values => [index($values, ',') < 0 ? 0 + $values : map { 0 + $_ } split /,/, $values],
		time => 0 + $time, interval => 0 + $every, host => $host, plugin => $plugin, type => $type,
		$plugin_instance ne '' ? (plugin_instance => $plugin_instance) : (),
		$type_instance ne '' ? (type_instance => $type_instance) : (),
	};
}

my $SAMPLE = qr/\G,\["([^"]*)","([^"]*)","([^"]*)","([^"]*)","([^"]*)",([0-9.]+),([0-9.]+),\[([^]]*)\]\]/;
my $ODD_SAMPLE = qr/\G,\[$STRING,$STRING,$STRING,$STRING,$STRING,([0-9.]+),([0-9.]+),\[([^]]*)\]\]/;

# Has the values of a request written; returns the failures.
sub _write_all
{
	my ($text) = @_;
	my $is_odd = index($$text, '\\') >= 0;
	my $sample = $is_odd ? $ODD_SAMPLE : $SAMPLE;
	my (@calls, @failures);

	{
		no strict 'refs';
		@calls = map { [\&{$_->[1]}, $_->[1]] } @{$callbacks{+TYPE_WRITE}};
	}
	while ($$text =~ /$sample/gc) {
		my @parts = ($6, $7, $8, $1, $2, $3, $4, $5);
		if ($is_odd) {
			$_ = _unescaped($_) for @parts[3 .. 7];
		}
		my $type = $parts[6];
		my $sources = $types{$type} // _type($type) // [];

		for my $call (@calls) {
			my $failure = _try(@$call, $type, [map { {%$_} } @$sources], _value_list(@parts));

			push @failures, $failure if defined $failure;
		}
	}
	return @failures;
}

# Values: this is done often, so it does not use _decode().
sub _write
{
	my ($id, $text) = @_;

	_reply($id, _hold(sub { _write_all($text) }));
}

sub _notification
{
	my %is = @{$_[0]};
	my @meta = @{delete $is{meta}};
	my %given = (severity => delete $is{severity}, time => delete $is{time});

	for my $part (grep { $is{$_} ne '' } keys %is) {
		$given{$part} = $is{$part};
	}
	while (my ($name, $value) = splice @meta, 0, 2) {
		push @{$given{meta}}, { name => $name, value => $value };
	}
	return \%given;
}

# Has all callbacks of a kind called, with what this returns.
sub _call_all
{
	my ($kind, $arguments) = @_;

	return map { _call($_, $arguments->()) // () } @{$callbacks{$kind}};
}

sub _log
{
	my ($id, $level, $line) = @_;

	$in_log = 1;
	print STDERR "$_\n" for _call_all(TYPE_LOG, sub { return ($level, $line) });
	$in_log = 0;
	_reply($id);
}

sub _stop
{
	_reply($_[0], _call_all(TYPE_SHUTDOWN, sub { return () }));
	CORE::exit(0);
}

sub _do
{
	my ($id, $verb, $text) = @_;

	return _write($id, $text) if $verb eq 'write';
	my @arguments = _arguments($text);

	return _read($id, @arguments) if $verb eq 'read';
	return _log($id, @arguments) if $verb eq 'log';
	return _learn_type(@arguments) if $verb eq 'type';
	return _start($id, @arguments) if $verb eq 'start';
	return _stop($id) if $verb eq 'stop';
	return _reply($id, _call_all(TYPE_NOTIF, sub { return _notification($arguments[0]) }))
		if $verb eq 'notify';
	if ($verb eq 'flush') { # collectd's age of all is 0.
		$arguments[0] = 0 if $arguments[0] < 0;
		return _reply($id, _call_all(TYPE_FLUSH, sub { return @arguments }));
	}
}

# --- The program --------------------------------------------------------------

# What a module, or a program that it runs, reads and prints must not get between the lines of the
# protocol.
sub _open
{
	open $requests, '<&', \*STDIN or die "cannot copy standard input: $!\n";
	open $output, '>&', \*STDOUT or die "cannot copy standard output: $!\n";
	open STDIN, '<', '/dev/null' or die "cannot open /dev/null: $!\n";
	open STDOUT, '>&', \*STDERR or die "cannot copy standard error: $!\n";
	select STDERR;
	$| = 1;
	select STDOUT;
	$| = 1;
}

sub _run
{
	$module = shift @ARGV;
	$owner = $$;
	$INC{'Collectd.pm'} = __FILE__;
	_open();
	while (1) {
		my $request = shift @waiting;

		_do($request ? @$request : _request());
	}
}

_run();
