/* SPDX-License-Identifier: MIT */
/* Lines out of bytes that come in pieces. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/kit/spawn.h>

struct spawn_lines {
	int fd;
	size_t max; /* Bytes of a line. */
	void (*line)(void *argument, const struct mc_child_line *);
	void *argument;
	struct mc_buffer rest; /* Of a line that has begun. */
	bool skipping;         /* It is too long. */
	uint64_t skipped;
};

/* Takes bytes, and changes them. */
void spawn_lines_add(struct spawn_lines *, char *bytes, size_t size);

/* Nothing comes any more. */
void spawn_lines_end(struct spawn_lines *);
