# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by the scenarios notify_*: who receives notifications, and the daemon's
# plugins for them.  $work/mail, icinga, alerts and hook are what came: see
# notify_peers.py; $work/nagios has the lines of the command file.

python=/usr/bin/python3
[ -x $python ] || python=python3
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
	-subj /CN=localhost -addext subjectAltName=DNS:localhost \
	-keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null ||
	skip "openssl makes no certificate"
$python "$source/tests/scenario/notify_peers.py" "$work" 2>"$work/peers.log" &
others+=($!)
wait_for 15 test -s "$work/ports" || {
	not_ok 'peers start' "$(tail -n 3 "$work/peers.log")"
	exit
}
read -r web_port mail_port <"$work/ports"
mkfifo "$work/nagios.cmd"

# A mail server that is not there shows only that nothing else waits for it.
mail=true
[ "$mail_port" -ne 0 ] || {
	mail=false
	mail_port=9
}

# configure_all: all plugins that notify.
configure_all()
{
	configure <<CONF
Interval 1
LoadPlugin load
LoadPlugin logfile
<Plugin logfile>
	File "$work/notices"
</Plugin>
LoadPlugin notify_email
<Plugin notify_email>
	SMTPServer "localhost"
	SMTPPort $mail_port
	TLS starttls
	CACert "$work/cert.pem"
	From "collector@example.org"
	Recipient "one@example.org"
	Recipient "nobody@example.org"
	Recipient "two@example.org"
	BatchFlushTimeout 4
	Timeout 8
</Plugin>
LoadPlugin notify_nagios
<Plugin notify_nagios>
	CommandFile "$work/nagios.cmd"
</Plugin>
LoadPlugin notify_icinga
<Plugin notify_icinga>
	URL "http://127.0.0.1:$web_port"
	User "collector"
	Password "secret"
</Plugin>
LoadPlugin notify_alertmanager
<Plugin notify_alertmanager>
	URL "http://127.0.0.1:$web_port"
	ResendInterval 2
</Plugin>
CONF
}

# reads: as Nagios does, line by line.
reads()
{
	cat <>"$work/nagios.cmd" >>"$work/nagios" &
	reader=$!
	others+=("$reader")
}

# tell SEVERITY INSTANCE MESSAGE
tell()
{
	ctl notify severity="$1" host=web1 plugin=df plugin_instance="$2" \
		type=percent_bytes type_instance=used "$3" >/dev/null
}

# count FILE PATTERN
count()
{
	grep -c -- "$2" "$work/$1" 2>/dev/null
}

# shellcheck disable=SC2317 # Called by wait_for.
has() # FILE PATTERN COUNT
{
	[ "$(count "$1" "$2")" -ge "$3" ]
}

lost()
{
	figure 'sum(w["lost_notices"] for w in s["writers"])'
}
