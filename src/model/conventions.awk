# SPDX-License-Identifier: MIT
# Lines of a file "metrics" beside a plugin (model/convention.h) as initialisers of C.
/^#/ || NF == 0 { next }
NF < 6 {
	print FILENAME ":" FNR ": fewer than six columns" | "cat >&2"
	exit 1
}
{
	instance = $1
	if (!sub(/^[^-]*-/, "", instance))
		instance = ""
	type = $1
	sub(/-.*/, "", type)
	attributes = ""
	for (i = 7; i <= NF; i++)
		attributes = attributes (i > 7 ? " " : "") $i
	printf "{ \"%s\", \"%s\", \"%s\", \"%s\", \"%s\", MC_METRIC_%s, \"%s\", %s, \"%s\" },\n", \
		plugin, type, instance, $2, $3, toupper($4), $5, $6, attributes
}
