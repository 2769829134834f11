# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by each step.  /srv/task/first has packages, /srv/task/next the same with a
# newer version.
set -u
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
# shellcheck source=tests/checks.sh
. /srv/task/checks.sh
checked=${0##*/}/

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
