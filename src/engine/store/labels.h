/* SPDX-License-Identifier: MIT */
/* Labels of hosts, for mc_label() and mc_each_label(): the one table of an engine.  Thread: any. */
#pragma once

#include <collector/plugin.h>

struct labels;

struct labels *labels_new(void);
void labels_free(struct labels *);

/* Replaces those that 'giver' has given the host, which are copied; none: forgets them.  Labels
 * beyond MC_LABELS_MAX, of others first, are dropped, and texts cut to MC_LABEL_SIZE.  False if
 * there are too many hosts. */
#define LABELS_HOSTS_MAX 65536
bool labels_set(struct labels *, const char *giver, const char *host, const struct mc_field *,
		unsigned len);

/* The labels of a host in a record of the journal: hold, in place of those of an earlier record,
 * until a plugin gives it labels.  Half of the room is for these, so that it suffices. */
void labels_recall(struct labels *, const char *host, const struct mc_field *, unsigned len);

/* Whether streams of guests (collector/private/stream.h) are no more shown to other collectors. */
bool labels_end_streams(const struct labels *);

/* Shows those of the host, of one name the newest, without a lock held; those for other collectors
 * alone only if 'hidden'.  Returns how many there are. */
unsigned labels_each(struct labels *, const char *host, bool hidden,
		     void (*visit)(void *argument, const struct mc_field *), void *argument);
