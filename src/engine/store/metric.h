/* SPDX-License-Identifier: MIT */
/* Metrics of series, as their senders call them, for mc_set_metric() and mc_get_metric(): the one
 * table of a store.  Any thread.
 *
 * A series has a kept metric (56 bytes), which refers to shared parts: the family (name, scope,
 * kind), the labels of the point, and the labels of the resource.  All of it is in one room
 * (quota/room.h); a shared part is charged to its first user. */
#pragma once

#include <collector/metric.h>

#include "engine/store/quota/room.h"

struct mc_quota;
struct metric_table;

struct metric_table *metric_new(void);
void metric_free(struct metric_table *);

/* Keeps a copy for the series, charged to the quota; NULL: to none.  Returns some of
 * METADATA_CHANGED and METADATA_REFUSED (metadata.h): refused if there is no room, then nothing is
 * kept, or if labels were left out. */
unsigned metric_set(struct mc_series *, const struct mc_metric *, struct mc_quota *);

/* A series with a metric is being freed. */
void metric_leave(struct metric_table *, struct mc_series *);
