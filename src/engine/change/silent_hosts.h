/* SPDX-License-Identifier: MIT */
/* Hosts whose series have all ended, which nobody expected: each is an alert until it sends again
 * or is forgotten, over restarts, too.  Notifications of it are those of silence.h, or of a judge.
 *
 * The store does not know which series a host has, so all of them are looked at, but rarely: when
 * a series of a host has ended, and the series that was seen last of that host has, too. */
#pragma once

#include <collector/plugin.h>

struct engine;
struct silent_hosts;

#define SILENT_HOSTS_MAX 10000                       /* More are not known. */
#define SILENT_HOSTS_LOOK (5 * MC_SECOND)            /* At one series of each. */
#define SILENT_HOSTS_WALK (10 * MC_SECOND)           /* At all series, ... */
#define SILENT_HOSTS_WALK_MORE (MC_MILLISECOND / 10) /* ... and so much later for each. */
#define SILENT_HOSTS_RARELY 10 /* Times, while nothing ends: one may come back otherwise named. */
#define SILENT_HOSTS_PLUGIN "collector"
#define SILENT_HOSTS_TYPE "sender"

struct silent_hosts *silent_hosts_new(void);
void silent_hosts_free(struct silent_hosts *);

/* A series has ended, 'silent' after its last value.  Thread: that of the engine's own read(). */
void silent_hosts_note(struct engine *, const struct mc_series *, mc_time silent);

/* Has those stand that send nothing any more, and ends the others.  Thread: as above. */
void silent_hosts_look(struct engine *, struct mc_ctx *self);

/* Ends those whose series all match the glob.  Thread: any. */
void silent_hosts_forget(struct engine *, const char *glob);
