/* SPDX-License-Identifier: MIT */
/* A batch as it lies in the journal: an OTLP metrics request. */
#include "engine/write/durable/journal_entry.h"

#include <collector/private/stream.h>

#include <collector/writer.h>

#include <string.h>

#include "engine/context.h"
#include "engine/otlp/otlp_put.h"
#include "engine/store/labels.h"
#include "engine/store/registry.h"
#include "formats/journal/recipients.h"
#include "model/rate.h"
#include "model/series.h"

/* A gauge has a rate as well: none if it is out of its range. */
static void set_rates(struct mc_sample *sample, const struct mc_type *type, const double *rates)
{
	union mc_value *out = sample->values + sample->values_len;

	for (unsigned i = 0; i < sample->values_len; i++)
		out[i].gauge = type->sources[i].kind == MC_GAUGE
				       ? rate_first(&type->sources[i], sample->values[i], 0)
				       : rates[i];
}

/* Its sender's quota is charged when the sender sends it again. */
static struct mc_series *make_series(struct mc_batch *batch, const struct mc_otlp *otlp)
{
	struct mc_series *series = otlp_put_series(batch, otlp);

	if (series != NULL)
		series->uncharged = true;
	return series;
}

/* A series without a metric is called as before the restart, until its sender calls it something.
 * It may be here already: another writer, which reads the same record, has just made it. */
static struct mc_series *find_series(struct mc_batch *batch, const struct mc_otlp *otlp)
{
	struct mc_series *series = mc_find_named(batch, &otlp->name);

	if (series == NULL)
		series = make_series(batch, otlp);
	if (series != NULL && atomic_load_explicit(&series->metric, memory_order_relaxed) == NULL)
		registry_recall_metric(context_of(batch->ctx)->registry, series);
	return series;
}

static void put_sample(struct mc_batch *batch, const struct mc_otlp *otlp)
{
	struct mc_series *series = find_series(batch, otlp);
	struct mc_stamp stamp = otlp->stamp;

	if (series == NULL || !mc_otlp_is(otlp, series->type))
		return;
	if (stamp.time == 0)
		stamp.time = batch->time;
	if (stamp.interval == 0)
		stamp.interval = batch->ctx->interval;
	mc_put_at(batch, series, stamp, otlp->values, otlp->values_len);
	set_rates(batch->last, series->type, otlp->own.rates);
}

/* One that cannot be right is left out. */
static void keep_recipients(struct mc_batch *batch, const void *bytes, size_t size)
{
	size_t names_size = 0;
	const char *names = recipients_read(bytes, size, &names_size);
	char *copy;

	if (names == NULL || names_size > RECIPIENTS_MAX || memchr(names, '\0', names_size) != NULL)
		return;
	copy = arena_take(&batch->arena, names_size + 1);
	memcpy(copy, names, names_size);
	copy[names_size] = '\0';
	batch->recipients = copy;
}

/* The process that has counted its samples is not that of now. */
static void recall_stream(struct mc_batch *batch, const char *host,
			  const struct mc_otlp_labels *labels)
{
	for (unsigned i = 0; i < labels->len; i++)
		if (strcmp(labels->items[i].name, MC_STREAM_LABEL) == 0)
			mc_set_stream(batch, host, labels->items[i].value);
}

/* Labels of the hosts of a record, unless a plugin gives others now. */
static bool recall_labels(void *argument, const struct mc_otlp_resource *resource)
{
	struct mc_batch *batch = argument;
	struct mc_otlp_labels labels;
	char host[SERIES_PART_MAX + 1];

	if (!resource->own || resource->host.size == 0 || resource->host.size >= sizeof(host) ||
	    mc_otlp_labels(resource, &labels) == 0)
		return true;
	memcpy(host, resource->host.at, resource->host.size);
	host[resource->host.size] = '\0';
	recall_stream(batch, host, &labels);
	labels_recall(context_of(batch->ctx)->registry->labels, host, labels.items, labels.len);
	return true;
}

bool journal_entry_read(struct mc_batch *batch, const void *bytes, size_t size)
{
	const char *host = batch->ctx->host;
	enum mc_otlp_item item;
	struct mc_otlp otlp;

	keep_recipients(batch, bytes, size);
	mc_otlp_each_resource(
		&(struct mc_otlp_request){ .host = host, .bytes = bytes, .size = size },
		recall_labels, batch);
	mc_otlp_open(&otlp, bytes, size, false, host);
	while ((item = mc_otlp_next(&otlp)) != MC_OTLP_END) {
		if (item == MC_OTLP_FAULT)
			return false;
		if (item == MC_OTLP_SAMPLE)
			put_sample(batch, &otlp);
	}
	return true;
}
