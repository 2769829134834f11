/* SPDX-License-Identifier: MIT */
#include "engine/change/expected_ends.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/lock.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/name_list.h"

#define PREFIX_SIZE 512

struct expected_end {
	char *prefix; /* "host/plugin-instance/", or "host/" */
	mc_time until;
};

struct expected_ends {
	pthread_mutex_t lock;
	struct name_list ends MC_GUARDED_BY(lock); /* Of struct expected_end. */
};

struct expected_ends *expected_ends_new(void)
{
	struct expected_ends *expected = alloc_zero(sizeof(*expected));

	pthread_mutex_init(&expected->lock, NULL);
	return expected;
}

static void drop(struct expected_ends *expected, size_t at) MC_REQUIRES(expected->lock)
{
	struct expected_end *end = name_list_remove(&expected->ends, at);

	free(end->prefix);
	free(end);
}

static mc_time until_of(const struct expected_ends *expected, size_t at) MC_REQUIRES(expected->lock)
{
	return ((struct expected_end *)expected->ends.items[at])->until;
}

void expected_ends_free(struct expected_ends *expected) MC_NO_LOCK
{
	while (expected->ends.len > 0)
		drop(expected, expected->ends.len - 1);
	name_list_done(&expected->ends);
	pthread_mutex_destroy(&expected->lock);
	free(expected);
}

/* Drops those whose time is over; false if there is no room all the same. */
static bool make_room(struct expected_ends *expected) MC_REQUIRES(expected->lock)
{
	mc_time now = clock_now();

	if (expected->ends.len < EXPECTED_ENDS_MAX)
		return true;
	for (size_t at = expected->ends.len; at-- > 0;)
		if (until_of(expected, at) <= now)
			drop(expected, at);
	return expected->ends.len < EXPECTED_ENDS_MAX;
}

static void add(struct expected_ends *expected, const char *prefix, size_t size, mc_time until)
	MC_REQUIRES(expected->lock)
{
	struct expected_end *end;
	size_t at;

	if (!make_room(expected))
		return;
	end = alloc_zero(sizeof(*end));
	end->prefix = alloc_copy(prefix);
	end->until = until;
	name_list_find(&expected->ends, prefix, size, &at);
	name_list_insert(&expected->ends, at, end);
}

void expected_ends_set(struct expected_ends *expected, const struct mc_id *id, mc_time until)
{
	bool has_instance = id->plugin_instance != NULL && *id->plugin_instance != '\0';
	char prefix[PREFIX_SIZE];
	size_t at;
	int size;

	if (*id->plugin == '\0')
		size = snprintf(prefix, sizeof(prefix), "%s/", id->host);
	else
		size = snprintf(prefix, sizeof(prefix), "%s/%s%s%s/", id->host, id->plugin,
				has_instance ? "-" : "", has_instance ? id->plugin_instance : "");
	if (size < 0 || (size_t)size >= sizeof(prefix))
		return;
	pthread_mutex_lock(&expected->lock);
	if (name_list_find(&expected->ends, prefix, (size_t)size, &at))
		drop(expected, at);
	if (until != 0)
		add(expected, prefix, (size_t)size, until);
	pthread_mutex_unlock(&expected->lock);
}

static bool has_prefix(const struct expected_ends *expected, const char *name, const char *end)
	MC_REQUIRES(expected->lock)
{
	size_t at;

	return name_list_find(&expected->ends, name, (size_t)(end + 1 - name), &at) &&
	       clock_now() < until_of(expected, at);
}

bool expected_ends_has(struct expected_ends *expected, const char *name)
{
	const char *host = strchr(name, '/'), *slash;
	bool has;

	slash = host != NULL ? strchr(host + 1, '/') : NULL;
	if (slash == NULL)
		return false;
	pthread_mutex_lock(&expected->lock);
	has = has_prefix(expected, name, host) || has_prefix(expected, name, slash);
	pthread_mutex_unlock(&expected->lock);
	return has;
}

bool expected_ends_has_host(struct expected_ends *expected, const char *host)
{
	size_t size = strlen(host), at;
	bool has = false;

	pthread_mutex_lock(&expected->lock);
	name_list_find(&expected->ends, host, size, &at);
	for (; !has && at < expected->ends.len; at++) {
		const struct expected_end *end = expected->ends.items[at];

		if (strncmp(end->prefix, host, size) != 0)
			break;
		has = end->prefix[size] == '/' && clock_now() < end->until;
	}
	pthread_mutex_unlock(&expected->lock);
	return has;
}
