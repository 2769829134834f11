/* SPDX-License-Identifier: MIT */
/* Labels for Prometheus: of series of ours as collectd 5.12's write_prometheus has them, of metrics
 * that have a name of their sender's as Prometheus has them from OTLP.  One thread.
 *
 * Sources: the OpenTelemetry specification, "Prometheus and OpenMetrics Compatibility", "Resource
 * Attributes" and "Metric Attributes"; those of ours were found by running collectd. */
#pragma once

#include <collector/metric.h>

/* --- Series of ours ------------------------------------------------------- */

struct labelling_of_series {
	const char *plugin, *plugin_instance, *type_instance, *host;
	const struct mc_field *more; /* Of its host, and its own; their names may be any. */
	unsigned more_len;
};

/* Calls visit() for each label, in the order {cpu="0",type="idle",instance="host"}.  A name may
 * have any characters: naming_character() says what becomes of them; each is there once then. */
typedef void labelling_visit(void *argument, const char *name, const char *value);
void labelling_each(const struct labelling_of_series *, labelling_visit *visit, void *argument);

/* The value of a label; "" if it is not there. */
const char *labelling_value(const struct labelling_of_series *, const char *name);

/* --- Sets ----------------------------------------------------------------- */

struct labelling_item {
	char *name, *value;
};

struct labelling {                    /* All zero: empty. */
	struct labelling_item *items; /* Sorted by name. */
	size_t len, room;
};

/* The label by which series differ that would else have the same name and labels: its value is the
 * name of the series here. */
#define LABELLING_SERIES "collectd_series"

/* Adds a label; in place of the one of that name. */
void labelling_set(struct labelling *, const char *name, const char *value);

/* Sets those of a point of that metric: its own, and "job" and "instance" of what was measured. */
void labelling_of_metric(struct labelling *, const struct mc_metric *, const char *host);

/* Sets those of its resource, for "target_info", if it is a service and has some besides "job" and
 * "instance"; false, and nothing set, if not. */
bool labelling_of_target(struct labelling *, const struct mc_metric *, const char *host);

/* Whether its resource is a service. */
bool labelling_is_of_target(const struct mc_metric *);

/* Frees all. */
void labelling_done(struct labelling *);
