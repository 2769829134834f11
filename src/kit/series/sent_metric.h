/* SPDX-License-Identifier: MIT */
/* The metric of a series that came under a name with tags, as from senders of InfluxDB's,
 * Graphite's and statsd's lines: see collector/metric.h.  It is set when its series is found, not
 * with each value.  The thread that fills the batch. */
#pragma once

#include <collector/metric.h>

struct mc_sent_metric {
	const char *name;
	const char *scope; /* NULL: none. */
	bool integer;
	bool of_host; /* Its resource is the host of its series. */
	struct mc_metric_label labels[MC_METRIC_LABELS_MAX];
	size_t labels_len;
};

/* Adds the tags of "KEY=VALUE;KEY=VALUE", which it changes and which is to stay; 'separators' are
 * what is between two tags, and between a key and its value: ";=".  The value of a tag without one
 * is "true", as in telegraf. */
void mc_sent_metric_add_tags(struct mc_sent_metric *, char *tags, const char separators[2]);

/* Its kind is that of the series' type.  A name that would be cut is not kept.  A NULL series is
 * fine. */
void mc_sent_metric_set(struct mc_batch *batch, struct mc_series *series,
			const struct mc_sent_metric *);
