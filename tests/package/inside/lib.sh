# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by each step: the words to say what was seen.  /srv/task/first has packages,
# /srv/task/next the same with a newer version.
set -u
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
step=${0##*/}

ok()
{
	echo "ok $step: $1"
}

not_ok() # NAME REASON
{
	echo "not ok $step: $1: $2"
}

# check NAME COMMAND...: ok if the command succeeds; else its output is why.
check()
{
	local name=$1 said
	shift
	if said=$("$@" 2>&1); then
		ok "$name"
	else
		not_ok "$name" "$(tail -n 8 <<<"$said" | tr '\n' ' ' | cut -c1-500)"
		return 1
	fi
}

equal() # NAME GOT WANTED
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "got '$2', wanted '$3'"
	fi
}

wait_for() # SECONDS COMMAND...: until it succeeds.
{
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
	done
}

fails() # COMMAND...
{
	! "$@"
}

# install_packages first|next
install_packages()
{
	apt-get -q -y --no-install-recommends --allow-downgrades --reinstall \
		install "/srv/task/$1"/*.deb
}

# change_to first|next: the same by dpkg alone, which takes less time.
change_to()
{
	dpkg -i "/srv/task/$1"/*.deb
}

main_pid()
{
	systemctl show -p MainPID --value collector
}

# is_another PID: the collector runs, and is not that process.
is_another()
{
	local pid
	pid=$(main_pid)
	[ "${pid:-0}" -gt 0 ] && [ "$pid" != "$1" ] && collectorctl status
}

has_value()
{
	collectorctl get '*/load/load'
}

# says TEXT FILE
says()
{
	grep -F -e "$1" "$2" || { cat "$2"; return 1; }
}
