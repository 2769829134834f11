/* SPDX-License-Identifier: MIT */
/* Takes a stream apart: see collector/private/stream.h.  Pure. */
#pragma once

#include <stdbool.h>

#define STREAM_PART_SIZE 64

struct stream {
	char generation[STREAM_PART_SIZE], uuid[STREAM_PART_SIZE], hypervisor[STREAM_PART_SIZE];
	bool migrated;
};

/* False, and nothing set, if the text is invalid. */
bool stream_parse(const char *text, struct stream *stream);
