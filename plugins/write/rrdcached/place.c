/* SPDX-License-Identifier: MIT */
#include "place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include <collector/private/beneath.h>

#include "fetch.h"
#include "kit/series/stored_foreign.h"

bool place_find(struct mc_ctx *ctx, const char *name, struct mc_pnp_place *place,
		char why[static MC_PATH_TEMPLATE_WHY])
{
	const struct rrdcached *rrdcached = ctx->self;

	return mc_pnp_place_find(ctx,
				 &(struct mc_pnp_options){ rrdcached->data_dir,
							   rrdcached->options.path_template,
							   rrdcached->options.single_template },
				 name, place, why);
}

size_t place_prefix(const struct rrdcached *rrdcached, const char *path,
		    char prefix[FILE_PREFIX_MAX], char *why)
{
	size_t size = file_prefix(rrdcached->directory, path, prefix);

	if (size == 0)
		snprintf(why, MC_PATH_TEMPLATE_WHY, "its path is longer than rrdcached accepts");
	return size;
}

/* Whether the file is not that of another series, which was there before. */
static bool is_own(struct rrdcached *rrdcached, const char *path, const char *name)
{
	char prefix[FILE_PREFIX_MAX];
	size_t size = file_prefix(rrdcached->directory, path, prefix);
	bool own;

	if (rrdcached->options.path_template == NULL || size == 0)
		return true;
	pthread_mutex_lock(&rrdcached->shared.lock);
	own = file_may_have(&rrdcached->shared.files, prefix, size, name);
	pthread_mutex_unlock(&rrdcached->shared.lock);
	return own;
}

int place_fetch(struct mc_ctx *ctx, const char *name, struct mc_history *history, char *why)
{
	struct rrdcached *rrdcached = ctx->self;
	unsigned daemon = shard_of(&rrdcached->shard, name);
	char reason[MC_PATH_TEMPLATE_WHY];
	struct mc_rrd_rules rules = rrdcached->choice.usual;
	struct mc_pnp_place place;
	const char *source = place.source_name;
	struct fetch_file file = { &rrdcached->daemons[daemon].address, rrdcached->directory,
				   place.path, &rules };

	if (!place_find(ctx, name, &place, reason) || !is_own(rrdcached, place.own, name))
		return 0;
	if (place.is_single) {
		rules.source_names = &source;
		rules.source_names_len = 1;
	}
	return fetch_file(ctx, &file, history, why);
}

/* Removes the file itself: rrdcached has no command for that. */
static int remove_file(const struct rrdcached *rrdcached, const struct fetch_file *file,
		       size_t *len, char *why)
{
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "%s.rrd", file->name);
	if (!file->address->local || rrdcached->directory == NULL ||
	    rrdcached->directory[0] != '/') {
		snprintf(why, MC_HISTORY_WHY, "'%.100s' is where rrdcached at '%.80s' has it", path,
			 file->address->text);
		return -EREMOTE;
	}
	rc = mc_remove_file(rrdcached->directory, path);
	*len += rc == 0;
	return rc == 0 || rc == -ENOENT ? 0 : mc_rrd_unremoved(path, rc, why);
}

/* A file that a living series has is not that of another, which its path might be of, too. */
static bool is_taken(struct mc_ctx *ctx, const char *name)
{
	char why[MC_PATH_TEMPLATE_WHY];
	struct mc_pnp_place place;

	return place_find(ctx, name, &place, why) && !is_own(ctx->self, place.own, name);
}

/* Where all are on this machine. */
void place_each_stored(struct mc_ctx *ctx, mc_stored_show *show, void *argument)
{
	const struct rrdcached *rrdcached = ctx->self;
	bool local = rrdcached->directory != NULL && rrdcached->directory[0] == '/';

	for (size_t i = 0; i < rrdcached->daemons_len; i++)
		local = local && rrdcached->daemons[i].address.local;
	if (local)
		mc_stored_foreign(ctx,
				  &(struct mc_foreign_tree){ rrdcached->directory,
							     &rrdcached->options, is_taken },
				  show, argument);
}

int place_remove_files(struct mc_ctx *ctx, const char *name, size_t *len, char *why)
{
	struct rrdcached *rrdcached = ctx->self;
	unsigned daemon = shard_of(&rrdcached->shard, name);
	char reason[MC_PATH_TEMPLATE_WHY];
	struct mc_pnp_place place;
	const struct fetch_file file = { &rrdcached->daemons[daemon].address, rrdcached->directory,
					 place.path, NULL };
	int rc;

	if (!place_find(ctx, name, &place, reason) || !is_own(rrdcached, place.own, name))
		return 0;
	if (place.is_single)
		return mc_rrd_unremoved(place.path, -ENOTSUP, why);
	rc = fetch_forget(ctx, &file, why);
	return rc < 0 ? rc : remove_file(rrdcached, &file, len, why);
}

void place_where(struct mc_ctx *ctx, const char *name, char *out, size_t size)
{
	struct rrdcached *rrdcached = ctx->self;
	const char *directory = rrdcached->directory;
	char why[MC_PATH_TEMPLATE_WHY];
	struct mc_pnp_place place;

	if (!place_find(ctx, name, &place, why)) {
		snprintf(out, size, "no file: %s", why);
		return;
	}
	snprintf(out, size, "%s%s%s.rrd by way of %s", directory != NULL ? directory : "",
		 directory != NULL && directory[0] != '\0' ? "/" : "", place.path,
		 rrdcached->daemons[shard_of(&rrdcached->shard, name)].address.text);
}
