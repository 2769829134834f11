/* SPDX-License-Identifier: MIT */
/* The hosts whose values came from each partition: when it goes to another member of the group they
 * fall silent here.  One thread. */
#pragma once

#include <stdbool.h>

#include <collector/kit/map.h>

struct partition;

struct hosts {
	size_t len_max;      /* Beyond, the one longest unheard is forgotten. */
	struct mc_lru names; /* Of struct hosts_item. */
};

void hosts_init(struct hosts *, size_t len_max);
void hosts_done(struct hosts *);

/* Takes down that a value of the host came from that partition.  Returns whether hosts_leave() was
 * called for it since the last one. */
bool hosts_note(struct hosts *, const char *host, const struct partition *);

/* That of the last value of the host; NULL: none is known. */
const struct partition *hosts_find(const struct hosts *, const char *host, size_t size);

/* The partition is not read any more, or is again: shows its hosts. */
typedef void hosts_show(void *argument, const char *host);
void hosts_leave(struct hosts *, const struct partition *, hosts_show *show, void *argument);
void hosts_return(struct hosts *, const struct partition *, hosts_show *show, void *argument);
