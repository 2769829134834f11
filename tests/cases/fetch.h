/* SPDX-License-Identifier: MIT */
/* Histories as plugins that show them ask for, while the peer may have to answer. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct mc_ctx;
struct fetch;

/* "SECONDS POINTS [HOST/]PLUGIN/TYPE...": asks as the feed, in a thread of its own, for so many
 * points since so many seconds, for ten seconds at most. */
struct fetch *fetch_begin(struct mc_ctx *feed, const char *words);

/* If it has ended, or 'wait', prints the histories, averages and maxima of each source, and frees
 * it; false if it has not, or is NULL. */
bool fetch_end(struct fetch *, bool wait, FILE *out);
