/* SPDX-License-Identifier: MIT */
/* Files that are part of the program; made by pack-assets. */
#pragma once

#include <stddef.h>

struct asset {
	const char *path; /* Of the URL. */
	const char *type;
	const char *tag;            /* Another one if the bytes are others. */
	const unsigned char *bytes; /* In gzip. */
	size_t size;
};
extern const struct asset asset_files[]; /* Ends with path NULL. */
