/* SPDX-License-Identifier: MIT */
/* Shared by the files of the plugin: its state, and the functions that leave them. */
#pragma once

#include <collector/judge.h>
#include <collector/kit/lock.h>
#include <collector/kit/map.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>

#include <pthread.h>

#include "match.h"
#include "words.h"

struct member;

struct member_source {
	struct peer peer;
	struct member *member;
	unsigned number; /* Of the source. */
};

struct member { /* The slot of a series that is judged. */
	const struct match *match;
	mc_time interval, settled; /* Of its values; when those count. */
	struct mc_id id;           /* In 'text'. */
	const struct mc_type *type;
	char *text;
	struct member *previous, *next; /* Of all. */
	unsigned len;
	struct member_source sources[];
};

struct own_group { /* With its rule: a block has one for each interval. */
	struct group group;
	struct group_rule rule;
	struct own_group *previous, *next;
};

struct news { /* To be reported without the lock. */
	struct news *next;
	enum group_news kind;
	mc_time since;
	struct mc_id id; /* In 'text'. */
	char *text;
	char words[WORDS_SIZE];
};

struct outlier {
	struct mc_blocks matches; /* struct match */
	int64_t series_max;
	bool report_stats;
	const char *state_path;

	pthread_mutex_t lock;
	bool *used MC_GUARDED_BY(lock); /* Which blocks are right. */
	struct mc_map groups MC_GUARDED_BY(lock);
	struct own_group *first MC_GUARDED_BY(lock);
	struct member *members MC_GUARDED_BY(lock);
	struct member *saving MC_GUARDED_BY(lock); /* The next one to be written. */
	struct mc_map means MC_GUARDED_BY(lock);   /* struct saved_mean, of the file. */
	size_t peers, learning, refused MC_GUARDED_BY(lock);
	uint64_t late MC_GUARDED_BY(lock);
	uint64_t found MC_GUARDED_BY(lock);
	struct news *news MC_GUARDED_BY(lock);
	bool stopped MC_GUARDED_BY(lock);

	struct mc_once limit_reached; /* Only write(). */
	struct mc_once unwritable;    /* Only read() and stop(). */
	mc_time saved;                /* The same: when the file was written. */
};

/* Slots of series that no block takes, and of those for which there was no room. */
extern const struct member members_not_taken, members_refused;

/* --- news.c ------------------------------------------------------------------------- */

/* A copy of the parts of a name, "" without one; '*text' is to be freed. */
struct mc_id news_copy_id(const struct mc_id *id, char **text);

/* Keeps the news of a peer: group_tell().  The caller has the lock. */
void news_keep(void *self, enum group_news, const struct peer *);

/* Reports what was kept; without the lock. */
void news_report(struct mc_ctx *);

/* Drops it. */
void news_drop(struct outlier *self) MC_REQUIRES(self->lock);

/* --- members.c ---------------------------------------------------------------------- */

/* Whether that number of further sources may be judged. */
bool members_has_room(const struct outlier *self, size_t len) MC_REQUIRES(self->lock);

/* The member of a series; its slot is then set. */
struct member *members_have(struct outlier *self, const struct mc_series *, void **slot)
	MC_REQUIRES(self->lock);

/* It leaves its groups, which end with their last member. */
void members_free(struct outlier *self, struct member *) MC_REQUIRES(self->lock);
void members_free_group(struct outlier *self, struct own_group *) MC_REQUIRES(self->lock);

/* Its series begins anew: as when its interval is another one, and so its peers are. */
void members_begin(struct outlier *self, struct member *, mc_time interval) MC_REQUIRES(self->lock);

/* Takes the values of a sample.  The caller has the lock. */
void members_take(struct mc_ctx *, struct member *, const struct mc_sample *, mc_time now);
