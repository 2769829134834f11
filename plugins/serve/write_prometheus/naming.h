/* SPDX-License-Identifier: MIT */
/* Names of metrics and labels of OpenTelemetry, as Prometheus 3 makes them of what its own OTLP
 * receiver gets, with its usual translation ("UnderscoreEscapingWithSuffixes").  Pure functions.
 *
 * Sources: the OpenTelemetry specification, "Prometheus and OpenMetrics Compatibility"; what the
 * tests of github.com/prometheus/otlptranslator expect. */
#pragma once

#include <collector/metric.h>

#define NAMING_SIZE 512 /* Of a name, with '\0'; longer ones are cut. */

/* "http.requests" in unit "By" is "http_requests_bytes_total", if it is a counter; 'unit' is as
 * OpenTelemetry spells it, or "".  False if nothing of the name is left. */
bool naming_metric(char out[NAMING_SIZE], const struct mc_metric *metric, const char *unit);

/* Whether something of its name is left. */
bool naming_has_name(const struct mc_metric *metric);

/* "By/s" is "bytes_per_second"; "" for no unit. */
void naming_unit(char out[NAMING_SIZE], const char *unit);

/* "http.method" is "http_method".  False if nothing of the name is left. */
bool naming_label(char out[NAMING_SIZE], const char *label);

/* A bound as the value of "le" or "quantile": as short as it is exact, without an exponent. */
#define NAMING_BOUND_SIZE 400
void naming_bound(char out[NAMING_BOUND_SIZE], double bound);
