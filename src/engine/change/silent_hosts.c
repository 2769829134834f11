/* SPDX-License-Identifier: MIT */
#include "engine/change/silent_hosts.h"

#include <collector/control.h>
#include <collector/kit/alloc.h>
#include <collector/kit/lock.h>
#include <collector/private/alerts.h>
#include <collector/private/catalogue.h>
#include <collector/serve.h>

#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/name_list.h"
#include "engine/alerts/alerts.h"
#include "engine/catalogue/catalogue.h"
#include "engine/change/engine_internal.h"
#include "engine/change/expected_ends.h"
#include "model/series.h"

#define END_OF_NAME "/" SILENT_HOSTS_PLUGIN "/" SILENT_HOSTS_TYPE
#define HOST_SIZE 256
#define RECALL_AFTER (CATALOGUE_GRACE + 60 * MC_SECOND) /* The catalogue knows what came back. */

struct silent_host {
	char *name;
	bool asked;    /* A series has ended: does it have others? */
	bool stands;   /* It is an alert. */
	bool present;  /* In this walk. */
	mc_time last;  /* Of its last value, since 1970. */
	char *example; /* A series of it, the last that was seen; or NULL. */
};

struct silent_hosts {
	/* Thread: that of the engine's own read(). */
	struct name_list hosts; /* Of struct silent_host. */
	bool loaded, recalled;
	mc_time started, look_due, walked; /* clock_now() */
	mc_time walk_interval;             /* 0: before the first. */

	pthread_mutex_t lock;
	char **globs MC_GUARDED_BY(lock); /* Forgotten since the last look. */
	size_t globs_len MC_GUARDED_BY(lock), globs_room MC_GUARDED_BY(lock);
};

struct silent_hosts *silent_hosts_new(void)
{
	struct silent_hosts *silent = alloc_zero(sizeof(*silent));

	pthread_mutex_init(&silent->lock, NULL);
	silent->started = clock_now();
	return silent;
}

static void drop(struct silent_hosts *silent, size_t at)
{
	struct silent_host *host = name_list_remove(&silent->hosts, at);

	free(host->example);
	free(host->name);
	free(host);
}

static struct silent_host *host_at(const struct silent_hosts *silent, size_t at)
{
	return silent->hosts.items[at];
}

void silent_hosts_free(struct silent_hosts *silent) MC_NO_LOCK
{
	while (silent->hosts.len > 0)
		drop(silent, silent->hosts.len - 1);
	name_list_done(&silent->hosts);
	for (size_t i = 0; i < silent->globs_len; i++)
		free(silent->globs[i]);
	free(silent->globs);
	pthread_mutex_destroy(&silent->lock);
	free(silent);
}

/* --- Hosts -------------------------------------------------------------------- */

static struct silent_host *find(const struct silent_hosts *silent, const char *name)
{
	size_t at;

	return name_list_find(&silent->hosts, name, strlen(name), &at) ? host_at(silent, at) : NULL;
}

/* Those of which nothing is asked are only known to answer faster. */
static void make_room(struct silent_hosts *silent)
{
	for (size_t at = silent->hosts.len; at-- > 0;)
		if (!host_at(silent, at)->asked && !host_at(silent, at)->stands)
			drop(silent, at);
}

/* NULL: there are too many. */
static struct silent_host *get(struct silent_hosts *silent, const char *name)
{
	struct silent_host *host = find(silent, name);
	size_t at;

	if (host != NULL)
		return host;
	if (silent->hosts.len >= SILENT_HOSTS_MAX)
		make_room(silent);
	if (silent->hosts.len >= SILENT_HOSTS_MAX)
		return NULL;
	host = alloc_zero(sizeof(*host));
	host->name = alloc_copy(name);
	name_list_find(&silent->hosts, name, strlen(name), &at);
	name_list_insert(&silent->hosts, at, host);
	return host;
}

static void set_example(struct silent_host *host, const struct mc_series *series)
{
	free(host->example);
	host->example = alloc_copy(series->name);
}

void silent_hosts_note(struct engine *engine, const struct mc_series *series, mc_time silent)
{
	const char *name = mc_host(series);
	mc_time last = clock_wall() - silent;
	struct silent_host *host;

	if (silent == 0 || strcmp(name, engine->host) == 0)
		return;
	host = get(engine->silent_hosts, name);
	if (host == NULL)
		return;
	host->asked |= !host->stands;
	if (last > host->last)
		host->last = last;
	if (host->example == NULL)
		set_example(host, series);
}

/* --- Alerts -------------------------------------------------------------------- */

static void stand(struct mc_ctx *self, const struct silent_host *host, enum mc_severity severity)
{
	char reason[HOST_SIZE + 64], advice[HOST_SIZE + 160];

	snprintf(reason, sizeof(reason),
		 severity == MC_OKAY ? "%.250s sends values again"
				     : "%.250s sends no values any more",
		 host->name);
	snprintf(advice, sizeof(advice),
		 "Look whether it runs and reaches this collector. If it was taken out of service: "
		 "collectorctl forget %.250s",
		 host->name);
	mc_stand(self, &(struct mc_standing){
			       .id = { .host = host->name,
				       .plugin = SILENT_HOSTS_PLUGIN,
				       .type = SILENT_HOSTS_TYPE },
			       .severity = severity,
			       .reason = reason,
			       .advice = advice,
			       .since = host->last,
			       .quiet = true,
		       });
}

static void set_standing(struct mc_ctx *self, struct silent_host *host, bool stands)
{
	if (stands != host->stands)
		stand(self, host, stands ? MC_FAILURE : MC_OKAY);
	host->stands = stands;
	host->asked = false;
}

static void set_present(struct mc_ctx *self, struct silent_host *host)
{
	set_standing(self, host, false);
	host->last = 0;
}

/* --- Of before the start --------------------------------------------------------- */

/* Copies the host of a name that ends so. */
static bool host_of(const char *series, char host[HOST_SIZE])
{
	size_t size = strlen(series), end = strlen(END_OF_NAME);

	if (size <= end || size - end >= HOST_SIZE || strcmp(series + size - end, END_OF_NAME) != 0)
		return false;
	memcpy(host, series, size - end);
	host[size - end] = '\0';
	return strchr(host, '/') == NULL;
}

static void load(void *argument, const char *owner, const struct mc_alert *alert)
{
	struct mc_ctx *self = argument;
	struct silent_host *host;
	char name[HOST_SIZE];

	if (strcmp(owner, self->name) != 0 || !host_of(alert->series, name))
		return;
	host = get(instance_of(self)->engine->silent_hosts, name);
	if (host == NULL)
		return;
	host->last = alert->since;
	set_standing(self, host, true);
}

static bool recall(void *argument, const struct mc_ended *ended)
{
	struct engine *engine = argument;
	size_t size = strcspn(ended->name, "/");
	struct silent_host *host;
	char name[HOST_SIZE];

	if ((!ended->away && ended->last < catalogue_lived_until(engine->catalogue)) ||
	    size >= sizeof(name))
		return true;
	memcpy(name, ended->name, size);
	name[size] = '\0';
	host = strcmp(name, engine->host) != 0 ? get(engine->silent_hosts, name) : NULL;
	if (host != NULL && !host->stands) {
		host->asked = true;
		host->last = ended->last > host->last ? ended->last : host->last;
	}
	return true;
}

/* Those that were present when the collector stopped, and did not come back. */
static void recall_all(struct engine *engine)
{
	struct silent_hosts *silent = engine->silent_hosts;

	if (silent->recalled || clock_now() - silent->started < RECALL_AFTER)
		return;
	silent->recalled = true;
	if (engine->catalogue != NULL)
		catalogue_each(engine->catalogue, NULL, recall, engine);
}

/* --- Looking --------------------------------------------------------------------- */

static bool has_values(struct mc_reading *reading, const char *name)
{
	struct mc_series *series = mc_find(reading, name, strlen(name));
	struct mc_latest latest = { .missing = true };

	if (series != NULL)
		mc_latest(reading, series, &latest);
	return !latest.missing && latest.time != 0;
}

struct left {
	size_t asked, stand;
};

/* At one series of each; returns how many hosts are left that may have others. */
static struct left look_at_examples(struct silent_hosts *silent, struct mc_ctx *self)
{
	struct mc_reading *reading = mc_read_begin(self);
	struct left left = { 0 };

	for (size_t at = 0; at < silent->hosts.len; at++) {
		struct silent_host *host = host_at(silent, at);

		if ((host->asked || host->stands) && host->example != NULL &&
		    has_values(reading, host->example))
			set_present(self, host);
		left.asked += host->asked;
		left.stand += host->stands;
	}
	mc_read_end(reading);
	return left;
}

struct walk {
	struct silent_hosts *silent;
	struct silent_host *last; /* Series of a host often follow each other. */
	size_t series;
};

static bool look_at_series(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct walk *walk = argument;
	const char *name = mc_host(series);

	walk->series++;
	if (latest->missing || latest->time == 0)
		return true;
	if (walk->last == NULL || strcmp(walk->last->name, name) != 0)
		walk->last = find(walk->silent, name);
	if (walk->last == NULL || walk->last->present)
		return true;
	walk->last->present = true;
	set_example(walk->last, series);
	return true;
}

/* Some of its series end as somebody wants it, and others with them. */
static bool is_expected(const struct mc_ctx *self, const struct silent_host *host)
{
	return expected_ends_has_host(instance_of(self)->engine->expected_ends, host->name);
}

/* At all series. */
static void look_at_all(struct silent_hosts *silent, struct mc_ctx *self)
{
	struct walk walk = { .silent = silent };

	for (size_t at = 0; at < silent->hosts.len; at++)
		host_at(silent, at)->present = false;
	mc_scan_series(self, NULL, look_at_series, &walk);
	for (size_t at = 0; at < silent->hosts.len; at++) {
		struct silent_host *host = host_at(silent, at);

		if (host->present)
			set_present(self, host);
		else if (host->asked)
			set_standing(self, host, !is_expected(self, host));
	}
	silent->walked = clock_now();
	silent->walk_interval = SILENT_HOSTS_WALK + (mc_time)walk.series * SILENT_HOSTS_WALK_MORE;
}

/* --- Forgetting -------------------------------------------------------------------- */

/* "host/" matches what matches all of its series. */
static bool is_of(const char *glob, const char *host)
{
	char name[HOST_SIZE + 1];

	snprintf(name, sizeof(name), "%s/", host);
	return fnmatch(glob, name, 0) == 0;
}

static void drop_forgotten(struct silent_hosts *silent, struct mc_ctx *self, const char *glob)
{
	for (size_t at = silent->hosts.len; at-- > 0;) {
		if (!is_of(glob, host_at(silent, at)->name))
			continue;
		set_standing(self, host_at(silent, at), false);
		drop(silent, at);
	}
}

static void take_forgotten(struct silent_hosts *silent, struct mc_ctx *self)
{
	char **globs;
	size_t len;

	pthread_mutex_lock(&silent->lock);
	globs = silent->globs;
	len = silent->globs_len;
	silent->globs = NULL;
	silent->globs_len = silent->globs_room = 0;
	pthread_mutex_unlock(&silent->lock);
	for (size_t i = 0; i < len; i++) {
		drop_forgotten(silent, self, globs[i]);
		free(globs[i]);
	}
	free(globs);
}

struct forgetting {
	struct engine *engine;
	const char *glob;
};

static void end_forgotten(void *argument, const char *owner, const struct mc_alert *alert)
{
	const struct forgetting *forgetting = argument;
	const struct alerts_owner self = { .name = owner };
	char name[HOST_SIZE];

	if (host_of(alert->series, name) && is_of(forgetting->glob, name))
		alerts_stand(
			forgetting->engine->alerts, &self, alert->series,
			&(struct mc_standing){ .severity = MC_OKAY, .reason = "it is forgotten" });
}

void silent_hosts_forget(struct engine *engine, const char *glob)
{
	struct silent_hosts *silent = engine->silent_hosts;
	struct forgetting forgetting = { engine, glob };

	pthread_mutex_lock(&silent->lock);
	MC_ARRAY_GROW(silent->globs, silent->globs_len, silent->globs_room);
	silent->globs[silent->globs_len++] = alloc_copy(glob);
	pthread_mutex_unlock(&silent->lock);
	alerts_each_standing(engine->alerts, end_forgotten, &forgetting);
}

/* --- The whole --------------------------------------------------------------------- */

/* Of those of before the start no series is known, so they may come back unseen. */
static bool walk_is_due(const struct silent_hosts *silent, const struct left *left)
{
	mc_time now = clock_now(), passed = now - silent->walked;
	bool early = now - silent->started < RECALL_AFTER;

	if (silent->walk_interval == 0)
		return true;
	if (left->asked > 0 || (left->stand > 0 && early))
		return passed >= silent->walk_interval;
	return left->stand > 0 && passed >= SILENT_HOSTS_RARELY * silent->walk_interval;
}

void silent_hosts_look(struct engine *engine, struct mc_ctx *self)
{
	struct silent_hosts *silent = engine->silent_hosts;
	struct left left;

	take_forgotten(silent, self);
	if (!silent->loaded)
		alerts_each_standing(engine->alerts, load, self);
	silent->loaded = true;
	recall_all(engine);
	if (silent->hosts.len == 0 || clock_now() < silent->look_due)
		return;
	silent->look_due = clock_now() + SILENT_HOSTS_LOOK;
	left = look_at_examples(silent, self);
	if (walk_is_due(silent, &left))
		look_at_all(silent, self);
}
