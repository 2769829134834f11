/* SPDX-License-Identifier: MIT */
/* Metrics of series, as their senders call them, for mc_set_metric() and mc_get_metric(): the one
 * table of a store.  Any thread.
 *
 * A series has a kept metric (56 bytes), which refers to shared parts: the family (name, scope,
 * kind), the labels of the point, and the labels of the resource.  All of it is in one room
 * (quota/room.h); a shared part is charged to its first user.  The catalogue has the metrics of
 * series that have ended, which are charged to a quota of its own: so are parts that nobody else
 * uses any more. */
#pragma once

#include <collector/metric.h>

#include "engine/store/quota/room.h"

struct label_set;
struct label_shared;
struct mc_quota;
struct metric_family;
struct metric_kept;
struct metric_table;

struct metric_table *metric_new(void);
void metric_free(struct metric_table *);

/* Keeps a copy for the series, charged to the quota; NULL: to none.  Returns some of
 * METADATA_CHANGED and METADATA_REFUSED (metadata.h): refused if there is no room, then nothing is
 * kept, or if labels were left out. */
unsigned metric_set(struct mc_series *, const struct mc_metric *, struct mc_quota *);

/* Keeps a copy that is of no series until it is released, mc_release_metric(); charged to no quota.
 * False without room. */
bool metric_make(struct metric_table *, const struct mc_metric *, struct mc_metric *out);

/* Bytes of all metrics. */
size_t metric_bytes(struct metric_table *);

/* A series with a metric is being freed. */
void metric_leave(struct metric_table *, struct mc_series *);

/* --- The catalogue: metrics without a series --------------------------------- */

/* The metric of a series, to be let go; NULL if it has none. */
struct metric_kept *metric_hold(const struct mc_series *);

/* One more reference to what is held. */
struct metric_kept *metric_hold_kept(struct metric_kept *);
void metric_let_go(struct metric_kept *); /* NULL is fine. */

/* As long as it is held. */
struct mc_metric metric_view(const struct metric_kept *);

/* Of both NULL is fine. */
bool metric_is_same(const struct metric_kept *, const struct metric_kept *);

/* The same metric as that of a series that has ended, to be let go; NULL without room. */
struct metric_kept *metric_end(const struct metric_kept *);

/* Gives it to a series without one; false if that has one. */
bool metric_give(struct mc_series *, struct metric_kept *);

/* Shared parts, which the catalogue writes once. */
struct metric_parts {
	struct metric_family *family;
	struct label_set *scope, *labels, *resource;
};
struct metric_parts metric_parts(const struct metric_kept *);
struct label_shared *metric_family_shared(struct metric_family *);

/* Parts that were read, to be let go; NULL without room.  Of the metric of a family everything but
 * its part, bound, labels and resource counts. */
struct label_set *metric_hold_labels(struct metric_table *, const struct mc_metric_labels *);
void metric_let_go_labels(struct metric_table *, struct label_set *);
struct metric_family *metric_hold_family(struct metric_table *, const struct mc_metric *);
void metric_let_go_family(struct metric_table *, struct metric_family *);

/* A metric of them, with the part and the rest of 'metric', of a series that has ended: to be let
 * go; NULL without room. */
struct metric_kept *metric_join(struct metric_table *, const struct mc_metric *,
				const struct metric_parts *);
