/* SPDX-License-Identifier: MIT */
/* Labels of hosts, for mc_label() and mc_each_label(): the one table of an
 * engine.  Any thread. */
#pragma once

#include <collector/plugin.h>

struct labels;

struct labels *labels_new(void);
void labels_free(struct labels *);

/* Replaces those that 'giver' has given the host, which are copied; none:
 * forgets them.  What is beyond MC_LABELS_MAX, of others first, or
 * MC_LABEL_SIZE is cut.  False if there are too many hosts. */
#define LABELS_HOSTS_MAX 65536
bool labels_set(struct labels *, const char *giver, const char *host, const struct mc_field *,
		unsigned len);

/* What a record of the journal says of a host: holds, instead of what an
 * earlier one has said, until somebody gives it labels.  Half of the room is
 * for these, so that nobody wants for it. */
void labels_recall(struct labels *, const char *host, const struct mc_field *, unsigned len);

/* Shows those of the host, of one name the newest, without a lock held. Returns
 * how many there are. */
unsigned labels_each(struct labels *, const char *host,
		     void (*visit)(void *argument, const struct mc_field *), void *argument);
