/* SPDX-License-Identifier: MIT */
/* HISTORY: former values of a series, which may lie on a disk. */
#pragma once

#include "errands.h"
#include "formats/plaintext/plaintext.h"

/* The errand that answers for the series 'name', which is copied.  Where 'span' has no end, it ends
 * now, or with the last value of a series that has ended; without a begin it is an hour long. */
struct errand *history_errand(const char *name, const struct mc_plain_span *span);
