/* SPDX-License-Identifier: MIT */
/* The catalogue reads its file. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "engine/catalogue/catalogue_internal.h"
#include "engine/store/metric.h"

static struct past *load_begun(struct catalogue *catalogue, const struct catalogue_record *record)
	MC_REQUIRES(catalogue->lock)
{
	struct past *past = past_find(&catalogue->past, record->name, record->name_size);

	if (past == NULL)
		past = past_add(&catalogue->past, record->name, record->name_size);
	past_set_ended(&catalogue->past, past, false);
	past->first = record->first;
	past->interval = record->interval;
	past->last = record->last; /* Or as the record of what lives says. */
	past_set_away(&catalogue->past, past, record->last < catalogue->alive_before);
	return past;
}

/* A record without a metric does not change it. */
static void load_metric(struct catalogue *catalogue, struct past *past,
			const struct catalogue_record *record) MC_REQUIRES(catalogue->lock)
{
	if (record->has_metric)
		past_set_metric(past, catalogue_metrics_read(&catalogue->metrics, &record->metric));
}

static void load_series(struct catalogue *catalogue, const struct catalogue_record *record)
	MC_REQUIRES(catalogue->lock)
{
	struct past *past;

	if (record->kind == CATALOGUE_BEGUN) {
		load_metric(catalogue, load_begun(catalogue, record), record);
	} else if (record->kind == CATALOGUE_ENDED) {
		past = past_end(&catalogue->past, record);
		past->away = false;
		load_metric(catalogue, past, record);
		past_trim(&catalogue->past, catalogue->limit);
	} else {
		past = past_find(&catalogue->past, record->name, record->name_size);
		if (past != NULL)
			past_remove(&catalogue->past, past);
	}
}

static void load_record(void *argument, const struct catalogue_record *record)
{
	struct catalogue *catalogue = argument;

	switch (record->kind) {
	case CATALOGUE_BEGUN:
	case CATALOGUE_ENDED:
	case CATALOGUE_FORGOTTEN:
		pthread_mutex_lock(&catalogue->lock);
		load_series(catalogue, record);
		pthread_mutex_unlock(&catalogue->lock);
		break;
	case CATALOGUE_ALIVE:
		catalogue->alive_before = record->last;
		pthread_mutex_lock(&catalogue->lock);
		past_clear_away(&catalogue->past);
		pthread_mutex_unlock(&catalogue->lock);
		break;
	case CATALOGUE_FAMILY:
	case CATALOGUE_LABELS:
		catalogue_metrics_take(&catalogue->metrics, record);
		break;
	}
}

/* Series that lived have the time of the last record that says so, if that is the latest known and
 * none after it says otherwise. */
static void date_living(struct catalogue *catalogue) MC_REQUIRES(catalogue->lock)
{
	for (struct past *p = past_next(&catalogue->past, NULL); p != NULL;
	     p = past_next(&catalogue->past, p))
		if (!p->ended && !p->away && p->last < catalogue->alive_before)
			p->last = catalogue->alive_before;
}

void catalogue_load(struct catalogue *catalogue)
{
	struct catalogue_file_damage damage;
	int rc = catalogue_file_open(&catalogue->file, catalogue->path, load_record, catalogue,
				     &damage);

	catalogue_metrics_read_end(&catalogue->metrics);
	pthread_mutex_lock(&catalogue->lock);
	date_living(catalogue);
	catalogue->empty = catalogue->past.len == 0 && catalogue->alive_before == 0;
	catalogue->lived_until = catalogue->alive_before;
	catalogue->loaded = true;
	pthread_cond_broadcast(&catalogue->change);
	pthread_mutex_unlock(&catalogue->lock);
	catalogue->stale =
		rc == -ENOSPC || rc == -EDQUOT || (rc == 0 && catalogue->file.is_earlier);
	catalogue->in_memory = rc < 0 && !catalogue->stale;
	if (catalogue->in_memory)
		log_warn("cannot read '%s': %s; series that end are known until a restart",
			 catalogue->path, rc == -EBUSY ? "another process has it" : strerror(-rc));
	if (damage.foreign)
		log_warn("'%s' is not a catalogue of this version: it is now '%s.old'",
			 catalogue->path, catalogue->path);
	else if (damage.bytes > 0)
		log_warn("'%s' has %" PRIu64 " damaged bytes, which are skipped", catalogue->path,
			 damage.bytes);
}
