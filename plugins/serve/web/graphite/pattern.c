/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "The Render URL API", Paths and Wildcards. */
#include "pattern.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

bool pattern_is_plain(const char *pattern)
{
	return strpbrk(pattern, "*?[{") == NULL;
}

/* --- Alternatives -------------------------------------------------------- */

static bool add_pattern(struct pattern *glob, const char *text)
{
	unsigned stars = 0;

	for (const char *at = text; *at != '\0'; at++)
		stars += *at == '*';
	if (glob->len == PATTERN_ALTERNATIVES || stars > PATTERN_STARS)
		return false;
	glob->patterns[glob->len++] = mc_alloc_copy(text);
	return true;
}

/* Puts alternatives in place of the first braces of each pattern, until none
 * has any: there are at most PATTERN_ALTERNATIVES rounds. */
static bool expand(struct pattern *glob, const char *text)
{
	const char *open = strchr(text, '{');
	const char *close = open != NULL ? strchr(open, '}') : NULL;
	bool fits = true;

	if (close == NULL)
		return add_pattern(glob, text);
	for (const char *at = open + 1; fits && at <= close;) {
		size_t size = strcspn(at, ",}");
		char one[PATTERN_SIZE];
		size_t before = (size_t)(open - text);

		memcpy(one, text, before);
		memcpy(one + before, at, size);
		memcpy(one + before + size, close + 1, strlen(close + 1) + 1);
		/* A pattern that is not yet whole waits at the end. */
		fits = add_pattern(glob, one);
		at += size + 1;
	}
	return fits;
}

static bool expand_all(struct pattern *glob)
{
	for (unsigned i = 0; i < glob->len;) {
		char *text = glob->patterns[i];
		const char *open = strchr(text, '{');
		bool fits;

		if (open == NULL || strchr(open, '}') == NULL) {
			i++;
			continue;
		}
		glob->patterns[i] = glob->patterns[--glob->len];
		fits = expand(glob, text);
		free(text);
		if (!fits)
			return false;
	}
	return true;
}

static unsigned count_components(const char *text)
{
	unsigned len = 1;

	for (; *text != '\0'; text++)
		len += *text == '/';
	return len;
}

static void swap(char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '.')
			*text = '/';
}

bool pattern_init(struct pattern *glob, const char *pattern)
{
	*glob = (struct pattern){ .len = 0 };
	if (strlen(pattern) >= PATTERN_SIZE || !add_pattern(glob, pattern) || !expand_all(glob)) {
		pattern_done(glob);
		return false;
	}
	for (unsigned i = 0; i < glob->len; i++)
		swap(glob->patterns[i]);
	glob->components = glob->len > 0 ? count_components(glob->patterns[0]) : 0;
	return true;
}

void pattern_done(struct pattern *glob)
{
	while (glob->len > 0)
		free(glob->patterns[--glob->len]);
}

/* --- Matching ------------------------------------------------------------ */

static bool matches(const struct pattern *glob, const char *path)
{
	for (unsigned i = 0; i < glob->len; i++)
		if (fnmatch(glob->patterns[i], path, FNM_PATHNAME | FNM_NOESCAPE) == 0)
			return true;
	return false;
}

bool pattern_matches(const struct pattern *glob, const char *path)
{
	size_t size;

	return pattern_begins(glob, path, &size) && path[size] == '\0';
}

bool pattern_begins(const struct pattern *glob, const char *path, size_t *size)
{
	char begin[PATTERN_SIZE];
	unsigned components = 0;

	for (*size = 0; path[*size] != '\0'; ++*size) {
		components += path[*size] == '.';
		if (components == glob->components || *size + 1 >= PATTERN_SIZE)
			break;
		begin[*size] = path[*size];
	}
	begin[*size] = '\0';
	swap(begin);
	return matches(glob, begin);
}
