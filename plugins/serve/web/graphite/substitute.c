/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "Functions", aliasSub; Python's, re.sub. */
#include "substitute.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>
#include <collector/kit/number.h>
#include <collector/kit/regex.h>

#define SIZE_MAXIMUM ((size_t)64 * 1024) /* Bytes that come out. */

struct mc_regex *substitute_regex(const struct call *call, unsigned argument)
{
	const char *text = call->arguments[argument].text;
	char why[128];
	struct mc_regex *regex = mc_regex_new(text, why, sizeof(why));

	if (regex == NULL)
		evaluation_fail(call->evaluation, "%s(): invalid regular expression '%.200s': %s",
				call->name, text, why);
	return regex;
}

/* The number of a group, after the backslash; its text ends at '*at'.  False without one. */
static bool take_group(const char **at, uint64_t *group)
{
	const char *next = *at;
	bool named = strncmp(next, "g<", 2) == 0;

	next += named ? 2 : 0;
	if (!mc_number_take(&next, 10, group) || *group > 99 || (named && *next++ != '>'))
		return false;
	*at = next;
	return true;
}

static void add_replacement(struct mc_buffer *out, const struct mc_regex *regex, const char *text,
			    const char *by)
{
	while (*by != '\0') {
		const char *next = by + 1;
		size_t start, size;
		uint64_t group;

		if (*by != '\\') {
			mc_buffer_add(out, by, 1);
		} else if (take_group(&next, &group)) {
			if (mc_regex_group(regex, (unsigned)group, &start, &size))
				mc_buffer_add(out, text + start, size);
		} else {
			next += *next == '\\';
			mc_buffer_add(out, by, 1);
		}
		by = next;
	}
}

char *substitute(struct mc_regex *regex, bool anchored, const char *text, const char *by)
{
	struct mc_buffer out = { 0 };
	size_t start, size;

	mc_buffer_add(&out, "", 0);
	while (out.size < SIZE_MAXIMUM && mc_regex_match(regex, text, strlen(text)) == 1 &&
	       mc_regex_group(regex, 0, &start, &size)) {
		mc_buffer_add(&out, text, start);
		add_replacement(&out, regex, text, by);
		text += start + size;
		if (anchored || (size == 0 && *text == '\0'))
			break;
		if (size == 0) /* On with the next byte. */
			mc_buffer_add(&out, text++, 1);
	}
	mc_buffer_add(&out, text, strlen(text));
	return out.at;
}
