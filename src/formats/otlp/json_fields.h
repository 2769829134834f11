/* SPDX-License-Identifier: MIT */
/* The messages of OTLP that are read: names of their fields in JSON, and numbers in protobuf. */
#pragma once

#include <stddef.h>

enum json_kind {
	JSON_TEXT,
	JSON_FIXED,  /* 64 bits, with a sign or without. */
	JSON_DOUBLE, /* 64 bits. */
	JSON_NUMBER, /* A varint. */
	JSON_SIGNED, /* A varint, of 32 bits in zigzag. */
	JSON_BOOL,
	JSON_TEMPORALITY, /* Enumerations: a number, or its name. */
	JSON_SEVERITY,
	JSON_MESSAGE,
};

enum json_message {
	JSON_METRICS_REQUEST,
	JSON_LOGS_REQUEST,
	JSON_RESOURCE_METRICS,
	JSON_RESOURCE_LOGS,
	JSON_RESOURCE,
	JSON_SCOPE_METRICS,
	JSON_SCOPE_LOGS,
	JSON_SCOPE,
	JSON_KEY_VALUE,
	JSON_ANY_VALUE,
	JSON_ARRAY_VALUE,
	JSON_KEY_VALUE_LIST,
	JSON_METRIC,
	JSON_GAUGE,
	JSON_SUM,
	JSON_HISTOGRAM,
	JSON_EXPONENTIAL,
	JSON_SUMMARY,
	JSON_NUMBER_POINT,
	JSON_HISTOGRAM_POINT,
	JSON_EXPONENTIAL_POINT,
	JSON_BUCKETS,
	JSON_SUMMARY_POINT,
	JSON_QUANTILE,
	JSON_LOG_RECORD,
};

struct json_field {
	const char *name;
	unsigned number;
	enum json_kind kind;
	enum json_message message; /* If the kind is JSON_MESSAGE. */
};

/* The field of that name, as it is in JSON or in protobuf (a_name for aName);
 * NULL: it is not read. */
const struct json_field *json_fields_find(enum json_message, const char *name, size_t size);
