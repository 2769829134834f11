/* SPDX-License-Identifier: MIT */
#include "kit/net/spawn/spawn_lines.h"

static void hand_on(struct spawn_lines *lines, const char *text, size_t size, bool whole)
{
	const struct mc_child_line line = {
		.fd = lines->fd,
		.text = text,
		.size = size,
		.whole = whole,
	};

	if (lines->line != NULL)
		lines->line(lines->argument, &line);
}

static void keep(struct spawn_lines *lines, const char *bytes, size_t size)
{
	if (lines->skipping)
		return;
	if (size > lines->max - lines->rest.size) {
		lines->skipping = true;
		mc_buffer_clear(&lines->rest);
		return;
	}
	mc_buffer_add(&lines->rest, bytes, size);
}

/* The end of a line that has begun before. */
static void finish(struct spawn_lines *lines, const char *bytes, size_t size)
{
	keep(lines, bytes, size);
	if (lines->skipping)
		lines->skipped++;
	else
		hand_on(lines, lines->rest.at, lines->rest.size, true);
	lines->skipping = false;
	mc_buffer_clear(&lines->rest);
}

void spawn_lines_add(struct spawn_lines *lines, char *bytes, size_t size)
{
	char *newline;

	while ((newline = memchr(bytes, '\n', size)) != NULL) {
		size_t line_size = (size_t)(newline - bytes);

		*newline = '\0';
		if (lines->skipping || lines->rest.size > 0 || line_size > lines->max)
			finish(lines, bytes, line_size);
		else
			hand_on(lines, bytes, line_size, true);
		bytes += line_size + 1;
		size -= line_size + 1;
	}
	if (size > 0)
		keep(lines, bytes, size);
}

void spawn_lines_end(struct spawn_lines *lines)
{
	if (lines->skipping)
		lines->skipped++;
	else if (lines->rest.size > 0)
		hand_on(lines, lines->rest.at, lines->rest.size, false);
	mc_buffer_free(&lines->rest);
}
