/* SPDX-License-Identifier: MIT */
/* kit/base/report.h - what the collector says about itself and its series,
 * as records of keys and values: for those that answer in a format of their
 * own, so that all of them use the same keys.  In libkit.
 *
 * A record is about one thing: what it is, then pairs of key and value.
 * Durations that can be short are in nanoseconds, all other times in seconds.
 * The keys are described in doc/collectorctl.schema.json.
 *
 * Any thread. */
#pragma once

#include <collector/control.h>
#include <collector/serve.h>

struct mc_metadata;
struct mc_metric;

struct mc_report { /* Where records go; part of a struct of the caller. */
	const struct mc_report_calls *calls;
};

struct mc_report_calls {
	void (*begin)(struct mc_report *, const char *about);
	void (*text)(struct mc_report *, const char *key, const char *value);
	void (*count)(struct mc_report *, const char *key, uint64_t value);
	void (*whole)(struct mc_report *, const char *key, int64_t value);
	void (*number)(struct mc_report *, const char *key, double value);
	void (*seconds)(struct mc_report *, const char *key, mc_time value);
	void (*truth)(struct mc_report *, const char *key, bool value);
	void (*end)(struct mc_report *);
};

/* --- The collector ------------------------------------------------------- */

/* One record "collector"; at most one "reload" and one "journal". */
void mc_report_collector(struct mc_ctx *, struct mc_report *);
void mc_report_reload(struct mc_ctx *, struct mc_report *);
void mc_report_journal(struct mc_ctx *, struct mc_report *);

/* Records "reader", "writer", "quota", "alert", "past_alert", "silence". */
void mc_report_readers(struct mc_ctx *, struct mc_report *);
void mc_report_writers(struct mc_ctx *, struct mc_report *);
void mc_report_quotas(struct mc_ctx *, struct mc_report *);
void mc_report_alerts(struct mc_ctx *, struct mc_report *);
void mc_report_past_alerts(struct mc_ctx *, struct mc_report *);
void mc_report_silences(struct mc_ctx *, struct mc_report *);

/* --- A series ------------------------------------------------------------ */

struct mc_report_series { /* It needs not be there. */
	const struct mc_name_parts *parts;
	const struct mc_type *type;
	bool known; /* It has a value: that in 'latest'. */
	struct mc_latest latest;
};

/* Looks up metadata of the series of that name; false if its type is unknown. */
bool mc_report_find(struct mc_ctx *, const struct mc_name_parts *, struct mc_report_series *);

/* One record "series", one "type"; records "source", "metadata" and its
 * "attribute", at most one "metric", and its "metric_label"s, "label" of its host, "judge",
 * "destination", "keeper", for which it waits for disks. */
void mc_report_series(struct mc_report *, const struct mc_report_series *);
void mc_report_type(struct mc_report *, const struct mc_report_series *);
void mc_report_sources(struct mc_report *, const struct mc_report_series *);
void mc_report_metadata(struct mc_ctx *, struct mc_report *, const struct mc_report_series *);
void mc_report_attributes(struct mc_ctx *, struct mc_report *, const struct mc_report_series *);
void mc_report_metric(struct mc_ctx *, struct mc_report *, const struct mc_report_series *);
void mc_report_metric_labels(struct mc_ctx *, struct mc_report *, const struct mc_report_series *);
void mc_report_labels(struct mc_ctx *, struct mc_report *, const struct mc_report_series *);
void mc_report_judges(struct mc_ctx *, struct mc_report *, const struct mc_report_series *);
void mc_report_destinations(struct mc_ctx *, struct mc_report *, const struct mc_report_series *);
void mc_report_keepers(struct mc_ctx *, struct mc_report *, const struct mc_report_series *);

/* Writes the fields of a record "metric" or "metadata" into one that is begun. */
void mc_report_metric_of(struct mc_report *, const struct mc_metric *);
void mc_report_metadata_of(struct mc_report *, const char *source, const struct mc_metadata *);
