/* SPDX-License-Identifier: MIT */
/* Notes on samples while they are sorted under their metrics, or under those of
 * conventions: hosts with their labels, and for the plan that is made of a batch the places of its
 * values.  One thread at a time. */
#pragma once

#include "engine/otlp/otlp_sort.h"

/* The index of the resource of that series' host, with its labels as they are now. */
uint32_t otlp_notes_host(struct mc_otlp_writer *, const char *name);

/* Has places for the values of a sample, with the number of the last change of its metadata.
 * Returns the index of the first, from 0 on. */
uint32_t otlp_notes_places(struct mc_otlp_writer *, const struct mc_sample *, uint16_t change);
