/* SPDX-License-Identifier: MIT */
/* Metrics in the file of the catalogue: a family and a set of labels is written once, with a number
 * by which series refer to it.  Numbers never come again while the collector runs; the file has
 * them from 'base' on, so a file that is written anew needs all parts anew.
 *
 * Thread: that of the catalogue. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/catalogue/catalogue_record.h"

struct metric_kept;
struct metric_table;

struct records { /* As in the file. */
	uint8_t *bytes;
	size_t size, room;
};

struct catalogue_metrics { /* All zero but the table: nothing was read or written. */
	struct metric_table *table;
	uint64_t base, last; /* Numbers: the last one of the file before, and the last one. */
	struct catalogue_metrics_part *parts; /* By number, while the file is read. */
	size_t parts_len;
};

/* Takes the record of a family or of labels. */
void catalogue_metrics_take(struct catalogue_metrics *, const struct catalogue_record *);

/* The metric of a record of a series, to be let go; NULL if it has none, if a part of it is lost,
 * or without room. */
struct metric_kept *catalogue_metrics_read(const struct catalogue_metrics *,
					   const struct catalogue_metric *);

/* The file was read: parts that no series has are let go. */
void catalogue_metrics_read_end(struct catalogue_metrics *);

/* Adds those parts of a metric that the file lacks, and says how a series refers to it.  False if a
 * part is too large for a record. */
bool catalogue_metrics_write(struct catalogue_metrics *, struct records *,
			     const struct metric_kept *, struct catalogue_metric *out);

/* Begins a new file, which has no parts. */
void catalogue_metrics_renumber(struct catalogue_metrics *);

/* Adds a record. */
void catalogue_metrics_add_record(struct records *, const struct catalogue_record *);
