# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by the shell programs that test: they print "ok NAME" or "not ok NAME:
# REASON" for all that they check, and go on.  Who sources this gives $checked,
# what stands before each name; $failed is 1 when a check has failed.
checked=
failed=0
patience=${MC_PATIENCE:-1}

ok()
{
	echo "ok $checked$1"
}

not_ok() # NAME REASON
{
	echo "not ok $checked$1: $2"
	failed=1
}

# check NAME COMMAND...: ok if the command succeeds; else its output is why.
check()
{
	local name=$1 said
	shift
	if said=$("$@" 2>&1); then
		ok "$name"
	else
		said=$(tail -n 8 <<<"$said" | tr '\n' ' ' | cut -c1-500)
		not_ok "$name" "'$*' failed: $said"
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

at_most() # NAME GOT LIMIT
{
	if awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && a + 0 <= b + 0) }'
	then
		ok "$1"
	else
		not_ok "$1" "got '$2', at most '$3' is allowed"
	fi
}

# in_time NAME MILLISECONDS LIMIT [BUSY]: at most so many, or as many times as many as
# tests/patience finds, or as BUSY says: then that was not the collector, but the machine.
in_time()
{
	local busy=$patience

	if [ "$2" -gt "$3" ] && [ -x "${BASH_SOURCE[0]%/*}/patience" ]; then
		busy=$("${BASH_SOURCE[0]%/*}/patience")
		[ "${4:-1}" -le "$busy" ] || busy=$4
	fi
	if [ "$2" -gt "$3" ] && [ "$2" -le $(($3 * busy)) ]; then
		echo "skip $checked$1: not measured, $2 ms: the machine is too busy"
	else
		at_most "$1" "$2" "$3"
	fi
}

# wait_for SECONDS COMMAND...: until it succeeds; seconds of an idle machine.  It is given
# up after four times as long: a machine that had nothing else to do when its patience
# was measured has some when another scenario, or a compiler, begins beside.  Who waits
# for what does come is not kept by that.  Afterwards $turns is how often it was tried.
wait_for()
{
	local end=$((SECONDS + 4 * $1 * patience))
	shift
	turns=1
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
		turns=$((turns + 1))
	done
}
