/* SPDX-License-Identifier: MIT */
#include "silent.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define SILENT_NAME_SIZE 256 /* Of a host and '/'. */

#define RECALL_INTERVAL (5 * MC_SECOND)
#define RECALL_TIME (11 * 60 * MC_SECOND) /* Then the catalogue waits for none any more. */

struct silent_host {
	struct mc_lru_node node; /* By name; used: its last series ended. */
	mc_time since, first;    /* When its last, and its first series ended. */
	unsigned series;         /* That have ended. */
	char name[];
};

void silent_init(struct silent *silent)
{
	pthread_mutex_init(&silent->lock, NULL);
	silent->started = mc_now();
}

static void drop(struct silent *silent, struct mc_lru_node *node) MC_REQUIRES(silent->lock)
{
	mc_lru_remove(&silent->hosts, node);
	free(node);
}

void silent_done(struct silent *silent) MC_NO_LOCK
{
	while (silent->hosts.oldest != NULL)
		drop(silent, silent->hosts.oldest);
	mc_lru_done(&silent->hosts);
	pthread_mutex_destroy(&silent->lock);
}

static struct silent_host *add_host(struct silent *silent, const char *name, size_t size)
	MC_REQUIRES(silent->lock)
{
	struct silent_host *host = mc_alloc_zero(sizeof(*host) + size + 1);

	memcpy(host->name, name, size);
	mc_lru_add(&silent->hosts, &host->node, host->name, size);
	return host;
}

bool silent_add(struct silent *silent, const char *name, mc_time since)
{
	size_t size = strlen(name);
	struct silent_host *host;
	bool full;

	pthread_mutex_lock(&silent->lock);
	host = (struct silent_host *)mc_lru_find(&silent->hosts, name, size);
	if (host == NULL)
		host = add_host(silent, name, size);
	else
		mc_lru_use(&silent->hosts, &host->node);
	if (since > host->since)
		host->since = since;
	if (host->series == 0)
		host->first = since;
	host->series++;
	full = silent->hosts.map.len >= SILENT_HOSTS_MAX + SILENT_HOSTS_MORE;
	pthread_mutex_unlock(&silent->lock);
	return full;
}

bool silent_recall_due(struct silent *silent)
{
	mc_time now = mc_now();
	bool due;

	pthread_mutex_lock(&silent->lock);
	due = silent->recalled == 0 || (silent->recalled < silent->started + RECALL_TIME &&
					now - silent->recalled >= RECALL_INTERVAL);
	if (due)
		silent->recalled = now;
	pthread_mutex_unlock(&silent->lock);
	return due;
}

bool silent_recall(struct silent *silent, const char *name, mc_time since)
{
	size_t size = strlen(name);
	struct silent_host *host;
	bool full;

	pthread_mutex_lock(&silent->lock);
	host = (struct silent_host *)mc_lru_find(&silent->hosts, name, size);
	if (host == NULL) {
		host = add_host(silent, name, size);
		host->first = since;
		host->series = 1;
	}
	if (since > host->since)
		host->since = since;
	full = silent->hosts.map.len >= SILENT_HOSTS_MAX + SILENT_HOSTS_MORE;
	pthread_mutex_unlock(&silent->lock);
	return full;
}

void silent_forget(struct silent *silent, const char *name)
{
	struct mc_lru_node *node;

	pthread_mutex_lock(&silent->lock);
	node = mc_lru_find(&silent->hosts, name, strlen(name));
	if (node != NULL)
		drop(silent, node);
	pthread_mutex_unlock(&silent->lock);
}

void silent_forget_all(struct silent *silent, const char *glob)
{
	char name[SILENT_NAME_SIZE];

	pthread_mutex_lock(&silent->lock);
	for (struct mc_lru_node *node = silent->hosts.oldest, *next; node != NULL; node = next) {
		next = node->newer;
		snprintf(name, sizeof(name), "%s/", ((struct silent_host *)node)->name);
		if (fnmatch(glob, name, 0) == 0)
			drop(silent, node);
	}
	pthread_mutex_unlock(&silent->lock);
}

struct removal { /* Of one host. */
	struct silent_host *host;
	bool is_past;
};

/* By order of removal. */
static int compare(const void *a, const void *b)
{
	const struct removal *left = a, *right = b;
	const struct silent_host *one = left->host, *other = right->host;

	if (left->is_past != right->is_past)
		return left->is_past ? -1 : 1;
	if (left->is_past)
		return one->since < other->since ? -1 : one->since > other->since;
	if (one->series != other->series)
		return one->series < other->series ? -1 : 1;
	return one->first > other->first ? -1 : one->first < other->first;
}

void silent_trim(struct silent *silent)
{
	mc_time past = mc_wall() - SILENT_TIME;
	struct removal *hosts;
	size_t len = 0;

	pthread_mutex_lock(&silent->lock);
	hosts = mc_alloc_array(silent->hosts.map.len + 1, sizeof(*hosts));
	for (struct mc_lru_node *node = silent->hosts.oldest; node != NULL; node = node->newer) {
		hosts[len].host = (struct silent_host *)node;
		hosts[len].is_past = hosts[len].host->since < past;
		len++;
	}
	if (len > SILENT_HOSTS_MAX)
		qsort(hosts, len, sizeof(*hosts), compare);
	for (size_t i = 0; i + SILENT_HOSTS_MAX < len; i++)
		drop(silent, &hosts[i].host->node);
	pthread_mutex_unlock(&silent->lock);
	free(hosts);
}

void silent_each(struct silent *silent,
		 void (*show)(void *argument, const char *host, mc_time since), void *argument)
{
	pthread_mutex_lock(&silent->lock);
	for (struct mc_lru_node *node = silent->hosts.oldest; node != NULL; node = node->newer)
		show(argument, ((struct silent_host *)node)->name,
		     ((struct silent_host *)node)->since);
	pthread_mutex_unlock(&silent->lock);
}
