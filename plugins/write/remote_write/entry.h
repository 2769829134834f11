/* SPDX-License-Identifier: MIT */
/* A series as Prometheus has it, kept in the writer's slot: one for each source of its type, or for
 * a part of a histogram; made once, and anew when its metric or the labels of its host change.
 * The writer's thread, and after stop(). */
#pragma once

#include <collector/kit/map.h>
#include <collector/metric.h>
#include <collector/private/convention.h>
#include <collector/writer.h>

#include "formats/remote_write/remote_write.h"
#include "targets.h"

struct entry_set; /* All of an instance. */

struct entry_output {
	struct mc_map_node node; /* By labels, of which another series may have the same. */
	struct remote_write_series *series;
	uint8_t source;
	uint8_t kind;  /* enum mc_kind */
	bool listed;   /* Others find it by its labels. */
	float divisor; /* Values divided by it are sent: 1000 if they are kept in milliseconds. */
};

struct entry {
	struct entry_set *entries;
	struct entry_host *host;
	struct mc_metric *metric; /* NULL: it has none. */
	struct target *target;    /* Of the metric; NULL: it has none. */
	uint32_t host_version;    /* Of the labels. */
	uint32_t pins;            /* By samples that wait. */
	bool forgotten;
	int64_t last, interval; /* Of the last sample, in ms; 0: it has ended. */
	uint32_t outputs_len;
	struct entry_output outputs[];
};

/* 'external' are names, each followed by its value, of labels that all series get; 'names' are
 * those of series of ours; 'by_tenant': series have that of their host. */
struct entry_set *entry_set_new(struct mc_ctx *, const struct mc_strings *external,
				enum mc_names names, bool by_tenant);

/* Frees it as soon as the last entry is freed. */
void entry_set_close(struct entry_set *); /* NULL is fine. */

struct symbols *entry_set_symbols(struct entry_set *);

/* Learns the units of metrics that are in a batch for the first time: counts have that of another
 * part of their metric.  Before entry_of(). */
void entry_learn(struct entry_set *, const struct mc_batch *batch);

/* The entry of a series; '*outdated' is the one that it had before, to be freed, or NULL. */
struct entry *entry_of(struct entry_set *, const struct mc_series *, struct entry **outdated);

/* For forget(): frees it as soon as it has no pins. */
void entry_forget(struct entry *);

void entry_pin(struct entry *);
void entry_unpin(struct entry *);

/* Whether one of its outputs has the same labels. */
bool entry_has(const struct entry *, const struct remote_write_series *);

/* The number of a value, as the bits of a double. */
uint64_t entry_bits(const struct entry_output *, union mc_value value);
