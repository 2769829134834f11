/* SPDX-License-Identifier: MIT */
/* A batch, sorted for being written: samples under their metric, metrics under
 * their scope, scopes under their resource, each list from the newest to the
 * oldest.  Samples of one series stay in order. */
#pragma once

#include <collector/writer.h>

#include "base/alloc.h"
#include "engine/otlp/foreign/otlp_conventional.h"
#include "engine/otlp/foreign/otlp_foreign.h"
#include "engine/otlp/otlp_describe.h"
#include "engine/otlp/otlp_encoding.h"
#include "engine/otlp/otlp_interval.h"
#include "engine/otlp/otlp_labels.h"
#include "formats/otlp/otlp_message.h"
#include "formats/otlp/otlp_unit.h"

/* Where the newest resource of a host and the newest metric of a type are remembered.  One that
 * another has pushed out is begun anew, which is as right, and some bytes more. */
#define OTLP_SEEN 64

struct otlp_entry { /* A sample. */
	const struct mc_sample *sample;
	const char *plugin_instance, *type_instance;
	uint16_t plugin_instance_size, type_instance_size;
	uint32_t older;    /* Indices are from 1; 0 means no entry. */
	uint32_t place;    /* Index of its first value's in the places. */
	uint32_t labelled; /* Of its metric, which has labels and no name; 0: none. */
};

struct otlp_metric {
	const struct mc_type *type;
	mc_time interval;
	size_t type_size;
	size_t sample_size;    /* At most, without its instances. */
	uint32_t descriptions; /* Of its sources: the first; 0: none. */
	size_t description_size;
	bool mixed; /* Its sources are metrics of their own. */
	uint32_t scope;
	uint32_t older, newest;
};

struct otlp_scope {
	const char *plugin;
	size_t plugin_size;
	uint32_t older, newest;
};

struct otlp_resource {
	const char *host;
	size_t host_size;
	uint32_t labels, labels_size; /* Place in the writer's labels. */
	uint32_t newest;
};

struct otlp_table { /* Grows, and is then kept. */
	void *items;
	uint32_t len, room;
};

struct mc_otlp_writer {
	unsigned char *bytes;
	size_t size_max;
	size_t room;                    /* Of bytes. */
	size_t size;                    /* Largest size of the sorted part. */
	struct otlp_table entries;      /* Of struct otlp_entry, */
	struct otlp_table metrics;      /* struct otlp_metric, */
	struct otlp_table scopes;       /* struct otlp_scope */
	struct otlp_table resources;    /* struct otlp_resource */
	struct otlp_table foreign;      /* struct otlp_foreign, */
	struct otlp_table descriptions; /* struct otlp_description, */
	struct otlp_table labelled;     /* and struct mc_metric, held. */
	struct otlp_foreign_incomplete incomplete;
	struct otlp_conventional *conventional; /* NULL: series of ours have collectd's names. */
	struct otlp_labels labels;
	uint32_t resource, scope; /* Of the sample before. */
	struct otlp_encodings encodings;
	struct otlp_table whole;       /* Bytes: a request of several pieces. */
	struct otlp_table places;      /* Of uint32_t: see otlp_encoding.h. */
	struct otlp_table changes;     /* The same for metadata, of uint16_t. */
	struct otlp_table conversions; /* Of each place, if there may be conventions. */
	bool learning;                 /* They are wanted. */
	uint32_t seen_hosts[OTLP_SEEN], seen_types[OTLP_SEEN];
	struct otlp_unit units[OTLP_UNITS]; /* Worked out before. */
	struct otlp_interval interval;
};

/* Item 'index' of a table of struct otlp_TYPE. */
#define OTLP_AT(table, type, index) (&((struct otlp_##type *)(table).items)[(index)-1])
#define OTLP_LABELLED_AT(writer, index) (&((struct mc_metric *)(writer)->labelled.items)[(index)-1])

/* Forgets the batch before. */
void otlp_sort_begin(struct mc_otlp_writer *);

/* Releases what is known of what was sorted in. */
void otlp_sort_end(struct mc_otlp_writer *);

/* Adds a sample, and what it takes at most to the size.  False, and nothing
 * that would be seen done, if the size then were too large. */
bool otlp_sort_in(struct mc_otlp_writer *, const struct mc_sample *);

/* The index of one more item, not set yet; from 1 on. */
static inline uint32_t otlp_sort_add(struct otlp_table *table, size_t size)
{
	if (table->len == table->room) {
		table->room = table->room > 0 ? 2 * table->room : 16;
		table->items = alloc_resize(table->items, table->room, size);
	}
	return ++table->len;
}

/* Whether a sum of the source only grows. */
static inline bool otlp_sort_monotonic(const struct mc_source *source)
{
	return source->kind != MC_DERIVE || source->min >= 0;
}
