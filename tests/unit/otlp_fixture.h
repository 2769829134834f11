/* SPDX-License-Identifier: MIT */
/* Batches, and requests put together field by field, for OTLP. */
#pragma once

#include <stdio.h>
#include <string.h>

#include <collector/private/otlp.h>
#include <collector/serve.h>

#include "formats/otlp/otlp.h"
#include "model/batch.h"
#include "model/series.h"

#define OTLP_TIME (INT64_C(1700000000) * MC_SECOND + 123456789)
#define OTLP_SERIES_MAX 1024

static const struct mc_type otlp_gauge = { .name = "gauge",
					   .sources_len = 1,
					   .sources = { { "value", MC_GAUGE, NAN, NAN } } };
static const struct mc_type otlp_octets = { .name = "if_octets",
					    .sources_len = 2,
					    .sources = { { "rx", MC_DERIVE, 0, NAN },
							 { "tx", MC_DERIVE, 0, NAN } } };
static const struct mc_type otlp_mixed = { .name = "mixed",
					   .sources_len = 4,
					   .sources = { { "c", MC_COUNTER, 0, NAN },
							{ "g", MC_GAUGE, NAN, NAN },
							{ "d", MC_DERIVE, NAN, NAN },
							{ "a", MC_ABSOLUTE, 0, NAN } } };

struct otlp_lab { /* A batch and its series. */
	struct mc_ctx ctx;
	struct mc_batch batch;
	struct mc_series *series[OTLP_SERIES_MAX];
	size_t series_len;
};

static inline void otlp_lab_open(struct otlp_lab *lab)
{
	memset(lab, 0, sizeof(*lab));
	lab->ctx.interval = 10 * MC_SECOND;
	batch_init(&lab->batch);
	batch_begin(&lab->batch, &lab->ctx, OTLP_TIME);
}

static inline void otlp_lab_close(struct otlp_lab *lab)
{
	for (size_t i = 0; i < lab->series_len; i++)
		series_free(lab->series[i], 0);
	batch_done(&lab->batch);
}

static inline struct mc_series *otlp_series(struct otlp_lab *lab, struct mc_id id,
					    const struct mc_type *type)
{
	char name[SERIES_NAME_SIZE];
	struct mc_name_parts parts;
	struct mc_series *series;

	id.type = type->name;
	assert_true(series_join(&id, name, &parts));
	assert_true(lab->series_len < OTLP_SERIES_MAX);
	series = series_new(type, &parts, 0);
	lab->series[lab->series_len++] = series;
	return series;
}

/* --- Requests --------------------------------------------------------- */

struct otlp_message { /* Bytes in the making. */
	unsigned char at[8192];
	size_t size;
};

static inline void otlp_add(struct otlp_message *to, const void *bytes, size_t size)
{
	assert_true(size <= sizeof(to->at) - to->size);
	memcpy(to->at + to->size, bytes, size);
	to->size += size;
}

static inline void otlp_add_varint(struct otlp_message *to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		to->at[to->size++] = (unsigned char)(number | 0x80);
	to->at[to->size++] = (unsigned char)number;
}

static inline void otlp_add_number(struct otlp_message *to, unsigned field, uint64_t number)
{
	otlp_add_varint(to, field << 3);
	otlp_add_varint(to, number);
}

static inline void otlp_add_fixed(struct otlp_message *to, unsigned field, uint64_t number)
{
	otlp_add_varint(to, field << 3 | 1);
	for (unsigned i = 0; i < 8; i++)
		to->at[to->size++] = (unsigned char)(number >> 8 * i);
}

static inline void otlp_add_double(struct otlp_message *to, unsigned field, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	otlp_add_fixed(to, field, bits);
}

static inline void otlp_add_bytes(struct otlp_message *to, unsigned field, const void *bytes,
				  size_t size)
{
	otlp_add_varint(to, field << 3 | 2);
	otlp_add_varint(to, size);
	otlp_add(to, bytes, size);
}

static inline void otlp_add_text(struct otlp_message *to, unsigned field, const char *text)
{
	otlp_add_bytes(to, field, text, strlen(text));
}

static inline void otlp_add_message(struct otlp_message *to, unsigned field,
				    const struct otlp_message *message)
{
	otlp_add_bytes(to, field, message->at, message->size);
}

/* An attribute whose value is text. */
static inline void otlp_add_pair(struct otlp_message *to, unsigned field, const char *key,
				 const char *text)
{
	struct otlp_message pair = { .size = 0 }, any = { .size = 0 };

	otlp_add_text(&any, 1, text);
	otlp_add_text(&pair, 1, key);
	otlp_add_message(&pair, 2, &any);
	otlp_add_message(to, field, &pair);
}

/* A whole request: one resource with these attributes, one scope of that name,
 * and in it one metric or record. */
static inline void otlp_request(struct otlp_message *to, const struct otlp_message *resource,
				const char *scope, const struct otlp_message *item)
{
	struct otlp_message name = { .size = 0 }, scopes = { .size = 0 };
	struct otlp_message resources = { .size = 0 };

	otlp_add_text(&name, 1, scope);
	otlp_add_message(&scopes, 1, &name);
	otlp_add_message(&scopes, 2, item);
	otlp_add_message(&resources, 1, resource);
	otlp_add_message(&resources, 2, &scopes);
	to->size = 0;
	otlp_add_message(to, 1, &resources);
}
