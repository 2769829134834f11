/* SPDX-License-Identifier: MIT */
/* File systems and thin pools of this host that hold images of guests: how full they are, and how
 * fast they fill.
 *
 * A thread of its own looks, once in IMAGE_SPACE_INTERVAL, as a network file system may hang; then
 * the folder that hangs is left out until its call comes back, and another thread looks at the
 * others. No more than IMAGE_SPACE_HUNG_MAX threads hang at a time.  All functions are the
 * reader's. */
#pragma once

#include <sys/types.h>

#include <collector/plugin.h>

#include "fill.h"

#define IMAGE_SPACE_INTERVAL (10 * MC_SECOND)
#define IMAGE_SPACE_HUNG_MAX 2
#define IMAGE_SPACE_FOLDERS_MAX 4096 /* Images in further ones are not looked at. */

struct image_spaces;

struct image_space {
	dev_t device;
	bool pool;                 /* Else a file system. */
	char name[FILL_NAME_SIZE]; /* Where it is mounted; "vg0/pool". */
	struct fill_trend trend;
	struct fill_trend metadata; /* Of a pool. */
};

struct image_spaces *image_space_new(void);
void image_space_free(
	struct image_spaces *); /* Leaves threads that hang to themselves; NULL is fine. */

/* Takes what was seen since the last time, and begins to look again if that is due; never waits. */
void image_space_report(struct mc_ctx *, struct image_spaces *);

/* The file system with that image, or the pool of that device; NULL without one, or if it is not
 * known yet.  Valid until the next image_space_report(). */
const struct image_space *image_space_find(struct image_spaces *, const char *image);
