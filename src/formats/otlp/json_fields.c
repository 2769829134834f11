/* SPDX-License-Identifier: MIT */
/* Facts: metrics.proto, logs.proto, common.proto and resource.proto of opentelemetry-proto 1.x. */
#include "formats/otlp/json_fields.h"

#include <stdbool.h>
#include <string.h>

#define FIELDS (const struct json_field[])

static const struct json_field *const fields_of[] = {
	[JSON_METRICS_REQUEST] =
		FIELDS{ { "resourceMetrics", 1, JSON_MESSAGE, JSON_RESOURCE_METRICS }, { 0 } },
	[JSON_LOGS_REQUEST] =
		FIELDS{ { "resourceLogs", 1, JSON_MESSAGE, JSON_RESOURCE_LOGS }, { 0 } },
	[JSON_RESOURCE_METRICS] = FIELDS{ { "resource", 1, JSON_MESSAGE, JSON_RESOURCE },
					  { "scopeMetrics", 2, JSON_MESSAGE, JSON_SCOPE_METRICS },
					  { 0 } },
	[JSON_RESOURCE_LOGS] = FIELDS{ { "resource", 1, JSON_MESSAGE, JSON_RESOURCE },
				       { "scopeLogs", 2, JSON_MESSAGE, JSON_SCOPE_LOGS },
				       { 0 } },
	[JSON_RESOURCE] = FIELDS{ { "attributes", 1, JSON_MESSAGE, JSON_KEY_VALUE }, { 0 } },
	[JSON_SCOPE_METRICS] = FIELDS{ { "scope", 1, JSON_MESSAGE, JSON_SCOPE },
				       { "metrics", 2, JSON_MESSAGE, JSON_METRIC },
				       { 0 } },
	[JSON_SCOPE_LOGS] = FIELDS{ { "scope", 1, JSON_MESSAGE, JSON_SCOPE },
				    { "logRecords", 2, JSON_MESSAGE, JSON_LOG_RECORD },
				    { 0 } },
	[JSON_SCOPE] = FIELDS{ { "name", 1, JSON_TEXT, 0 }, { 0 } },
	[JSON_KEY_VALUE] = FIELDS{ { "key", 1, JSON_TEXT, 0 },
				   { "value", 2, JSON_MESSAGE, JSON_ANY_VALUE },
				   { 0 } },
	[JSON_ANY_VALUE] = FIELDS{ { "stringValue", 1, JSON_TEXT, 0 },
				   { "boolValue", 2, JSON_BOOL, 0 },
				   { "intValue", 3, JSON_NUMBER, 0 },
				   { "doubleValue", 4, JSON_DOUBLE, 0 },
				   { "arrayValue", 5, JSON_MESSAGE, JSON_ARRAY_VALUE },
				   { "kvlistValue", 6, JSON_MESSAGE, JSON_KEY_VALUE_LIST },
				   /* In base64, and left so: it only distinguishes values. */
				   { "bytesValue", 7, JSON_TEXT, 0 },
				   { 0 } },
	[JSON_ARRAY_VALUE] = FIELDS{ { "values", 1, JSON_MESSAGE, JSON_ANY_VALUE }, { 0 } },
	[JSON_KEY_VALUE_LIST] = FIELDS{ { "values", 1, JSON_MESSAGE, JSON_KEY_VALUE }, { 0 } },
	[JSON_METRIC] = FIELDS{ { "name", 1, JSON_TEXT, 0 },
				{ "description", 2, JSON_TEXT, 0 },
				{ "unit", 3, JSON_TEXT, 0 },
				{ "gauge", 5, JSON_MESSAGE, JSON_GAUGE },
				{ "sum", 7, JSON_MESSAGE, JSON_SUM },
				{ "histogram", 9, JSON_MESSAGE, JSON_HISTOGRAM },
				{ "exponentialHistogram", 10, JSON_MESSAGE, JSON_EXPONENTIAL },
				{ "summary", 11, JSON_MESSAGE, JSON_SUMMARY },
				{ "metadata", 12, JSON_MESSAGE, JSON_KEY_VALUE },
				{ 0 } },
	[JSON_GAUGE] = FIELDS{ { "dataPoints", 1, JSON_MESSAGE, JSON_NUMBER_POINT }, { 0 } },
	[JSON_SUM] = FIELDS{ { "dataPoints", 1, JSON_MESSAGE, JSON_NUMBER_POINT },
			     { "aggregationTemporality", 2, JSON_TEMPORALITY, 0 },
			     { "isMonotonic", 3, JSON_BOOL, 0 },
			     { 0 } },
	[JSON_HISTOGRAM] = FIELDS{ { "dataPoints", 1, JSON_MESSAGE, JSON_HISTOGRAM_POINT },
				   { "aggregationTemporality", 2, JSON_TEMPORALITY, 0 },
				   { 0 } },
	[JSON_EXPONENTIAL] = FIELDS{ { "dataPoints", 1, JSON_MESSAGE, JSON_EXPONENTIAL_POINT },
				     { "aggregationTemporality", 2, JSON_TEMPORALITY, 0 },
				     { 0 } },
	[JSON_SUMMARY] = FIELDS{ { "dataPoints", 1, JSON_MESSAGE, JSON_SUMMARY_POINT }, { 0 } },
	[JSON_NUMBER_POINT] = FIELDS{ { "startTimeUnixNano", 2, JSON_FIXED, 0 },
				      { "timeUnixNano", 3, JSON_FIXED, 0 },
				      { "asDouble", 4, JSON_DOUBLE, 0 },
				      { "asInt", 6, JSON_FIXED, 0 },
				      { "attributes", 7, JSON_MESSAGE, JSON_KEY_VALUE },
				      { "flags", 8, JSON_NUMBER, 0 },
				      { 0 } },
	[JSON_HISTOGRAM_POINT] = FIELDS{ { "startTimeUnixNano", 2, JSON_FIXED, 0 },
					 { "timeUnixNano", 3, JSON_FIXED, 0 },
					 { "count", 4, JSON_FIXED, 0 },
					 { "sum", 5, JSON_DOUBLE, 0 },
					 { "bucketCounts", 6, JSON_FIXED, 0 },
					 { "explicitBounds", 7, JSON_DOUBLE, 0 },
					 { "attributes", 9, JSON_MESSAGE, JSON_KEY_VALUE },
					 { "flags", 10, JSON_NUMBER, 0 },
					 { "min", 11, JSON_DOUBLE, 0 },
					 { "max", 12, JSON_DOUBLE, 0 },
					 { 0 } },
	[JSON_EXPONENTIAL_POINT] = FIELDS{ { "attributes", 1, JSON_MESSAGE, JSON_KEY_VALUE },
					   { "startTimeUnixNano", 2, JSON_FIXED, 0 },
					   { "timeUnixNano", 3, JSON_FIXED, 0 },
					   { "count", 4, JSON_FIXED, 0 },
					   { "sum", 5, JSON_DOUBLE, 0 },
					   { "scale", 6, JSON_SIGNED, 0 },
					   { "zeroCount", 7, JSON_FIXED, 0 },
					   { "positive", 8, JSON_MESSAGE, JSON_BUCKETS },
					   { "negative", 9, JSON_MESSAGE, JSON_BUCKETS },
					   { "flags", 10, JSON_NUMBER, 0 },
					   { "min", 12, JSON_DOUBLE, 0 },
					   { "max", 13, JSON_DOUBLE, 0 },
					   { "zeroThreshold", 14, JSON_DOUBLE, 0 },
					   { 0 } },
	[JSON_BUCKETS] = FIELDS{ { "offset", 1, JSON_SIGNED, 0 },
				 { "bucketCounts", 2, JSON_NUMBER, 0 },
				 { 0 } },
	[JSON_SUMMARY_POINT] = FIELDS{ { "startTimeUnixNano", 2, JSON_FIXED, 0 },
				       { "timeUnixNano", 3, JSON_FIXED, 0 },
				       { "count", 4, JSON_FIXED, 0 },
				       { "sum", 5, JSON_DOUBLE, 0 },
				       { "quantileValues", 6, JSON_MESSAGE, JSON_QUANTILE },
				       { "attributes", 7, JSON_MESSAGE, JSON_KEY_VALUE },
				       { "flags", 8, JSON_NUMBER, 0 },
				       { 0 } },
	[JSON_QUANTILE] =
		FIELDS{ { "quantile", 1, JSON_DOUBLE, 0 }, { "value", 2, JSON_DOUBLE, 0 }, { 0 } },
	[JSON_LOG_RECORD] = FIELDS{ { "timeUnixNano", 1, JSON_FIXED, 0 },
				    { "severityNumber", 2, JSON_SEVERITY, 0 },
				    { "severityText", 3, JSON_TEXT, 0 },
				    { "body", 5, JSON_MESSAGE, JSON_ANY_VALUE },
				    { "attributes", 6, JSON_MESSAGE, JSON_KEY_VALUE },
				    { "observedTimeUnixNano", 11, JSON_FIXED, 0 },
				    { 0 } },
};

/* Whether the name is that one, with "_x" for its capital "X" or not. */
static bool is_name(const char *name, size_t size, const char *field)
{
	for (size_t i = 0; i < size; i++, field++) {
		char c = name[i];

		if (c == '_' && i + 1 < size && name[i + 1] >= 'a' && name[i + 1] <= 'z')
			c = (char)(name[++i] - 'a' + 'A');
		if (*field == '\0' || *field != c)
			return false;
	}
	return *field == '\0';
}

const struct json_field *json_fields_find(enum json_message message, const char *name, size_t size)
{
	const struct json_field *field = fields_of[message];

	while (field->name != NULL && !is_name(name, size, field->name))
		field++;
	return field->name != NULL ? field : NULL;
}
