/* SPDX-License-Identifier: MIT */
/* Which metric of OpenTelemetry's semantic conventions a source of a series is: a table, made of
 * the files "metrics" beside the plugins.  A line of these has
 *
 *     type[-type_instance]  source  metric  kind  unit  divisor  attribute=value...
 *
 * A type instance of "*" stands for all others, a type without one for series that have none.  A
 * value divided by the divisor is in the unit.  In the value of an attribute {plugin_instance} and
 * {type_instance} stand for these, any other name for that attribute of the metadata; of
 * {mountpoint|plugin_instance} the first that is there is taken, and "{plugin_instance:int}" is a
 * number.  An attribute without a value is left out.  Either all sources of a type are in the
 * table, or none is.  Pure functions. */
#pragma once

#include <collector/metric.h>

struct convention {
	const char *plugin, *type;
	const char *type_instance; /* "": none; "*": any. */
	const char *source, *metric;
	enum mc_metric_kind kind;
	const char *unit; /* "By", as OpenTelemetry spells it. */
	double divisor;
	const char *attributes; /* "cpu.mode=iowait ..." */
};

/* The rows of the table from 0 on, in the order in which they are looked through; NULL at its end.
 */
const struct convention *convention_row(size_t index);

/* The row of that source of a series, or NULL. */
const struct convention *convention_find(const struct mc_series *, unsigned source);
