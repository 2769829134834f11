/* SPDX-License-Identifier: MIT */
/* The machine-readable page of mod_status, "?auto".  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct status_figure {
	bool known;
	uint64_t value;
};

struct status {
	struct status_figure requests, bytes; /* Since the server started. */
	struct status_figure busy, idle;      /* Workers, or servers. */
	bool has_scoreboard;
	unsigned slots[256]; /* How many have that character. */
};

/* Reads a page that ends with '\0'.  False: nothing of it is known. */
bool status_read(const char *text, struct status *);
