# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/lint/words and contrib/figures: the prose of the tree, and the
# phrases that plain English has no use for.  A line is "name|pattern|instead";
# the patterns are extended ones, for a text in one line.
prose_phrases='
who ...s as a subject|(^|[^a-z])[Ww]ho (sends|reads|asks|writes|waits|comes|gets|has|knows|makes|tells|says|looks|takes|uses|wants|begins|needs|shows|gives|leaves|calls|fills|commits|follows|removes|pauses|floods|listens)([^a-z]|$)|name the actor: the sender, the caller
is none|(^|[^a-z])(is|are|was|were) none([^a-z]|$)|is invalid, is not one of, without one
not well|(^|[^a-z])not well([^a-z]|$)|bad, failing
is told|(^|[^a-z])(is|are|was|were|be|been) (told|said)([^a-z]|$)|report, log, print, notify
tell|(^|[^a-z_])([Tt]ells?|[Tt]old|[Tt]elling)([^a-z_(.]|[.]($| )|$)|report, log, print, notify, show
likewise|(^|[^a-z])[Ll]ikewise([^a-z]|$)|the same
behind|(^|[^a-z])[Bb]ehind([ ,.;:)]|$)|after
so many|(^|[^a-z])[Ss]o many([^a-z]|$)|that many, number of
What as a subject|(^|[.!?] )What [a-z]+ [^?]*([.:;]|$)|a noun phrase
what as a subject|[:;] what (is|was|are|were|has|had|does|did|came|comes|cannot|remains|waits|follows) [^?]*([.:;]|$)|a noun phrase
Of as a beginning|(^|[.!?] )Of (what|who)([^a-z]|$)|a noun phrase'

# What is fine where a pattern above would not have it.
prose_fine='s/(leaves?|left)( [a-z]+)? behind//; s/[Bb]ehind (a proxy|the clock|Prometheus)//'

# prose FILE...: the comments and texts of C files, and the paragraphs of others, one
# a line: "file:line: text".
prose()
{
	awk '
	function put() {
		gsub(/[ \t]+/, " ", text)
		sub(/^ /, "", text)
		sub(/ $/, "", text)
		if (text != "")
			print FILENAME ":" begin ": " text
		text = ""
	}
	FNR == 1 {
		inside = 0
		is_c = FILENAME ~ /\.[ch]$/
	}
	FNR == 1 && NR > 1 { text = "" }
	is_c {
		line = $0
		for (;;) {
			if (inside) {
				sub(/^[ \t]*\*([^\/]|$)/, " ", line)
				end = index(line, "*/")
				text = text " " (end ? substr(line, 1, end - 1) : line)
				if (!end)
					break
				line = substr(line, end + 2)
				inside = 0
				put()
			}
			if (!match(line, /"([^"\\]|\\.)*"|\/\*/))
				break
			inside = substr(line, RSTART, 2) == "/*"
			if (inside)
				begin = FNR
			else if (substr(line, RSTART, RLENGTH) ~ / /)
				print FILENAME ":" FNR ": " substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
		}
		next
	}
	/^[ \t]*$/ { put(); next }
	text == "" { begin = FNR }
	{ text = text " " $0 }
	END { if (!is_c) put() }' "$@"
}

# Of the names of files on standard input those whose prose counts: C, and the manuals.
prose_files()
{
	grep -E '^(include|src|plugins|contrib|doc)/|^[A-Z]*\.md$' |
		grep -vE '/(cases|corpus|root[0-9]*)/' |
		grep -E '\.[ch]$|(^|/)manual\.txt$|^doc/.*\.man$|\.md$'
}
