/* SPDX-License-Identifier: MIT */
/* collector/private/convention.h - series of this tree's plugins under the names that
 * OpenTelemetry's semantic conventions have for them, for writers that are configured to use these.
 *
 * The table is made of the files "metrics" beside the plugins.  Each source of a series becomes a
 * point; several sources of a series may be points of one metric, with another attribute each.
 */
#pragma once

#include <collector/metric.h>

#pragma GCC visibility push(default)

struct mc_convention {
	struct mc_metric metric; /* To be released: mc_release_metric(). */
	const char *unit;        /* "By", as OpenTelemetry spells it. */
	double divisor;          /* A value divided by it is in that unit. */
};

/* Looks up the convention for that source of a series; 'resource' becomes the labels of its
 * resource.  False without one, and nothing to be released; then no source of the series has one.
 * Thread: any. */
bool mc_get_convention(const struct mc_series *series, unsigned source,
		       const struct mc_metric_labels *resource, struct mc_convention *out);

/* Is another number once the metadata have changed of which a convention is made.  Thread: any. */
unsigned mc_convention_state(const struct mc_series *series);

#pragma GCC visibility pop

/* The option of a writer that knows both kinds of names. */
enum mc_names {
	MC_NAMES_COLLECTD,
	MC_NAMES_OTEL,
};
#define MC_NAMES_OPTION(self, field)                                                               \
	{                                                                                          \
		"Names", MC_OPT_WORD(self, field),                                                 \
			.default_value = "collectd",                                               \
			.words = (const char *const[]){ [MC_NAMES_COLLECTD] = "collectd",          \
							[MC_NAMES_OTEL] = "otel",                  \
							NULL },                                    \
			.help = "Names of what the collector measures: collectd's, or those of "   \
				"OpenTelemetry's semantic conventions where these have one.",      \
	}
