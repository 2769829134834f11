# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by every lint.  A lint defines check(), which runs in the top folder of
# a tree and prints "file:line: what is wrong", and prove(), which says what it
# must find (offend) and what it must let pass (allow); it ends with: lint.
# A rule that cannot fail is no rule, so prove() runs first, every time.
set -eu
export LC_ALL=C
lint_name=${0##*/}
lint_build=$(cd "${top_builddir:-.}" && pwd)
lint_source=$(cd "${top_srcdir:-.}" && pwd)
lint_home=$(mktemp -d)
trap 'rm -rf "$lint_home"' EXIT

# tree_with FILE TEXT: what check() says of a tree that holds that file alone.
tree_with()
{
	rm -rf "$lint_home/tree"
	mkdir -p "$lint_home/tree/$(dirname "$1")"
	printf '%s\n' "$2" >"$lint_home/tree/$1"
	(cd "$lint_home/tree" && check 2>&1) || :
}

offend()
{
	tree_with "$@" | grep -q "^$1:" && return
	echo "$lint_name is blind: finds nothing in $1: $2"
	exit 1
}

allow()
{
	lint_said=$(tree_with "$@")
	[ -z "$lint_said" ] && return
	echo "$lint_name complains in vain: $lint_said"
	exit 1
}

# sources [FOLDER...]: the C files below them; by default, all of ours.
sources()
{
	[ $# -gt 0 ] || set -- include src plugins tests
	find "$@" -name '*.[ch]' 2>/dev/null | sort
}

lint()
{
	prove
	cd "$lint_source"
	lint_said=$(check 2>&1) || lint_said="check failed: $lint_said"
	[ -z "$lint_said" ] && exit 0
	printf '%s\n' "$lint_said"
	exit 1
}
