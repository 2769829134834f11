/* SPDX-License-Identifier: MIT */
/* Shared by the files of the OTLP codec; the rest of its interface is collector/private/otlp.h.
 * Numbers of fields are those of opentelemetry-proto 1.x. */
#pragma once

#include <string.h>

#include "formats/otlp/otlp.h"

/* Fields, in the message that their name begins with. */
enum {
	OTLP_REQUEST_RESOURCES = 1, /* Of metrics, and of logs. */
	OTLP_RESOURCES_RESOURCE = 1,
	OTLP_RESOURCES_SCOPES = 2,
	OTLP_RESOURCE_ATTRIBUTES = 1,
	OTLP_SCOPES_SCOPE = 1,
	OTLP_SCOPES_ITEMS = 2, /* Metrics, or log records. */
	OTLP_SCOPE_NAME = 1,
	OTLP_SCOPE_VERSION = 2,
	OTLP_SCOPE_ATTRIBUTES = 3,
	OTLP_PAIR_KEY = 1,
	OTLP_PAIR_VALUE = 2,
	OTLP_ANY_STRING = 1,
	OTLP_ANY_BOOL = 2,
	OTLP_ANY_INT = 3,
	OTLP_ANY_DOUBLE = 4,
	OTLP_METRIC_NAME = 1,
	OTLP_METRIC_DESCRIPTION = 2,
	OTLP_METRIC_UNIT = 3,
	OTLP_METRIC_GAUGE = 5,
	OTLP_METRIC_SUM = 7,
	OTLP_METRIC_HISTOGRAM = 9,
	OTLP_METRIC_EXPONENTIAL = 10,
	OTLP_METRIC_SUMMARY = 11,
	OTLP_METRIC_METADATA = 12,
	OTLP_DATA_POINTS = 1, /* Of all forms of metrics. */
	OTLP_SUM_TEMPORALITY = 2,
	OTLP_SUM_MONOTONIC = 3,
	OTLP_POINT_START = 2,
	OTLP_POINT_TIME = 3,
	OTLP_POINT_DOUBLE = 4,
	OTLP_POINT_INT = 6,
	OTLP_POINT_ATTRIBUTES = 7,
	OTLP_POINT_FLAGS = 8,
	OTLP_POINT_COUNT = 4, /* Of histograms and summaries, as the next. */
	OTLP_POINT_SUM = 5,
	OTLP_HISTOGRAM_COUNTS = 6,
	OTLP_HISTOGRAM_BOUNDS = 7,
	OTLP_HISTOGRAM_ATTRIBUTES = 9,
	OTLP_HISTOGRAM_MIN = 11,
	OTLP_HISTOGRAM_MAX = 12,
	OTLP_EXPONENTIAL_ATTRIBUTES = 1,
	OTLP_EXPONENTIAL_SCALE = 6,
	OTLP_EXPONENTIAL_ZEROS = 7,
	OTLP_EXPONENTIAL_POSITIVE = 8,
	OTLP_EXPONENTIAL_NEGATIVE = 9,
	OTLP_EXPONENTIAL_MIN = 12,
	OTLP_EXPONENTIAL_MAX = 13,
	OTLP_EXPONENTIAL_THRESHOLD = 14,
	OTLP_BUCKETS_OFFSET = 1,
	OTLP_BUCKETS_COUNTS = 2,
	OTLP_SUMMARY_QUANTILES = 6,
	OTLP_QUANTILE_QUANTILE = 1,
	OTLP_QUANTILE_VALUE = 2,
	OTLP_POINT_RATE = 1000,  /* Ours, in the journal. */
	OTLP_POINT_PARTS = 1001, /* Ours, of foreign metrics that a collector sends on. */
	OTLP_LOG_TIME = 1,
	OTLP_LOG_SEVERITY = 2,
	OTLP_LOG_SEVERITY_TEXT = 3,
	OTLP_LOG_BODY = 5,
	OTLP_LOG_ATTRIBUTES = 6,
	OTLP_LOG_OBSERVED = 11,
};

enum { OTLP_DELTA = 1, OTLP_CUMULATIVE = 2 }; /* Temporality. */
enum { OTLP_NO_VALUE = 1 };                   /* A flag of data points. */
enum { OTLP_INFO = 9, OTLP_WARN = 13, OTLP_ERROR = 17 };

#define OTLP_PART_MAX 127 /* Bytes of a part of a name, as in collectd. */

#define OTLP_KEY_HOST "host.name"
#define OTLP_KEY_KIND "collector.kind"
#define OTLP_KEY_INTERVAL "collector.interval"
#define OTLP_KEY_PLUGIN_INSTANCE "plugin_instance"
#define OTLP_KEY_TYPE_INSTANCE "type_instance"
#define OTLP_KEY_SOURCE "source"
#define OTLP_KEY_PLUGIN "plugin" /* These two only of notifications. */
#define OTLP_KEY_TYPE "type"
#define OTLP_SCOPE "collector/" /* Then the plugin. */
#define OTLP_SCOPE_NOTICE "collector/notification"

/* Attributes of a foreign point. */
#define OTLP_PAIRS_MAX 32

#define OTLP_HASH_SIZE 16 /* Of a hash as a text. */

/* The type of cumulative sums of seconds with a fraction, which become milliseconds. */
#define OTLP_TYPE_SECONDS "total_time_in_ms"

#define OTLP_UNKNOWN_PARTS "parts of a name in another form"
#define OTLP_NO_SERIES "name, type or number of series is not accepted"
#define OTLP_NO_OWNER "another resource of the request has that series"
#define OTLP_NO_TYPE "type has other sources here"
#define OTLP_VALUELESS "point without a value"
#define OTLP_MANY_ATTRIBUTES "more than 32 attributes"
#define OTLP_LONG_ATTRIBUTES "attributes of more than 127 bytes"
#define OTLP_LONG_NAME "name of more than 127 bytes"
#define OTLP_UNCLEAR "another instance of the service may still send these series"

/* A kind, as it is spelled in metadata. */
extern const char *const otlp_kind_names[4];

/* --- Reading: texts stay in the request --------------------------------- */

static inline struct mc_otlp_text otlp_text(struct mc_otlp_span span)
{
	return (struct mc_otlp_text){ (const char *)span.at, (size_t)(span.end - span.at) };
}

static inline bool otlp_text_is(struct mc_otlp_text text, const char *is)
{
	return strlen(is) == text.size && memcmp(text.at, is, strlen(is)) == 0;
}

static inline bool otlp_text_begins(struct mc_otlp_text text, const char *with)
{
	return text.size >= strlen(with) && memcmp(text.at, with, strlen(with)) == 0;
}

/* Whether a point of ours has its name by that attribute; all others are labels. */
static inline bool otlp_names_series(struct mc_otlp_text key)
{
	return otlp_text_is(key, OTLP_KEY_PLUGIN_INSTANCE) ||
	       otlp_text_is(key, OTLP_KEY_TYPE_INSTANCE) || otlp_text_is(key, OTLP_KEY_SOURCE);
}

/* Copies what fits, up to a '\0' in the text, which ends it. */
static inline void otlp_copy(char *out, size_t size, struct mc_otlp_text text)
{
	size_t kept = strnlen(text.at, text.size < size ? text.size : size - 1);

	memcpy(out, text.at, kept);
	out[kept] = '\0';
}

struct otlp_pair { /* An attribute. */
	struct mc_otlp_text key;
	unsigned template;        /* OTLP_ANY_STRING, …; 0: none. */
	struct mc_otlp_text text; /* Of other forms than numbers: the bytes. */
	uint64_t number;          /* The bits, of all but strings. */
};

/* The key of an attribute, and its value as it is encoded; what it lacks stays as it is. */
void otlp_pair_split(struct mc_otlp_span, struct mc_otlp_text *key, struct mc_otlp_span *value,
		     bool *broken);

/* False if it is broken, which is also reported to the caller. */
bool otlp_pair_read(struct otlp_pair *, struct mc_otlp_span, bool *broken);

struct otlp_pairs { /* The attributes of a point. */
	struct otlp_pair items[OTLP_PAIRS_MAX];
	unsigned len;
	bool cut; /* There were more. */
};

static inline void otlp_pairs_add(struct otlp_pairs *pairs, struct mc_otlp_span span, bool *broken)
{
	if (pairs->len == OTLP_PAIRS_MAX)
		pairs->cut = true;
	else if (otlp_pair_read(&pairs->items[pairs->len], span, broken))
		pairs->len++;
}

static inline struct mc_otlp_text otlp_literal(const char *text)
{
	return (struct mc_otlp_text){ text, strlen(text) };
}

/* Reads the value into an attribute that has form 0 and no text. */
void otlp_any_read(struct otlp_pair *, struct mc_otlp_span, bool *broken);

/* NULL, or why the text cannot be part of a name. */
const char *otlp_part_fault(struct mc_otlp_text);

/* Reads a log record as the notification of 'otlp'.  NULL, or why it is rejected. */
const char *otlp_record_read(struct mc_otlp *, struct mc_otlp_span);
