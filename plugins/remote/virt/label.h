/* SPDX-License-Identifier: MIT */
/* Labels of a guest: its identity, for readers of its series elsewhere. */
#pragma once

#include <collector/plugin.h>
#include <collector/private/stream.h>

struct describe_labels;
struct guest;

/* Sets them, of a guest that has just been described; 'labels' may be NULL. */
void label_guest(struct mc_ctx *, const struct guest *guest, const struct describe_labels *labels);

/* Writes which stream its values are: see collector/private/stream.h; "" if that is not known, or
 * its host is not its own. */
void label_stream(struct mc_ctx *, const struct guest *guest, char stream[MC_STREAM_SIZE]);

/* Forgets them, if they are still those of that guest. */
void label_forget(struct mc_ctx *, const struct guest *guest);

/* Forgets those of guests that this read did not see. */
void label_sweep(struct mc_ctx *);
