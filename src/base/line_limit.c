/* SPDX-License-Identifier: MIT */
/* How often lines of one class may be logged. */
#include "base/line_limit.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"

/* FNV-1a (Fowler, Noll, Vo) of what is the same in all lines of a class. */
static uint64_t key_of(enum mc_level level, const char *line)
{
	uint64_t key = UINT64_C(0xcbf29ce484222325) ^ level;
	bool quoted = false;

	for (const char *c = line; *c != '\0'; c++) {
		if (*c == '\'')
			quoted = !quoted;
		else if (!quoted && (*c < '0' || *c > '9') && *c != '.')
			key = (key ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
	}
	return key;
}

/* Its own entry; else the least recently used one of a class without a pending report; else
 * NULL. */
static struct line_class *class_of(struct line_limit *limit, uint64_t key)
{
	struct line_class *oldest = NULL;

	for (size_t i = 0; i < LINE_LIMIT_CLASSES; i++) {
		struct line_class *class = &limit->classes[i];

		if (class->key == key)
			return class;
		if (class->left_out == 0 && (oldest == NULL || class->time < oldest->time))
			oldest = class;
	}
	if (oldest != NULL)
		*oldest = (struct line_class){ .key = key };
	return oldest;
}

bool line_limit_pass(struct line_limit *limit, enum mc_level level, const char *line, mc_time now)
{
	struct line_class *class = class_of(limit, key_of(level, line));

	if (class == NULL)
		return true;
	if (now < class->time) /* In a test, which has begun anew. */
		*class = (struct line_class){ .key = class->key };
	class->used -= (double)(now - class->time) * 1e-9 * LINE_LIMIT_PER_SECOND;
	if (class->used < 0)
		class->used = 0;
	class->time = now;
	if (class->used + 1 <= LINE_LIMIT_BURST) {
		class->used++;
		return true;
	}
	if (class->left_out++ == 0)
		class->since = now;
	class->level = level;
	text_copy(class->last, sizeof(class->last), line);
	return false;
}

bool line_limit_told(struct line_limit *limit, mc_time now, enum mc_level *level, char *out,
		     size_t size)
{
	for (size_t i = 0; i < LINE_LIMIT_CLASSES; i++) {
		struct line_class *class = &limit->classes[i];

		if (class->left_out == 0 || now - class->since < LINE_LIMIT_PAUSE)
			continue;
		snprintf(out, size, "and %" PRIu64 " more like it: %s", class->left_out,
			 class->last);
		*level = class->level;
		class->left_out = 0;
		return true;
	}
	return false;
}
