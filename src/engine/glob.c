/* SPDX-License-Identifier: MIT */
/* Literal parts with '*' between them: the first one begins the text, the last
 * one ends it, and the others follow each other, each as early as it can. */
#include "engine/glob.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define PARTS_MAX 16

struct glob {
	char *pattern;      /* NULL: all match. */
	unsigned parts_len; /* 0: it is fnmatch()'s; 1: there is no '*'. */
	struct part {
		const char *text; /* In 'literal'. */
		size_t size;
	} parts[PARTS_MAX];
	char literal[]; /* Without '*' and without escapes. */
};

/* False if it is more than literal parts. */
static bool take_apart(struct glob *glob)
{
	struct part *part = glob->parts;
	char *out = glob->literal;

	*part = (struct part){ out, 0 };
	for (const char *at = glob->pattern; *at != '\0'; at++) {
		if (*at == '*') {
			if (++part == glob->parts + PARTS_MAX)
				return false;
			*part = (struct part){ out, 0 };
			continue;
		}
		if (*at == '?' || *at == '[' || (*at == '\\' && at[1] == '\0'))
			return false;
		if (*at == '\\')
			at++;
		*out++ = *at;
		part->size++;
	}
	glob->parts_len = (unsigned)(part - glob->parts) + 1;
	return true;
}

struct glob *glob_new(const char *pattern)
{
	size_t size = pattern != NULL ? strlen(pattern) : 0;
	struct glob *glob = alloc_zero(sizeof(*glob) + size);

	if (pattern == NULL)
		return glob;
	glob->pattern = alloc_copy(pattern);
	if (!take_apart(glob))
		glob->parts_len = 0;
	return glob;
}

void glob_free(struct glob *glob)
{
	free(glob->pattern);
	free(glob);
}

/* Names are short: memmem(3) would prepare longer than it searches. */
static const char *find_part(const char *text, size_t size, const struct part *part)
{
	const char *last;

	if (part->size == 0)
		return text;
	if (part->size > size)
		return NULL;
	last = text + size - part->size;
	while ((text = memchr(text, part->text[0], (size_t)(last - text) + 1)) != NULL) {
		if (memcmp(text, part->text, part->size) == 0)
			return text;
		if (text++ == last)
			return NULL;
	}
	return NULL;
}

/* The parts between the first and the last one. */
static bool matches_between(const struct glob *glob, const char *text, size_t size)
{
	for (unsigned i = 1; i + 1 < glob->parts_len; i++) {
		const struct part *part = &glob->parts[i];
		const char *found = find_part(text, size, part);

		if (found == NULL)
			return false;
		size -= (size_t)(found - text) + part->size;
		text = found + part->size;
	}
	return true;
}

static bool matches_parts(const struct glob *glob, const char *text, size_t size)
{
	const struct part *first = glob->parts;
	const struct part *last = &glob->parts[glob->parts_len - 1];

	if (glob->parts_len == 1)
		return size == first->size && memcmp(text, first->text, size) == 0;
	if (size < first->size + last->size ||
	    (first->size > 0 && memcmp(text, first->text, first->size) != 0) ||
	    (last->size > 0 && memcmp(text + size - last->size, last->text, last->size) != 0))
		return false;
	return matches_between(glob, text + first->size, size - first->size - last->size);
}

bool glob_matches(const struct glob *glob, const char *text, size_t size)
{
	if (glob->pattern == NULL)
		return true;
	return glob->parts_len > 0 ? matches_parts(glob, text, size)
				   : fnmatch(glob->pattern, text, 0) == 0;
}
