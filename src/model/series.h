/* SPDX-License-Identifier: MIT */
/* A series: one measured thing.  It is its own entry in the value cache: it
 * carries its last sample, the rates of that, and a pointer per writer.
 *
 * A series is identified by its name, "host/plugin-instance/type-instance", which is also the path
 * of its file below a DataDir.  So no two series can get one file, and a name that is valid here
 * is a safe path: two slashes, no component that starts with a dot, none too long for a file
 * system. */
#pragma once

#include <stdatomic.h>

#include <collector/serve.h>

#define SERIES_PART_MAX 127      /* Bytes of a part, as in collectd. */
#define SERIES_COMPONENT_MAX 240 /* Leaves room for ".rrd" or a date. */
#define SERIES_NAME_SIZE 640     /* Five parts, four separators, '\0'. */

struct store;

enum series_presence {
	SERIES_PRESENT,
	SERIES_MISSING, /* Held, and silent for too long. */
	SERIES_BACK,    /* Was missing, without a report so far. */
};

struct mc_series {
	const struct mc_type *type;
	const char *name; /* After the values, as all the text is. */

	/* No lock guards these: what judges say, see engine/judge/; and whether its quota is not
	 * known yet. */
	_Atomic uint8_t state;     /* enum mc_state; mc_state() looks here. */
	_Atomic bool uncharged;    /* The journal has made it: see store_find_for(). */
	_Atomic uint16_t decision; /* 0: none was asked. */

	/* Nor these, of its metadata: the number of their last change, 0 without any; and of the
	 * last one given to engine/otlp/otlp_tell.h. */
	_Atomic uint16_t described, told;

	struct store *store; /* Where it is kept; set by the store. */

	/* As its sender calls it, or NULL: see engine/store/metric.h, whose lock guards what it
	 * refers to. */
	void *_Atomic metric;

	/* The lock of the store guards the fields below. */
	mc_time first;     /* Time of the first sample, as the catalogue has it. */
	mc_time time;      /* Time of the last sample; 0: none yet. */
	mc_time interval;  /* Of the last sample. */
	mc_time seen;      /* When it came, by the clock of the store. */
	const char *maker; /* Name of the instance that committed it. */
	uint64_t retired;  /* Serial of the newest batch when the
			    * series left the store; see store.h. */
	union {
		struct mc_series *next_retired; /* The next one that has left. */
		struct mc_quota *quota;         /* Quota that it counts for; may be NULL. */
	};
	uint32_t holds : 24;
	uint32_t presence : 5;     /* enum series_presence */
	uint32_t fresh : 1;        /* It has no sample yet. */
	uint32_t remembered : 1;   /* It may have a ring: see recent.h. */
	uint32_t metric_noted : 1; /* The catalogue has not yet taken its metric. */

	/* These never change: without '\0', as in the name. */
	uint8_t host_size, plugin_size, type_instance_size;
	uint16_t name_size;

	/* Of the series that is looked up soon after this one, its place in the
	 * table and its address: see store.c.  Hints, and no lock guards them:
	 * that series may be gone. */
	_Atomic uint32_t next_hint;
	_Atomic uintptr_t soon;

	/* Last values, as many rates, then the text.  In front of the series
	 * are its slots, where mc_slot() looks. */
	union mc_value values[];
};

/* Puts the name of 'id' together in 'out', and its parts in 'parts'.  False, with an unusable
 * name, if a part is too long. */
bool series_join(const struct mc_id *id, char out[SERIES_NAME_SIZE], struct mc_name_parts *parts);

/* NULL, or why there can be no series of that name: a constant sentence without
 * a subject.  A name that is in the store needs no such question. */
const char *series_fault(const struct mc_name_parts *);

/* Bytes of the whole name, without '\0'. */
size_t series_name_size(const struct mc_name_parts *);

/* A series on the heap, without a sample; 'parts' come from series_join(). */
struct mc_series *series_new(const struct mc_type *, const struct mc_name_parts *,
			     unsigned slots_len);
void series_free(struct mc_series *, unsigned slots_len);

/* The rates after the values. */
static inline union mc_value *series_rates(struct mc_series *series)
{
	return series->values + series->type->sources_len;
}

/* The slot with that number. */
static inline void **series_slot(const struct mc_series *series, unsigned slot)
{
	return (void **)series - 1 - slot;
}
