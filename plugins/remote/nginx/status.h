/* SPDX-License-Identifier: MIT */
/* The page of nginx's module stub_status.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct status {
	uint64_t active;
	uint64_t accepted, handled, requests; /* Since the server started. */
	uint64_t reading, writing, waiting;
};

/* Reads a page that ends with '\0'.  False: it is not one. */
bool status_read(const char *text, struct status *);
