/* SPDX-License-Identifier: MIT */
#include "series_file.h"

#include <stdio.h>

#include <collector/kit/lock.h>
#include <collector/writer.h>

#include "place.h"
#include "rrdcached.h"

static struct file *unnamed(struct rrdcached *rrdcached, const char *name, const char *reason)
{
	snprintf(rrdcached->unnamed, sizeof(rrdcached->unnamed), "'%.150s' %s", name, reason);
	return NULL;
}

/* Needs the lock.  In a file of several series, if there is one that has its
 * label. */
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
		whole->layout = mc_pnp_single_layout(&rrdcached->layouts, &rrdcached->rules,
						     &place->file, interval);
	}
	if (whole->series == NULL)
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
	struct mc_pnp_place place;
	struct file *file;
	size_t size;
	bool found;

	pthread_mutex_unlock(&rrdcached->shared.lock);
	found = place_find(ctx, name, &place, reason);
	pthread_mutex_lock(&rrdcached->shared.lock);
	if (*slot != NULL)
		return *slot; /* Another thread has been quicker. */
	if (!found) {
		snprintf(rrdcached->unnamed, sizeof(rrdcached->unnamed),
			 "'%.100s' has no file: %.100s", name, reason);
		return NULL;
	}
	size = place_prefix(rrdcached, place.own, prefix, rrdcached->unnamed);
	if (size == 0)
		return NULL;
	if (rrdcached->source_names.len > 0 &&
	    rrdcached->source_names.len != mc_type(sample->series)->sources_len)
		return unnamed(rrdcached, name, "has not as many sources as SourceNames has");
	file = file_open(&rrdcached->shared.files, prefix, size);
	if (rrdcached->path_template != NULL && !file_claim(file, name)) {
		file->users--;
		return unnamed(rrdcached, name, "would share its file with another series");
	}
	file->daemon = &rrdcached->daemons[shard_of(&rrdcached->shard, name)];
	file->layout = mc_rrd_layout(&rrdcached->layouts, &rrdcached->rules,
				     mc_type(sample->series), sample->interval);
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
