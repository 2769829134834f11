/* SPDX-License-Identifier: MIT */
/* collector/private/otlp.h - batches as requests of OpenTelemetry's protocol (OTLP), in protobuf,
 * for plugins that receive or send them.
 *
 * A batch is an ExportMetricsServiceRequest, a notification an ExportLogsServiceRequest.
 * Samples are read back as they were written, bit by bit.
 *
 * Facts: opentelemetry-proto 1.x, and the encoding of protobuf 3.  All functions may be
 * called from any thread; a writer by one at a time.
 */
#pragma once

#include <collector/label.h>
#include <collector/serve.h>

#pragma GCC visibility push(default)

/* --- Writing ------------------------------------------------------------- */

struct mc_otlp_bytes { /* A request.  The writer's own, until its next use. */
	const unsigned char *at;
	size_t size;
	unsigned samples_len; /* In it. */
};

/* Holds the memory that writing needs: a little more than twice the request.
 * No request will have more than 'size_max' bytes, which is at least
 * MC_OTLP_SIZE_MIN: room for any one sample or notification. */
struct mc_otlp_writer;
#define MC_OTLP_SIZE_MIN 65536
struct mc_otlp_writer *mc_otlp_writer_new(size_t size_max);
void mc_otlp_writer_free(struct mc_otlp_writer *);

/* Has the labels of each host written, as attributes of its resource; 'each' is mc_each_label(). */
void mc_otlp_writer_label(struct mc_otlp_writer *, struct mc_ctx *,
			  unsigned (*each)(struct mc_ctx *, const char *host,
					   void (*visit)(void *argument, const struct mc_field *),
					   void *argument));

/* Has series of ours written under the names of OpenTelemetry's conventions where they have one
 * (collector/private/convention.h). */
void mc_otlp_writer_conventions(struct mc_otlp_writer *);

/* Writes the samples of a batch that follow 'last' (NULL: from the first), as many as have room.
 * Samples of one series stay in order.  Requests may be appended to each other: that is one
 * request.  Returns the last sample written; NULL if none is left. */
const struct mc_sample *mc_otlp_write(struct mc_otlp_writer *, const struct mc_batch *,
				      const struct mc_sample *last, struct mc_otlp_bytes *);

/* As mc_otlp_write(), but stops after the last of the samples in a row that are of one host. */
const struct mc_sample *mc_otlp_write_host(struct mc_otlp_writer *, const struct mc_batch *,
					   const struct mc_sample *last, struct mc_otlp_bytes *);

/* Writes these samples, of any batch, in their order; for a few requests that are not repeated. */
void mc_otlp_write_samples(struct mc_otlp_writer *, const struct mc_sample *const *samples,
			   size_t len, struct mc_otlp_bytes *);

/* Writes a notification.  A message of more than MC_OTLP_MESSAGE_SIZE - 1 bytes is cut, a field
 * after MC_OTLP_FIELD_SIZE - 1, its name, and parts of the notification's, after 127.  Invalid
 * UTF-8 becomes '?'. */
#define MC_OTLP_FIELD_SIZE 512
#define MC_OTLP_MESSAGE_SIZE 4096
void mc_otlp_write_notification(struct mc_otlp_writer *, const struct mc_notification *,
				struct mc_otlp_bytes *);

/* --- Reading ------------------------------------------------------------- */

/* Whose the foreign series of a request are: zeros at first. */
struct mc_otlp_owners {
	struct mc_otlp_owner *items;
	size_t len, room;
};
void mc_otlp_owners_done(struct mc_otlp_owners *);

struct mc_otlp_naming;
struct mc_otlp_request {
	struct mc_stamp stamp; /* Default for points without time or interval. */
	const char *host;      /* Default for points without one. */
	const void *bytes;
	size_t size;
	struct mc_otlp_owners *owners;       /* Shared by all pieces of a request. */
	const struct mc_otlp_naming *naming; /* NULL: all attributes are in the names. */
};

struct mc_otlp_template;
struct mc_otlp_result {
	uint64_t samples;                  /* Put into the batch. */
	uint64_t rejected;                 /* Points that were not. */
	const char *why;                   /* The first of these; or the fault; or NULL. */
	mc_time newest;                    /* The latest time of a sample; 0: none. */
	mc_time interval;                  /* The shortest one given; 0: none. */
	struct mc_otlp_template *template; /* Set by mc_otlp_put_record(); else NULL. */
};

/* Puts all samples of a request into a batch.  False for what cannot be read:
 * the batch then is to be discarded. */
bool mc_otlp_put(struct mc_batch *, const struct mc_otlp_request *, struct mc_otlp_result *);

/* Adds the result of a piece to that of its request, which is zero at first. */
void mc_otlp_add_result(struct mc_otlp_result *sum, const struct mc_otlp_result *piece);

/* The form of a request: where its times and values are, and a sum of the bytes between them.
 * Another request with the same bytes is read in a tenth of the time. */
void mc_otlp_template_free(struct mc_otlp_template *);
size_t mc_otlp_template_size(const struct mc_otlp_template *); /* Bytes of memory. */

/* As mc_otlp_put(), and records a template of the request: result->template, to
 * be freed by the caller with mc_otlp_template_free(); NULL if the request can
 * have none, as those of foreign senders. */
bool mc_otlp_put_record(struct mc_batch *, const struct mc_otlp_request *, struct mc_otlp_result *);

/* Puts the samples of a request that matches the template.  False: it does not
 * match, and nothing was put. */
bool mc_otlp_put_as(struct mc_batch *, struct mc_otlp_template *, const void *bytes, size_t size,
		    struct mc_otlp_result *);

#pragma GCC visibility pop
