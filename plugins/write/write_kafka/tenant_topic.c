/* SPDX-License-Identifier: MIT */
#include "tenant_topic.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define PAUSE (10 * MC_SECOND) /* Between two tries; less if the patience is short. */
#define PAUSE_MIN (MC_SECOND / 2)
#define TRIES 6 /* Before a topic is given up. */

void tenant_topic_free_all(struct tenant_topics *topics)
{
	struct mc_map_node *node = mc_map_next(&topics->map, NULL), *next;

	for (; node != NULL; node = next) {
		next = mc_map_next(&topics->map, node);
		mc_map_remove(&topics->map, node);
		free(node);
	}
	mc_map_done(&topics->map);
}

struct tenant_topic *tenant_topic_use(struct tenant_topics *topics, const char *name)
{
	size_t size = strlen(name);
	struct tenant_topic *topic = (struct tenant_topic *)mc_map_find(&topics->map, name, size);

	if (topic != NULL || topics->map.len >= topics->len_max)
		return topic;
	topic = mc_alloc_zero(sizeof(*topic) + size + 1);
	memcpy(topic->name, name, size);
	topic->node.key = topic->name;
	topic->node.key_size = size;
	mc_map_add(&topics->map, &topic->node);
	return topic;
}

void tenant_topic_failed(const struct tenant_topics *topics, struct tenant_topic *topic,
			 mc_time now)
{
	mc_time pause = topics->patience / TRIES;

	if (topic->since == 0)
		topic->since = now;
	if (pause < PAUSE_MIN)
		pause = PAUSE_MIN;
	topic->again = now + (pause < PAUSE ? pause : PAUSE);
}

void tenant_topic_works(struct tenant_topic *topic)
{
	topic->since = topic->again = 0;
}

bool tenant_topic_is_given_up(const struct tenant_topics *topics, const struct tenant_topic *topic,
			      mc_time now)
{
	return topic->since != 0 && now - topic->since >= topics->patience;
}

bool tenant_topic_is_due(const struct tenant_topic *topic, mc_time now)
{
	return topic->under_way == 0 && topic->again <= now;
}

void tenant_topic_sent(struct tenant_topic *topic, mc_time now)
{
	if (topic->under_way++ == 0)
		topic->asked = now;
}

void tenant_topic_answered(struct tenant_topic *topic, mc_time now)
{
	topic->under_way--;
	topic->asked = now;
}

/* To a topic that takes none one message is under way at a time. */
bool tenant_topic_waits(const struct tenant_topic *topic, mc_time now)
{
	return topic->held > 0 || topic->again > now || (topic->since != 0 && topic->under_way > 0);
}

bool tenant_topic_is_stalled(const struct tenant_topics *topics, const struct tenant_topic *topic,
			     mc_time now, mc_time stored)
{
	return topic->under_way > 0 && stored > topic->asked &&
	       now - topic->asked >= topics->patience;
}
