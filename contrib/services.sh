#!/bin/bash
# SPDX-License-Identifier: MIT
# Services of this host, by the command that it has for them: of systemd, OpenRC, or
# scripts in /etc/init.d.

# service_manager: systemd, openrc or sysvinit.
service_manager()
{
	if [ -d /run/systemd/system ]; then
		echo systemd
	elif [ -e /run/openrc/softlevel ] && command -v rc-service >/dev/null; then
		echo openrc
	else
		echo sysvinit
	fi
}
manager=$(service_manager)

# service_is_there NAME
service_is_there()
{
	case $manager in
	systemd) systemctl cat "$1.service" >/dev/null 2>&1 ;;
	*) [ -x "/etc/init.d/$1" ] ;;
	esac
}

# service_do VERB NAME: start, stop, restart or status.  A daemon does not inherit what
# the caller has open.
service_do()
{
	case $manager in
	systemd) systemctl "$1" "$2.service" ;;
	openrc) rc-service "$2" "$1" ;;
	*) (cd / && "/etc/init.d/$2" "$1" </dev/null >/dev/null) ;;
	esac
}

# service_is_active NAME
service_is_active()
{
	case $manager in
	systemd) systemctl -q is-active "$1.service" ;;
	*) service_is_there "$1" && service_do status "$1" ;;
	esac >/dev/null 2>&1
}

# service_is_enabled NAME: whether a boot starts it.
service_is_enabled()
{
	case $manager in
	systemd) systemctl -q is-enabled "$1.service" 2>/dev/null ;;
	openrc) compgen -G "/etc/runlevels/*/$1" >/dev/null ;;
	*) compgen -G "/etc/rc[2-5].d/S[0-9][0-9]$1" >/dev/null ||
		compgen -G "/etc/rc.d/rc[2-5].d/S[0-9][0-9]$1" >/dev/null ;;
	esac
}

# service_enable NAME
service_enable()
{
	case $manager in
	systemd) systemctl -q enable "$1.service" ;;
	openrc) rc-update -q add "$1" default ;;
	*)
		if command -v update-rc.d >/dev/null; then
			update-rc.d "$1" defaults && update-rc.d "$1" enable
		else
			chkconfig "$1" on
		fi
		;;
	esac
}

# service_disable NAME
service_disable()
{
	case $manager in
	systemd) systemctl -q disable "$1.service" ;;
	openrc) rc-update -q -a del "$1" ;;
	*)
		if command -v update-rc.d >/dev/null; then
			update-rc.d "$1" defaults-disabled && update-rc.d "$1" disable
		else
			chkconfig "$1" off
		fi
		;;
	esac 2>/dev/null
}

# service_pid NAME: its process; 0: not known.
service_pid()
{
	local pid
	case $manager in
	systemd) pid=$(systemctl show -p MainPID --value "$1.service" 2>/dev/null) ;;
	*) pid=$(pgrep -xo "$1") ;;
	esac
	echo "${pid:-0}"
}

# service_hint NAME: where people look why it does not start.
service_hint()
{
	case $manager in
	systemd) echo "systemctl status $1" ;;
	openrc) echo "rc-service $1 status" ;;
	*) echo "/etc/init.d/$1 status" ;;
	esac
}
