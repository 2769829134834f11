/* SPDX-License-Identifier: MIT */
/* Names of the procedures of NFS, in the order of their numbers. */
#pragma once

#include <stddef.h>

struct names {
	const char *const *items;
	size_t len;
};

/* As many as the client's list has if the kernel knows 4.0 alone, and 4.1, since Linux 3.13. */
#define NAMES_CLIENT40_LEN 38
#define NAMES_CLIENT41_LEN 54

extern const struct names names_version2, names_version3, names_client4, names_server4;
