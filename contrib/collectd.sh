#!/bin/bash
# SPDX-License-Identifier: MIT
# What adopt and shadow know of this host's collectd.  conf is its configuration, where
# that is known.

# shellcheck source=contrib/services.sh
. "${BASH_SOURCE[0]%/*}/services.sh"

# find_conf: what collectd was started with, or would be.
find_conf()
{
	local pid word next=no file
	pid=$(service_pid collectd)
	if [ "$pid" -gt 0 ] && [ -r "/proc/$pid/cmdline" ]; then
		while IFS= read -r -d '' word; do
			[ $next = no ] || { echo "$word"; return 0; }
			[ "$word" != -C ] || next=yes
		done <"/proc/$pid/cmdline"
	fi
	for file in /etc/collectd/collectd.conf /etc/collectd.conf; do
		[ ! -e $file ] || { echo $file; return 0; }
	done
	return 1
}

# configuration: its text, with what it includes by the names that are usual.
configuration()
{
	cat "$conf" "${conf%/*}"/collectd.conf.d/*.conf \
		"${conf%/*}"/collectd.d/*.conf /etc/collectd.d/*.conf 2>/dev/null
}

# options NAME: values of an option in the configuration.
options()
{
	configuration |
		sed -n "s/^[[:space:]]*$1[[:space:]]\\{1,\\}\"\\{0,1\\}\\([^\"]*\\).*/\\1/Ip" |
		sed 's/[[:space:]]*$//'
}

# their_socket: that of collectd's plugin unixsock.
their_socket()
{
	local theirs
	theirs=$(options SocketFile | head -n 1)
	echo "${theirs:-/var/run/collectd-unixsock}"
}

# intervals: "PLUGIN SECONDS" of each that the configuration names, the longest that is
# somewhere in its blocks; "* SECONDS" is the longest of all, ". SECONDS" that of the
# rest.
intervals()
{
	configuration | awk '
	function value(text)
	{
		gsub(/"/, "", text)
		return text + 0
	}
	function named(text)
	{
		sub(/^[[:space:]]*<?[[:alpha:]]+[[:space:]]+"?/, "", text)
		sub(/[">[:space:]].*/, "", text)
		return text
	}
	{ word = tolower($1) }
	word == "loadplugin" { known[named($0)] }
	word == "<loadplugin" || word == "<plugin" { known[plugin = named($0)] }
	word == "</loadplugin>" || word == "</plugin>" { plugin = "" }
	word == "interval" && plugin == "" { rest = value($2) }
	word == "interval" && plugin != "" && value($2) > known[plugin] {
		known[plugin] = value($2)
	}
	END {
		longest = rest = rest > 0 ? rest : 10
		for (plugin in known) {
			seconds = known[plugin] > rest ? known[plugin] : rest
			longest = seconds > longest ? seconds : longest
			print plugin, seconds
		}
		print "*", longest
		print ".", rest
	}'
}
