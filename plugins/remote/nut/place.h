/* SPDX-License-Identifier: MIT */
/* Where a UPS is, as upsc(8) takes it: "NAME[@HOST[:PORT]]", "NAME@[ADDRESS]:PORT". */
#pragma once

#include <stdbool.h>

struct place {
	char *name; /* In a memory of its own, as the others if they are given. */
	const char *host, *port;
};

/* False: it is no such text, and nothing is left to be freed. */
bool place_read(const char *text, struct place *);

void place_free(struct place *);
