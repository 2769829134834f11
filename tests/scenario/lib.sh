# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by every scenario: a folder of its own, and the daemon with what was
# built; tests/checks.sh has what says what was seen.
set -u
export LC_ALL=C TZ=UTC
scenario=${0%/scenario} # That of a plugin is named after the plugin.
scenario=${scenario##*/}
# Exported by tests/scenario/run, or given by hand.
source=$(cd "${source:-${BASH_SOURCE[0]%/*}/../..}" && pwd)
# shellcheck source=tests/checks.sh
. "$source/tests/checks.sh"
checked=$scenario/
build=$(cd "${build:-$source/build}" && pwd)
work=$(mktemp -d)
plugins=$work/plugins
socket=$work/socket
log=$work/log
pid=   # Of the daemon.
others=() # Of what else a scenario started.

leave()
{
	local one

	for one in $pid "${others[@]}"; do
		kill -9 "$one" 2>/dev/null
	done
	wait 2>/dev/null
	keep
	rm -rf "$work"
}

# keep: what was said, for tests/scenario/run, as kept.py does it.
keep()
{
	local file

	[ -n "${kept-}" ] || return
	find "$work" -xdev -type f -size +0 \( -name log -o -name out \
		-o -name '*.log' -o -name '*.out' \) |
		while read -r file; do
			tail -c 65536 "$file" >"$kept/${file##*/}"
			touch -r "$file" "$kept/${file##*/}"
		done
}
trap leave EXIT
trap 'exit 1' HUP INT TERM

skip() # REASON: there is nothing that this machine can show.
{
	echo "skip $scenario: $1"
	exit 0
}

# configure: what every scenario has, and the rest from standard input.
configure()
{
	mkdir -p "$plugins"
	ln -sf "$build"/.libs/*.so "$build"/tests/scenario/plugins/.libs/*.so \
		"$plugins"
	{
		echo "Hostname here"
		echo "BaseDir \"$work\""
		echo "LoadPlugin unixsock"
		echo "<Plugin unixsock>"
		echo "SocketFile \"$socket\""
		echo "</Plugin>"
		cat
	} >"$work/conf"
}

# start: the daemon, until it answers.
start()
{
	"$build/collectord" -f -C "$work/conf" --plugin-dir "$plugins" \
		2>>"$log" &
	pid=$!
	wait_for 15 ctl status && return
	not_ok start "no answer on the socket: $(tail -n 5 "$log")"
	exit 1
}

ctl()
{
	"$build/collectorctl" -t 60 -s "$socket" "$@"
}

# stop NAME [SECONDS]: the daemon obeys within 5 s, or fewer, and ends well.
stop()
{
	local start took status limit=${2:-5}
	start=$(date +%s%N)
	kill -TERM "$pid"
	wait_for 10 gone "$pid"
	took=$((($(date +%s%N) - start) / 1000000))
	# On an idle machine a turn of the wait takes little more than 100 ms.
	in_time "$1 within $limit s" $took $((limit * 1000)) $((took / turns / 120))
	kill -9 "$pid" 2>/dev/null
	wait "$pid"
	status=$?
	pid=
	equal "$1 with exit status 0" $status 0
}

# gone PID: it has ended, and at most waits for its parent.
gone()
{
	! grep -qs '^State:[[:space:]]*[^Z[:space:]]' "/proc/$1/status"
}

# ports NUMBER: so many that nobody has, see ports.py.
ports()
{
	python3 "$source/tests/scenario/ports.py" "$1"
}

# oracle WORD...: see oracle.py.
oracle()
{
	top_builddir=$build python3 "$source/tests/scenario/oracle.py" "$@"
}

# closes NAME: the ledger of the daemon.
closes()
{
	check "$1" oracle ledger "$socket"
}

# Before a command, where can_hide: it is nobody's, and sees only processes of its
# own user; the build is in $work/build, since a home may let only root in.
hidden=(unshare -m sh -c 'mount -t proc -o hidepid=2 proc /proc &&
	mount --bind "$0" "$1" && shift && exec setpriv --reuid 65534 \
		--regid 65534 --clear-groups --bounding-set -all "$@"'
	"$build" "$work/build")

can_hide()
{
	mkdir -p "$work/build"
	chmod 755 "$work"
	"${hidden[@]}" test -x "$work/build/collectord" &&
		! "${hidden[@]}" test -e /proc/1
} 2>/dev/null

# found FIGURE VERDICT: one of the figures of "oracle verify".
found()
{
	local word

	for word in $2; do
		[ "${word%%=*}" = "$1" ] && echo "${word#*=}"
	done
}

# figure JQ-LIKE-EXPRESSION: a Python expression over 's', the parsed output of
# collectorctl status --json.
figure()
{
	ctl status --json | python3 -c '
import json, sys
s = json.load(sys.stdin)
print(eval(sys.argv[1]))' "$1"
}
