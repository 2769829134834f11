/* SPDX-License-Identifier: MIT */
/* Names for Prometheus: those of collectd 5.12's write_prometheus for series of ours; for metrics
 * and labels of OpenTelemetry those that Prometheus 3 makes of what its own OTLP receiver gets,
 * with its usual translation ("UnderscoreEscapingWithSuffixes").  Pure functions.
 *
 * Sources: the OpenTelemetry specification, "Prometheus and OpenMetrics Compatibility"; what the
 * tests of github.com/prometheus/otlptranslator expect; collectd's were found by running it. */
#pragma once

#include <collector/metadata.h>
#include <collector/metric.h>

#include "formats/otlp/otlp_unit.h"

#define NAMING_SIZE 512 /* Of a name, with '\0'; longer ones are cut. */

/* The name of a series of ours: "collectd_cpu_total" of plugin cpu, type cpu, "value"; what a name
 * cannot have becomes '_'. */
void naming_collectd(char out[NAMING_SIZE], const char *plugin, const struct mc_type *,
		     unsigned source);

/* The character that stands for 'c' in such a name, and in the name of a label. */
static inline char naming_character(char c, bool first)
{
	bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
		    (!first && c >= '0' && c <= '9');

	return kept ? c : '_';
}

/* Whether a label of one's own can have that name: those with "__" in front are Prometheus'. */
bool naming_is_label(const char *name);

/* Whether Prometheus has it as a counter.  A value that each read resets is not one, though
 * collectd calls it so. */
static inline bool naming_is_counter(enum mc_kind kind)
{
	return kind == MC_COUNTER || kind == MC_DERIVE;
}

/* "http.requests" in unit "By" is "http_requests_bytes_total", if it is a counter; 'unit' is as
 * OpenTelemetry spells it, or "".  False if nothing of the name is left. */
bool naming_metric(char out[NAMING_SIZE], const struct mc_metric *metric, const char *unit);

/* Whether something of its name is left. */
bool naming_has_name(const struct mc_metric *metric);

/* Counts have no unit: that of another part is the metric's. */
static inline bool naming_is_of_count(enum mc_metric_part part)
{
	return part == MC_METRIC_COUNT || part == MC_METRIC_BUCKET;
}

/* Whether its numbers are seconds with a fraction that came by OTLP, and are kept in
 * milliseconds. */
bool naming_is_seconds(const struct mc_type *);

/* The unit of a series as OpenTelemetry spells it, or "": that of its metadata, which may be NULL,
 * or else of its type. */
void naming_sent_unit(char out[OTLP_UNIT_SIZE], const struct mc_type *,
		      const struct mc_metadata *metadata);

/* The end of the name of that part of a histogram or summary: "_bucket"; or "". */
const char *naming_suffix(enum mc_metric_part part);

/* "By/s" is "bytes_per_second"; "" for no unit. */
void naming_unit(char out[NAMING_SIZE], const char *unit);

/* "http.method" is "http_method".  False if nothing of the name is left. */
bool naming_label(char out[NAMING_SIZE], const char *label);

/* A bound as the value of "le" or "quantile": as short as it is exact, without an exponent. */
#define NAMING_BOUND_SIZE 400
void naming_bound(char out[NAMING_BOUND_SIZE], double bound);
