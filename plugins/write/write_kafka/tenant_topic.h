/* SPDX-License-Identifier: MIT */
/* The topics of tenants: how many there may be, and which of them take no messages, so that these
 * do not hold up those of other tenants.  The caller locks. */
#pragma once

#include <collector/kit/map.h>
#include <collector/kit/once.h>

struct tenant_topic {
	struct mc_map_node node; /* By 'name'. */
	mc_time since;           /* It takes no messages; 0: it does. */
	mc_time again;           /* Nothing is sent before. */
	uint64_t under_way;      /* Messages, ... */
	uint64_t held;           /* ... and those that wait for it. */
	mc_time asked;           /* Since then those under way have no answer. */
	struct mc_once once;
	char name[];
};

struct tenant_topics { /* All zero but for these two: none. */
	size_t len_max;
	mc_time patience; /* Messages wait so long for their topic; they are refused then. */
	struct mc_map map;
};

void tenant_topic_free_all(struct tenant_topics *);

/* The topic of that name; NULL: there would be too many. */
struct tenant_topic *tenant_topic_use(struct tenant_topics *, const char *name);

/* It has taken no message, or it takes them. */
void tenant_topic_failed(const struct tenant_topics *, struct tenant_topic *, mc_time now);
void tenant_topic_works(struct tenant_topic *);

/* A message is under way; or it was answered. */
void tenant_topic_sent(struct tenant_topic *, mc_time now);
void tenant_topic_answered(struct tenant_topic *, mc_time now);

/* Whether a message is to wait for those that are before it. */
bool tenant_topic_waits(const struct tenant_topic *, mc_time now);

/* Whether no message was answered for too long, though others were 'stored' meanwhile. */
bool tenant_topic_is_stalled(const struct tenant_topics *, const struct tenant_topic *, mc_time now,
			     mc_time stored);

/* Whether messages wait for the topic no more. */
bool tenant_topic_is_given_up(const struct tenant_topics *, const struct tenant_topic *,
			      mc_time now);

/* Whether messages that wait for it are to be sent: all that were under way are back. */
bool tenant_topic_is_due(const struct tenant_topic *, mc_time now);
