/* SPDX-License-Identifier: MIT */
#include "engine/catalogue/catalogue_metrics.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "engine/store/metric.h"
#include "formats/catalogue/catalogue_part.h"
#include "model/label_set.h"

#define NUMBER_MAX (1 << 24) /* A file of that many parts is larger than the room for metrics. */
#define ROOM_FIRST 65536     /* Bytes of records. */

struct catalogue_metrics_part { /* Both NULL: it is not known. */
	struct metric_family *family;
	struct label_set *labels;
};

/* --- Reading ---------------------------------------------------------------- */

static const struct catalogue_metrics_part *part_at(const struct catalogue_metrics *metrics,
						    uint32_t number)
{
	static const struct catalogue_metrics_part unknown;

	return number < metrics->parts_len ? &metrics->parts[number] : &unknown;
}

static void let_go(struct catalogue_metrics *metrics, const struct catalogue_metrics_part *part)
{
	if (part->family != NULL)
		metric_let_go_family(metrics->table, part->family);
	if (part->labels != NULL)
		metric_let_go_labels(metrics->table, part->labels);
}

static void put(struct catalogue_metrics *metrics, uint32_t number,
		struct catalogue_metrics_part part)
{
	size_t len = metrics->parts_len;

	if (number >= len) {
		len = number < ROOM_FIRST ? ROOM_FIRST : 2 * (size_t)number;
		metrics->parts =
			alloc_resize(metrics->parts, len, sizeof(struct catalogue_metrics_part));
		for (size_t i = metrics->parts_len; i < len; i++)
			metrics->parts[i] = (struct catalogue_metrics_part){ NULL, NULL };
		metrics->parts_len = len;
	}
	let_go(metrics, &metrics->parts[number]);
	metrics->parts[number] = part;
	if (number > metrics->last)
		metrics->last = number;
}

static struct metric_family *read_family(struct catalogue_metrics *metrics,
					 const struct catalogue_record *record)
{
	const struct label_set *scope;
	struct metric_family *family;
	struct mc_metric metric;
	uint32_t number;

	if (!catalogue_part_read_family(record->body, record->body_size, &metric, &number))
		return NULL;
	scope = part_at(metrics, number)->labels;
	if (scope == NULL)
		return NULL;
	metric.scope_labels = label_set_view(scope);
	family = metric_hold_family(metrics->table, &metric);
	if (family != NULL)
		metric_family_shared(family)->number = record->number;
	return family;
}

static struct label_set *read_labels(struct catalogue_metrics *metrics,
				     const struct catalogue_record *record)
{
	struct mc_metric_label items[MC_METRIC_LABELS_MAX];
	struct mc_metric_labels labels = { .items = items };
	struct label_set *set;

	if (!catalogue_part_read_labels(record->body, record->body_size, items, &labels.len))
		return NULL;
	set = metric_hold_labels(metrics->table, &labels);
	if (set != NULL)
		set->shared.number = record->number;
	return set;
}

void catalogue_metrics_take(struct catalogue_metrics *metrics,
			    const struct catalogue_record *record)
{
	struct catalogue_metrics_part part = { NULL, NULL };

	if (record->number == 0 || record->number > NUMBER_MAX)
		return;
	if (record->kind == CATALOGUE_FAMILY)
		part.family = read_family(metrics, record);
	else
		part.labels = read_labels(metrics, record);
	put(metrics, record->number, part);
}

struct metric_kept *catalogue_metrics_read(const struct catalogue_metrics *metrics,
					   const struct catalogue_metric *read)
{
	const struct mc_metric metric = { .part = read->part,
					  .integer = read->integer,
					  .bound = read->bound,
					  .start = read->start };
	const struct metric_parts parts = {
		.family = part_at(metrics, read->family)->family,
		.labels = part_at(metrics, read->labels)->labels,
		.resource = part_at(metrics, read->resource)->labels,
	};

	if (parts.family == NULL || parts.labels == NULL || parts.resource == NULL)
		return NULL;
	return metric_join(metrics->table, &metric, &parts);
}

void catalogue_metrics_read_end(struct catalogue_metrics *metrics)
{
	for (size_t i = 0; i < metrics->parts_len; i++)
		let_go(metrics, &metrics->parts[i]);
	free(metrics->parts);
	metrics->parts = NULL;
	metrics->parts_len = 0;
}

/* --- Writing ---------------------------------------------------------------- */

static void make_room(struct records *records, size_t size)
{
	if (records->room - records->size >= size)
		return;
	records->room = 2 * records->room + ROOM_FIRST + size;
	records->bytes = alloc_resize(records->bytes, records->room, 1);
}

void catalogue_metrics_add_record(struct records *records, const struct catalogue_record *record)
{
	make_room(records, CATALOGUE_RECORD_MAX + record->body_size);
	records->size += catalogue_record_write(records->bytes + records->size, record);
}

static bool is_written(const struct catalogue_metrics *metrics, const struct label_shared *shared)
{
	return shared->number > metrics->base;
}

/* Its number in the file. */
static uint32_t number_of(const struct catalogue_metrics *metrics,
			  const struct label_shared *shared)
{
	return (uint32_t)(shared->number - metrics->base);
}

static bool write_labels(struct catalogue_metrics *metrics, struct records *records,
			 struct label_set *set)
{
	const struct mc_metric_labels labels = label_set_view(set);
	struct catalogue_record record = { .kind = CATALOGUE_LABELS };
	uint8_t body[UINT16_MAX];

	if (is_written(metrics, &set->shared))
		return true;
	record.body = body;
	record.body_size = catalogue_part_write_labels(body, &labels);
	if (record.body_size == 0 && labels.len > 0)
		return false;
	set->shared.number = ++metrics->last;
	record.number = number_of(metrics, &set->shared);
	catalogue_metrics_add_record(records, &record);
	return true;
}

static void write_family(struct catalogue_metrics *metrics, struct records *records,
			 const struct mc_metric *metric, const struct metric_parts *parts)
{
	struct label_shared *family = metric_family_shared(parts->family);
	struct catalogue_record record = { .kind = CATALOGUE_FAMILY };
	uint8_t body[CATALOGUE_PART_FAMILY_MAX];

	if (is_written(metrics, family))
		return;
	family->number = ++metrics->last;
	record.number = number_of(metrics, family);
	record.body = body;
	record.body_size = catalogue_part_write_family(body, metric,
						       number_of(metrics, &parts->scope->shared));
	catalogue_metrics_add_record(records, &record);
}

bool catalogue_metrics_write(struct catalogue_metrics *metrics, struct records *records,
			     const struct metric_kept *kept, struct catalogue_metric *out)
{
	const struct metric_parts parts = metric_parts(kept);
	const struct mc_metric metric = metric_view(kept);

	if (!write_labels(metrics, records, parts.scope) ||
	    !write_labels(metrics, records, parts.labels) ||
	    !write_labels(metrics, records, parts.resource))
		return false;
	write_family(metrics, records, &metric, &parts);
	*out = (struct catalogue_metric){
		.family = number_of(metrics, metric_family_shared(parts.family)),
		.labels = number_of(metrics, &parts.labels->shared),
		.resource = number_of(metrics, &parts.resource->shared),
		.part = metric.part,
		.integer = metric.integer,
		.bound = metric.bound,
		.start = metric.start,
	};
	return true;
}

void catalogue_metrics_renumber(struct catalogue_metrics *metrics)
{
	metrics->base = metrics->last;
}
