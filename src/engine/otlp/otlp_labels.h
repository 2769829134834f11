/* SPDX-License-Identifier: MIT */
/* The labels of hosts, as they are written: attributes of a resource.  Those of a batch are kept
 * in sequence, each after the name of its host, so that a copy can be compared with them. */
#pragma once

#include <collector/private/otlp.h>

struct otlp_labels {
	struct mc_ctx *ctx; /* NULL: no labels are written. */
	unsigned (*each)(struct mc_ctx *, const char *host,
			 void (*visit)(void *argument, const struct mc_field *), void *argument);
	unsigned char *bytes;
	uint32_t size, room;
	/* The batch that is written, or NULL: the stream of a host is that of its samples, which
	 * may have waited, not of now. */
	const struct mc_batch *batch;
	uint64_t serial; /* Of the batch that 'stream', the last one found, is of. */
	const struct batch_stream *stream;
};

void otlp_labels_done(struct otlp_labels *);

/* The batch that is written from now on; NULL: none. */
void otlp_labels_of(struct otlp_labels *, const struct mc_batch *);

/* Adds those that a host has now.  Returns their size; they are the last of the bytes. */
uint32_t otlp_labels_add(struct otlp_labels *, const char *host, size_t host_size);

/* Whether all hosts in a copy of the bytes have the same labels now. */
bool otlp_labels_hold(struct otlp_labels *, const unsigned char *bytes, uint32_t size);
