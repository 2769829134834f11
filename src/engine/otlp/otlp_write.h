/* SPDX-License-Identifier: MIT */
/* Batches as requests: what the journal needs beside collector/private/otlp.h, and what
 * otlp_notification.c does. */
#pragma once

#include <collector/private/otlp.h>

/* For the journal: has the rates of all values but gauges written, too, as a field that OTLP has
 * not and others pass over, as its samples do not go through the value cache again; and nothing of
 * metadata, which series have when they come out of it.  Before the first request. */
void otlp_write_rates(struct mc_otlp_writer *);

/* Writes some samples of a batch that follow 'last', of one host; appended to each other, such
 * pieces are a request.  Returns the last sample written; NULL if none is left.  Batches that
 * repeat are written by otlp_encoding.h. */
const struct mc_sample *otlp_write_piece(struct mc_otlp_writer *, const struct mc_batch *,
					 const struct mc_sample *last, struct mc_otlp_bytes *);

/* --- Parts of requests, before 'at', that notifications have as well ----- */

/* The end of the writer's buffer, which has room for 'size' bytes then. */
unsigned char *otlp_write_room(struct mc_otlp_writer *, size_t size);

/* The scope of that plugin. */
unsigned char *otlp_write_scope(unsigned char *at, const char *plugin, size_t size);

/* The resource of that host, with labels as in otlp_labels.h. */
unsigned char *otlp_write_resource(unsigned char *at, const char *host, size_t size,
				   const void *labels, size_t labels_size);
