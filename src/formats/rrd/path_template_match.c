/* SPDX-License-Identifier: MIT */
/* The way back: from a path to the name of a series that it may be of. */
#include <stdio.h>
#include <string.h>

#include "formats/rrd/path_template.h"
#include "formats/rrd/path_template_field.h"

enum { TRIES_MAX = 4096 };

struct matching {
	struct mc_path_parts *parts;
	unsigned tries;
};

static bool match(struct matching *matching, const char *text, const char *path);

/* The part that a field is of, or NULL. */
static char *part_of(struct matching *matching, const struct mc_path_field *field)
{
	for (size_t i = 0; i < MC_PATH_PARTS; i++)
		if (mc_path_field_is(field, mc_path_part_names[i]))
			return matching->parts->items[i];
	return NULL;
}

/* Puts the begin of the path into the part; false: that cannot be. */
static bool take(char *part, const struct mc_path_field *field, const char *path, size_t size)
{
	char before[MC_PATH_PART_SIZE];

	if (size == 0 || size >= sizeof(before))
		return false;
	memcpy(before, path, size);
	before[size] = '\0';
	for (size_t i = 0; i < size; i++)
		if (before[i] == '/')
			before[i] = field->chars[0];
	if (*part != '\0' && strcmp(part, before) != 0)
		return false;
	memcpy(part, before, size + 1);
	return true;
}

/* The longest text that fits is the one: "a_b_1" is "a_b" and "1". */
static bool match_field(struct matching *matching, const struct mc_path_field *field,
			const char *text, const char *path)
{
	bool spans_folders = field->chars_size > 0 && field->becomes == '/';
	char *part = part_of(matching, field), kept[MC_PATH_PART_SIZE];

	if (mc_path_field_is(field, "kind"))
		return *path == matching->parts->kind && match(matching, text, path + 1);
	if (part == NULL)
		return false;
	memcpy(kept, part, sizeof(kept));
	for (size_t size = spans_folders ? strlen(path) : strcspn(path, "/"); size > 0; size--) {
		if (matching->tries++ >= TRIES_MAX)
			return false;
		if (take(part, field, path, size) && match(matching, text, path + size))
			return true;
		memcpy(part, kept, sizeof(kept));
	}
	return false;
}

static bool match(struct matching *matching, const char *text, const char *path)
{
	struct mc_path_field field;

	while (*text != '\0' && strncmp(text, "%{", 2) != 0)
		if (*text++ != *path++)
			return false;
	if (*text == '\0')
		return *path == '\0';
	return mc_path_field_parse(&text, &field) && match_field(matching, &field, text, path);
}

bool mc_path_template_match(const char *text, const char *path, char kind,
			    struct mc_path_parts *parts)
{
	struct matching matching = { parts, 0 };

	*parts = (struct mc_path_parts){ .kind = kind };
	return match(&matching, text, path);
}
