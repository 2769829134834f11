/* SPDX-License-Identifier: MIT */
/* The last answer of a guest about its disks, to be repeated while that cannot have changed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "decode.h"

struct counters {                    /* All zero: it has not answered. */
	struct decode_device *items; /* Followed by their texts. */
	size_t len, size;            /* Used; bytes of the allocation. */
};

/* Keeps a copy in place of the one before; whether it is another. */
bool counters_keep(struct counters *counters, const struct decode_devices *disks);

/* Puts the copy into 'disks', whose texts point into it then. */
void counters_show(const struct counters *counters, struct decode_devices *disks);

void counters_free(struct counters *counters);
