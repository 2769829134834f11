/* SPDX-License-Identifier: MIT */
/* For how long a resource is looked at closely: from the first read in which it seems contended on,
 * until it has not for a while. */
#pragma once

#include <stdbool.h>

#define LOOK_READS 10 /* After the last one that seemed contended. */

struct look { /* All zero: nobody looks. */
	unsigned left;
	bool has_begun; /* Set by the reader that has looked: it has something to compare with. */
};

/* Takes a read; whether it looks closely. */
static inline bool look_take(struct look *look, bool is_contended)
{
	if (is_contended)
		look->left = LOOK_READS;
	else if (look->left > 0)
		look->left--;
	return look->left > 0;
}
