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
lint_passed=$lint_build/tests/lint/$lint_name.passed
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

# objects: what the build made of src and plugins, a path each, but of tests, and of
# sources that have gone since.
objects()
{
	(cd "${lint_objects:-$lint_build}" && find src plugins -name '*.o' ! -name 'tests_*' 2>/dev/null) |
		sort | awk -v source="${lint_objects:+/dev/null}" -v top="$lint_source/" '
		{
			file = top $0
			sub(/\/\.libs/, "", file)
			sub(/\.o$/, ".c", file)
			match(file, /[^\/]*$/)
			name = substr(file, RSTART)
			sub(/^[a-z0-9_]*-/, "", name)
			file = source != "" ? source : substr(file, 1, RSTART - 1) name
			if ((getline line <file) >= 0)
				print
			close(file)
		}'
}

# unread LIST: what a lint that reads a build did not see: objects that are not in
# the file LIST, where it noted what it read, and sources without an object in a
# folder that has some.  A folder without any is a plugin that was not built.
unread()
{
	objects >"$lint_home/made"
	sort -u "$1" | comm -13 - "$lint_home/made" | sed 's/$/:0: this object was not read/'
	[ -z "${lint_objects-}" ] || return 0
	find src plugins -name '*.c' | sort | awk -v made="$lint_home/made" '
	function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
	BEGIN {
		while ((getline object <made) > 0) {
			sub(/\/\.libs/, "", object)
			sub(/\.o$/, ".c", object)
			built[folder(object)] = 1
			sub(/\/[a-z0-9_]*-/, "/", object)
			has[object] = 1
		}
	}
	folder($0) in built && !($0 in has) { print $0 ":0: it has no object" }'
}

# changed: of names of files on standard input, those that have changed since the lint
# last found nothing wrong in this build tree; all, if the lint has.  For rules that ask
# of each file alone.
changed()
{
	if [ "$PWD" = "$lint_source" ] && [ -e "$lint_passed" ] &&
		[ -z "$(find tests/lint/lint.sh "tests/lint/$lint_name" .clang-format \
			-cnewer "$lint_passed")" ]; then
		xargs -r sh -c 'find "$@" -maxdepth 0 -cnewer "$0"' "$lint_passed"
	else
		cat
	fi
}

# changed_units: likewise, of C files that are compiled: all, if a header has changed.
changed_units()
{
	if [ -n "$(sources | grep '\.h$' | changed)" ]; then
		cat
	else
		changed
	fi
}

lint()
{
	prove
	cd "$lint_source"
	touch "$lint_home/began"
	lint_said=$(check 2>&1) || lint_said="check failed: $lint_said"
	if [ -z "$lint_said" ]; then
		cp -p "$lint_home/began" "$lint_passed" 2>/dev/null || :
		exit 0
	fi
	printf '%s\n' "$lint_said"
	exit 1
}
