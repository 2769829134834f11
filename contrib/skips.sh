# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by contrib/check: what may be left out, by the list contrib/may-skip below $top.

# may_skip NAME: the list has it.
may_skip()
{
	local pattern

	while IFS=$'\t' read -r pattern _; do
		# shellcheck disable=SC2053 # It is a pattern.
		[[ $1 != $pattern ]] || return 0
	done < <(grep -v '^#' "$top/contrib/may-skip")
	return 1
}

# unlisted: of lines "NAME: REASON" of what was skipped, prints those that may not be.  A
# busy machine may leave out what measures time.
unlisted()
{
	local line

	while IFS= read -r line; do
		may_skip "${line%%: *}" || [[ $line == *': not measured, '* ]] || echo "$line"
	done
}

# not_built TREE: prints the plugins that configure.ac knows and TREE lacks.
not_built()
{
	local plugin

	while read -r plugin; do
		[ -e "$1/.libs/$plugin.so" ] || may_skip "plugin $plugin" || echo "$plugin"
	done < <(sed -n 's/^MC_PLUGIN(\[\([a-z0-9_]*\)\].*/\1/p' "$top/configure.ac")
}
