/* SPDX-License-Identifier: MIT */
#include "series_file.h"

#include <stdio.h>

#include <collector/kit/lock.h>
#include <collector/writer.h>

#include "place.h"
#include "rrdcached.h"

static struct file *unnamed(struct rrdcached *rrdcached, const char *name, const char *reason)
{
	mc_path_missing(&rrdcached->missing, name, reason);
	return NULL;
}

/* Needs the lock.  In a file of several series, if there is one that has its label. */
static void join_file(struct mc_ctx *ctx, struct file *file, const struct mc_pnp_place *place,
		      mc_time interval)
{
	struct rrdcached *rrdcached = ctx->self;
	char prefix[FILE_PREFIX_MAX];
	size_t size = file_prefix(rrdcached->directory, place->path, prefix);
	struct file *whole;

	if (size == 0)
		return;
	whole = file_open(&rrdcached->shared.files, prefix, size);
	if (whole->layout == NULL) {
		whole->daemon = file->daemon;
		whole->layout = mc_pnp_single_layout(&rrdcached->layouts, &rrdcached->choice.usual,
						     &place->file, interval);
	}
	if (whole->owner.series == NULL)
		joined_add(file, whole, place);
	whole->users--;
	if (whole->checked_at == 0)
		check_add(&whole->daemon->check, whole);
}

struct file *series_file_open(struct mc_ctx *ctx, const struct mc_sample *sample,
			      void **slot) MC_NO_LOCK
{
	struct rrdcached *rrdcached = ctx->self;
	const char *name = mc_name(sample->series);
	char prefix[FILE_PREFIX_MAX], reason[MC_PATH_TEMPLATE_WHY];
	const struct mc_rrd_rules *rules;
	struct mc_pnp_place place;
	struct file *file;
	size_t size;
	bool found;

	pthread_mutex_unlock(&rrdcached->shared.lock);
	found = place_find(ctx, name, &place, reason);
	rules = mc_rrd_choice_of(ctx, &rrdcached->choice, &rrdcached->options, sample->series);
	pthread_mutex_lock(&rrdcached->shared.lock);
	if (*slot != NULL)
		return *slot; /* Another thread has been quicker. */
	if (!found)
		return unnamed(rrdcached, name, reason);
	size = place_prefix(rrdcached, place.own, prefix, reason);
	if (size == 0)
		return unnamed(rrdcached, name, reason);
	if (rrdcached->options.source_names.len > 0 &&
	    rrdcached->options.source_names.len != mc_type(sample->series)->sources_len)
		return unnamed(rrdcached, name, "it has not as many sources as SourceNames has");
	file = file_open(&rrdcached->shared.files, prefix, size);
	if (rrdcached->options.path_template != NULL && !file_claim(file, name)) {
		file->users--;
		return unnamed(rrdcached, name, "it would share that of another series");
	}
	file->daemon = &rrdcached->daemons[shard_of(&rrdcached->shard, name)];
	file->layout = mc_rrd_layout(&rrdcached->layouts, rules, mc_type(sample->series),
				     sample->interval);
	file->interval = sample->interval;
	if (place.is_single)
		join_file(ctx, file, &place, sample->interval);
	else if (place.refused[0] != '\0')
		snprintf(rrdcached->refused, sizeof(rrdcached->refused),
			 "'%s.rrd' is not in the file of its service: %s", place.own,
			 place.refused);
	if (file->whole == NULL && file->checked_at == 0)
		check_add(&file->daemon->check, file);
	*slot = file;
	return file;
}
