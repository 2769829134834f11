/* SPDX-License-Identifier: MIT */
/* The values of a record: OTLP in protobuf, or what collectd's write_kafka sends.
 * One thread. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/serve.h>

#include "formats/plaintext/plaintext.h"
#include "kit/series/host_labels.h"
#include "kit/series/otlp_templates.h"
#include "kit/series/paths.h"

enum record_format { RECORD_AUTO, RECORD_OTLP, RECORD_JSON, RECORD_COMMAND, RECORD_GRAPHITE };

struct record_reader { /* For all topics; all zero but 'ctx' at first. */
	struct mc_ctx *ctx;
	struct mc_otlp_templates templates;
	struct mc_host_labels labels;

	/* Of a command: */
	struct mc_batch *batch;
	struct mc_series *series;
	struct mc_plain plain;
	struct mc_buffer line;
};

struct record {
	const char *key;    /* The host of OTLP without one. */
	const char *sender; /* Its requests are alike. */
	const void *bytes;
	size_t size;
	enum record_format format; /* Not RECORD_AUTO. */
	mc_time interval;          /* Of values without one. */
	struct mc_paths *paths;    /* Of Graphite's. */
};

struct record_result {
	uint64_t samples, rejected;
	const char *why; /* The first of what was rejected; or the fault; or NULL. */
	char text[MC_OTLP_WHY_SIZE];
};

void record_init(struct record_reader *, struct mc_ctx *, size_t template_bytes);
void record_done(struct record_reader *);

/* The format that these bytes begin with. */
enum record_format record_guess(const void *bytes, size_t size);

/* Puts the values of a record into a batch.  False, and result->why: it is not in its format.  The
 * batch then must not be committed if it is OTLP; else its values are good. */
bool record_put(struct record_reader *, struct mc_batch *, const struct record *,
		struct record_result *);
