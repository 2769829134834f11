/* SPDX-License-Identifier: MIT */
/* OpenTelemetry's protocol (OTLP): requests, which are read item by item, and replies.
 * collector/private/otlp.h puts requests into batches, and writes them.
 *
 * A batch is an ExportMetricsServiceRequest, a notification an ExportLogsServiceRequest, both in
 * protobuf.  Samples are read back as they were written, bit by bit:
 *
 *   host             attribute "host.name" of the resource
 *   plugin           name of the scope: "collector/" and the plugin
 *   type             name of the metric: plugin, ".", type
 *   instances        attributes "plugin_instance" and "type_instance" of the
 *                    data point, where there are any
 *   labels           further attributes of the data point, of a series without a
 *                    foreign name (collector/metric.h)
 *   sources          a data point each, one after the other, with an attribute
 *                    "source"; without it where the type has only one
 *   kind, interval   metadata "collector.kind" and "collector.interval" (ns) of
 *                    the metric, and what OTLP itself has for kinds:
 *   unit             that of the metric, in UCUM's spelling; as metadata
 *                    of the source have it (collector/metadata.h), or its type
 *   metadata         description of the metric: their attribute "info".  Another
 *                    description or unit makes another metric, of the same
 *                    name
 *   GAUGE            gauge, as_double
 *   COUNTER, DERIVE  cumulative sum, as_int; monotonic if a counter, or if the
 *                    source has a minimum of 0 or more
 *   ABSOLUTE         delta sum, as_int, with the interval before it
 *   severity         17 ERROR, 13 WARN, 9 INFO; its text "FAILURE", "WARNING",
 *                    "OKAY"
 *
 * The 64 bits of COUNTER and ABSOLUTE are as_int as they are: from 2^63 on a foreign receiver sees
 * a negative number, which is a reset to it; ours goes by the kind.
 *
 * Names of a foreign sender map as follows, a sample for each point:
 *
 *   host             "host.name" of the resource; else "service.instance.id"
 *                    unless it is ephemeral, else "k8s.pod.name", else the
 *                    caller's
 *   plugin           "service.name"; else "otlp"
 *   plugin instance  name of the metric
 *   type             "derive": cumulative monotonic sum, or
 *                    "total_time_in_ms" if it is in seconds with a fraction
 *                    "absolute": delta monotonic sum of integers
 *                    "gauge": all else, integers as doubles
 *   type instance    attributes that distinguish the resource from others, and
 *                    attributes of the point, "key=value", joined by ','
 *
 * Attributes of the resource count, except the two in the name, "host.*" if the name has
 * "host.name", purely descriptive ones, such as "os.*" or "telemetry.*", and ephemeral ones where
 * struct mc_otlp_naming has them.  If the instance would be too long they are "resource=" and a
 * hash of them.  Two resources of a request that still would share a series do not: the points of
 * the second are rejected.
 *
 * A point of a histogram or summary is several samples, named as Prometheus names them: the plugin
 * instance is the name of the metric and
 *
 *   "_count"         "derive", or "absolute" of a delta
 *   "_sum"           as a monotonic sum of floating point numbers
 *   "_min", "_max"   "gauge"
 *   "_bucket"        as the count: how many are no larger than "le", which
 *                    follows the attributes: "le=0.5".  No series for all:
 *                    that is the count
 *   nothing          "gauge": quantiles of a summary, "quantile=0.99"
 *
 * Buckets of an exponential histogram are put together between powers of two, so that they are the
 * same series when its scale changes.  A point of more than MC_OTLP_BUCKETS_MAX buckets is
 * rejected.
 *
 * A collector that sends a foreign metric on sends it as it came, and has the five parts of its
 * series in a field of the point that OTLP has not and others pass over: so the next collector has
 * the same series, however its names are mapped.  Of a histogram or summary these are the parts
 * that all its series have in common.
 *
 * Log records become notifications: from ERROR on a failure, WARN a warning, else okay.  Control
 * characters in them become blanks, and invalid UTF-8 '?'.
 *
 * Facts: opentelemetry-proto 1.x, and the encoding of protobuf 3.  All functions may be called from
 * any thread.
 */
#pragma once

#include <collector/label.h>
#include <collector/metric.h>
#include <collector/option.h>
#include <collector/private/otlp.h>
#include <collector/serve.h>

/* --- Names of foreign senders ---------------------------------------------- */

struct mc_otlp_span { /* Bytes of the request still to be read. */
	const unsigned char *at, *end;
};

/* Ephemeral attributes change with each start of a sender, so they are not in the names of its
 * series, except where two live senders would otherwise share them. */
enum mc_otlp_name {
	MC_OTLP_SHORT,   /* Without ephemeral attributes. */
	MC_OTLP_LONG,    /* With them: the short names are another live sender's. */
	MC_OTLP_UNCLEAR, /* Not yet known: the points are rejected. */
};

struct mc_otlp_claim {   /* A resource that is about to be read. */
	uint64_t series; /* Hash of what its series have in common without ephemeral attributes. */
	uint64_t sender; /* Hash of these; 0: it has none. */
	struct mc_otlp_span items; /* For mc_otlp_age(). */
};

/* Attributes that are parts of names.  A part without one is as without a map. */
struct mc_otlp_map {
	const char *attribute; /* The map is for resources that have this one. */
	const char *host, *plugin, *plugin_instance; /* Of the resource, or NULL. */
	const char *type_instance;                   /* Of the point or resource, or NULL. */
	const char *metric; /* The name that the plugin instance does without, or NULL. */
	/* The metric whose points are thresholds of those of 'metric', and the attribute of a point
	 * that is "warning" or "critical"; or NULL.  Points with another value are passed over. */
	const char *threshold_metric, *threshold_type;
	struct mc_strings without; /* In no name; "os." are all that begin with it. */
};

struct mc_otlp_naming {
	const char *const *ephemeral; /* Names of attributes. */
	size_t ephemeral_len;
	const struct mc_otlp_map *maps; /* The first that fits is used. */
	size_t maps_len;
	enum mc_otlp_name (*claim)(void *argument, const struct mc_otlp_claim *);
	void *argument;
};

/* How long the points of a resource have been counted: from the earliest start to the latest time;
 * -1: they do not have a start. */
mc_time mc_otlp_age(struct mc_otlp_span items);

/* --- Reading ------------------------------------------------------------- */

enum mc_otlp_item {
	MC_OTLP_END,
	MC_OTLP_SAMPLE, /* name, stamp and values are set. */
	MC_OTLP_NOTICE, /* notification is set. */
	MC_OTLP_REJECT, /* 'rejected' points or records have no form here: why
			 * is set, and reading can go on. */
	MC_OTLP_FAULT,  /* No protobuf, or beyond a limit: why is set.  Samples read before must not
			   be used either. */
};

#define MC_OTLP_NAME_SIZE 1024  /* Room for a name put together. */
#define MC_OTLP_BUCKETS_MAX 256 /* Buckets of a point; or quantiles. */

struct mc_otlp_text { /* In the request; not ended by '\0'. */
	const char *at;
	size_t size;
};

struct mc_otlp_said {                          /* By a metric of itself, as it is sent. */
	struct mc_otlp_text description, unit; /* Size 0: it has none. */
};

struct mc_otlp_place { /* Where the numbers of a value are, 8 bytes each, or NULL. */
	const unsigned char *start, *time, *value;
};

struct mc_otlp_point { /* A data point: one value of a sample. */
	struct mc_otlp_text host, plugin, plugin_instance, type, type_instance;
	struct mc_otlp_text source; /* Size 0: the only one. */
	struct mc_stamp stamp;
	enum mc_kind kind;
	union mc_value value;
	double rate; /* For the journal's records; NaN: not known. */
	struct mc_otlp_place place;
};

/* The role of a point of a foreign metric, by a map. */
enum mc_otlp_role { MC_OTLP_MEASURED, MC_OTLP_WARNING, MC_OTLP_FAILURE, MC_OTLP_PASSED_OVER };

struct mc_otlp_sent { /* A foreign point, as it was sent: see engine/otlp/foreign/otlp_metric.h. */
	bool foreign; /* Else the rest is of another one. */
	bool integer; /* Its number was sent as an integer. */
	enum mc_otlp_role role;
	enum mc_metric_part part;
	double bound;            /* Of a bucket or quantile. */
	mc_time start;           /* Of a cumulative count; 0: not given. */
	uint64_t attributes_sum; /* Of those that are not in the name; 0: none. */
	struct mc_otlp_span point;
	struct mc_otlp_span labels; /* A point of ours that has labels; NULL: it has none. */
	uint64_t labels_sum;        /* Of these. */
};

struct mc_otlp {                   /* A request being read. */
	struct mc_name_parts name; /* Ended by '\0'; not checked. */
	struct mc_stamp stamp;     /* 0 what the sender does not say. */
	unsigned values_len;
	enum mc_kind kinds[MC_SOURCES_MAX];
	union mc_value values[MC_SOURCES_MAX];
	struct mc_otlp_text sources[MC_SOURCES_MAX];
	struct mc_otlp_said said[MC_SOURCES_MAX]; /* By their metrics. */
	struct mc_notification notification;      /* Strings are never NULL. */
	struct mc_otlp_sent sent;
	uint64_t rejected;
	const char *why; /* "histogram", "name of more than 127 bytes", … */
	struct {         /* The reader's own. */
		struct mc_otlp_span levels[4];
		unsigned depth;
		bool logs, broken;
		const char *caller_host;
		const struct mc_otlp_naming *naming;
		const struct mc_otlp_map *map;     /* Of the resource, or NULL. */
		struct mc_otlp_text host, service; /* Attributes of the resource. */
		struct mc_otlp_text plugin_instance, type_instance; /* By the map. */
		struct mc_otlp_text scope;                          /* Its name. */
		struct mc_otlp_span scope_message;                  /* All of it, */
		uint64_t scope_sum;                                 /* and a hash of that. */
		struct {
			struct mc_otlp_span items, attributes;
			bool named;       /* It has "host.name". */
			bool read;        /* The fields below are set. */
			bool unclear;     /* MC_OTLP_UNCLEAR. */
			size_t text_size; /* Too large: there is no text. */
			bool summed;      /* This one is set: */
			uint64_t all;     /* A hash of all attributes. */
			uint64_t apart;   /* The same of those that distinguish it. */
		} resource;
		struct {
			struct mc_otlp_text name;
			struct mc_otlp_said said;
			unsigned template; /* Gauge or sum: its field. */
			bool native, monotonic, delta;
			enum mc_kind kind;
			mc_time interval;
		} metric;
		struct mc_otlp_point first; /* Point of the sample being read. */
		struct mc_otlp_point held;  /* Read; of the next sample. */
		bool waiting, holding;      /* Whether there are these. */
		bool host_given;            /* The request names the host. */
		bool ours;                  /* The sample is of a metric that we write. */
		bool labelled;              /* The point that was read last has labels, */
		uint64_t labels_sum;        /* of this sum. */
		char text[MC_OTLP_NAME_SIZE];
		struct mc_otlp_place places[MC_SOURCES_MAX]; /* Those of the values. */
		double rates[MC_SOURCES_MAX];
		char resource_text[128];                  /* Distinguishes it from others, */
		char resource_hash[17];                   /* and a hash of that. */
		char attributes_hash[17];                 /* Of all attributes. */
		char joined[128];                         /* Attributes of a foreign point. */
		char instance[128];                       /* Its plugin instance, by a map. */
		struct {                                  /* The histogram or summary being read. */
			struct mc_otlp_text host, plugin; /* Of its name. */
			mc_time time;
			uint64_t count;
			double sum, min, max; /* NaN: not given. */
			unsigned len;         /* Buckets, or quantiles. */
			unsigned next;        /* The series to be read next. */
			size_t instance_size; /* Size of the text shared by all instances. */
			size_t samples_left;  /* Samples that the request may still make. */
			bool refused;         /* A sample of the point was. */
			char name[128];       /* Plugin instance, and a suffix. */
			size_t name_size;     /* Without that. */
			union mc_value bounds[MC_OTLP_BUCKETS_MAX];
			union mc_value counts[MC_OTLP_BUCKETS_MAX];
		} distribution;
		char message[MC_OTLP_MESSAGE_SIZE];
		struct mc_field fields[MC_FIELDS_MAX]; /* Fields of the notification. */
		char field_texts[MC_OTLP_MESSAGE_SIZE];
	} own;
};

/* Starts to read a request for metrics, or for logs.  The bytes must live as
 * long as the struct is used; 'host' is for senders that do not say theirs. */
void mc_otlp_open(struct mc_otlp *, const void *bytes, size_t size, bool logs, const char *host);

/* Names foreign resources so.  Before the first item. */
void mc_otlp_name_by(struct mc_otlp *, const struct mc_otlp_naming *);

/* Goes to the next item.  After MC_OTLP_FAULT comes the end. */
enum mc_otlp_item mc_otlp_next(struct mc_otlp *);

/* Whether values and sources are those of the type. */
bool mc_otlp_is(const struct mc_otlp *, const struct mc_type *);

/* Takes the next resource of a request, with all its items: a request of its own.  'head' are the
 * bytes that describe the resource, up to the name of its first metric; it is empty without a
 * metric.  Broken items are taken as they are.  False at the end. */
struct mc_otlp_piece {
	struct mc_otlp_span all, head;
};
bool mc_otlp_next_piece(struct mc_otlp_span *rest, struct mc_otlp_piece *);

/* A resource of a request for metrics or logs: of whom its items are. */
struct mc_otlp_resource {
	struct mc_otlp_text host; /* As that of its items. */
	bool own;                 /* Written by a collector: it has labels of the host. */
	struct mc_otlp_span attributes;
};

/* Shows the resources in their order, until 'visit' returns false, and then returns false.  Broken
 * items are skipped: the reader of the request will find them. */
bool mc_otlp_each_resource(const struct mc_otlp_request *,
			   bool (*visit)(void *argument, const struct mc_otlp_resource *),
			   void *argument);

/* Reads the labels of a resource, for mc_label(): all its attributes that are
 * printable texts and fit, but the host.  Returns how many there are. */
struct mc_otlp_labels {
	struct mc_field items[MC_LABELS_MAX];
	unsigned len;
	char texts[MC_LABELS_MAX * 2 * MC_LABEL_SIZE];
};
unsigned mc_otlp_labels(const struct mc_otlp_resource *, struct mc_otlp_labels *);

/* --- Replies ------------------------------------------------------------- */

/* Writes the reply to a request that was taken, except for 'rejected' points;
 * 'why' says why these were not.  Returns its size, which may be 0. */
#define MC_OTLP_REPLY_SIZE 320
size_t mc_otlp_reply(unsigned char out[MC_OTLP_REPLY_SIZE], uint64_t rejected, const char *why);

/* Writes the reply to a request that was not taken.  Returns its size. */
size_t mc_otlp_error(unsigned char out[MC_OTLP_REPLY_SIZE], const char *why);

/* Reads a reply: how many were rejected, or that the request was not taken ('taken' is false: of
 * an HTTP status other than 200).  'why' is the text that came with it, or "".  False if the reply
 * is invalid. */
#define MC_OTLP_WHY_SIZE 256
bool mc_otlp_reply_read(const void *bytes, size_t size, bool taken, uint64_t *rejected,
			char why[MC_OTLP_WHY_SIZE]);

/* The CRC32C of a body, for the header X-Body-CRC32C. */
uint32_t mc_otlp_crc(const void *bytes, size_t size);
