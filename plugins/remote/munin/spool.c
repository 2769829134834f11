/* SPDX-License-Identifier: MIT */
#include "spool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/journal.h>
#include <collector/kit/alloc.h>
#include <collector/serve.h>

#include "node.h"
#include "plugins.h"
#include "times.h"

enum {
	FIELDS_MAX = 65536,
	BATCH_MAX = 500, /* Values; an answer may have more. */
	ROUNDS_MAX = 64, /* Requests in a pass; the next one goes on. */
};
/* So much later than the newest value another one of its time may be written: a
 * minute, which munin-node gives a plugin. */
static const mc_time late_max = 61 * MC_SECOND;
/* No plugin is rarer. */
static const mc_time silent_max = 32 * 86400 * MC_SECOND;
static const mc_time commit_limit = 10 * MC_SECOND;

/* --- Services ------------------------------------------------------------ */

/* The newest of the last values; one ahead of our time would hide those that come meanwhile. */
static mc_time newest(const struct spool *spool)
{
	const struct service *service = NULL;
	mc_time time = 0, now = mc_wall();
	bool ahead = false;

	while ((service = services_next(&spool->services, service)) != NULL) {
		if (service->last > now)
			ahead = true;
		else if (service->last > time)
			time = service->last;
	}
	return time == 0 && ahead ? now - now % MC_SECOND : time;
}

/* --- Requests ------------------------------------------------------------ */

/* A spool is written while it is read. */
void spool_begin_pass(struct spool *spool)
{
	spool->rounds = 0;
	spool->asked = spool->whole > late_max ? spool->whole - late_max : 0;
	services_forget(&spool->services, spool->whole - silent_max);
	/* "config" comes with each value: fields that are no more need not be kept. */
	if (spool->answers != NULL && spool->answers->fields.len > FIELDS_MAX / 2)
		mc_munin_answers_done(spool->answers);
}

void spool_begin(struct spool *spool, const struct overrides *overrides)
{
	struct service *service = NULL;

	spool->rounds++;
	spool->full = false;
	spool->service = NULL;
	if (spool->answers == NULL)
		spool->answers = mc_alloc_zero(sizeof(*spool->answers));
	spool->answers->with_metadata = true;
	spool->answers->overrides = overrides->items;
	spool->answers->overrides_len = overrides->len;
	spool->answers->fields_max = FIELDS_MAX;
	while ((service = services_next(&spool->services, service)) != NULL)
		service->before = service->last;
}

static void set_whole(struct node *node, mc_time time)
{
	if (time <= node->spool.whole)
		return;
	node->spool.whole = time;
	times_add_whole(node->shared->times, node);
}

/* The oldest time after which a service may have more: it had some, and has not been asked from
 * its last value on. */
bool spool_next(struct node *node)
{
	struct spool *spool = &node->spool;
	struct service *service = NULL;
	mc_time next = 0, time;

	if (spool->full)
		return false;
	while ((service = services_next(&spool->services, service)) != NULL) {
		if (service->last == service->before && spool->asked >= service->last)
			service->fresh = false;
		if (service->fresh && service->last > spool->asked &&
		    (next == 0 || service->last < next))
			next = service->last;
	}
	time = newest(spool);
	set_whole(node, next != 0 && next < time ? next : time);
	if (next == 0 || spool->rounds == ROUNDS_MAX || !mc_journal_has_room(node->shared->ctx))
		return false;
	spool->asked = next;
	return true;
}

/* --- Batches ------------------------------------------------------------- */

static void committed(void *argument, int rc)
{
	struct spool *spool = argument;

	/* One after the other, in their order.  Values that cannot be made safe are with the
	 * writers all the same. */
	if (rc != -ECANCELED)
		atomic_fetch_add(&spool->safe, 1);
}

void spool_confirm(struct node *node)
{
	struct spool *spool = &node->spool;
	uint64_t safe = atomic_load(&spool->safe);

	if (safe > spool->confirmed) {
		spool->confirmed = safe;
		times_confirm(node->shared->times, node);
	}
}

static void commit(struct node *node)
{
	struct spool *spool = &node->spool;
	struct mc_dedup_id id;

	if (spool->batch == NULL)
		return;
	spool_confirm(node);
	spool->number++;
	times_add(node->shared->times, node);
	times_dedup_name(node, id.name);
	id.number = spool->number;
	mc_set_dedup_id(spool->batch, &id);
	mc_commit_then(spool->batch, commit_limit, committed, spool);
	spool->batch = NULL;
	spool->batch_len = 0;
	spool_confirm(node);
}

/* --- Values -------------------------------------------------------------- */

/* A name that has a hyphen comes without a time (SpoolReader.pm): it is that of the others. */
static mc_time time_of_all(const struct mc_munin_answers *answers)
{
	mc_time time = 0;

	for (size_t i = 0; i < answers->values_len; i++)
		if (answers->values[i].time > time)
			time = answers->values[i].time;
	return time;
}

static void put_all(struct node *node, struct service *service)
{
	struct spool *spool = &node->spool;
	struct mc_munin_answers *answers = spool->answers;
	mc_time all = time_of_all(answers);

	for (size_t i = 0; i < answers->values_len; i++) {
		const struct mc_munin_value *value = &answers->values[i];
		struct plugins_stamp stamp = {
			.time = value->time != 0 ? value->time : all,
			.interval = service->interval,
			.aligned = service->aligned,
		};

		if (stamp.time != 0 && stamp.time <= service->before)
			continue; /* It was taken. */
		if (stamp.time == 0 ||
		    !plugins_put_value(node, spool->batch, answers, value, stamp)) {
			node->shared->counts.bad_lines++;
			continue;
		}
		spool->batch_len++;
		if (stamp.time > spool->latest)
			spool->latest = stamp.time;
	}
}

/* Takes the values that have come of the present service. */
static void take_values(struct node *node)
{
	struct spool *spool = &node->spool;
	struct mc_munin_answers *answers = spool->answers;

	/* Not each block has the configuration: one that has it without update_rate removes it. */
	if (answers->interval != 0 || answers->graph != NULL) {
		spool->service->interval = answers->interval;
		spool->service->aligned = answers->aligned;
	}
	mc_munin_answers_tell(answers);
	if (answers->values_len == 0)
		return;
	if (spool->batch == NULL)
		spool->batch = mc_begin(node->shared->ctx);
	put_all(node, spool->service);
	answers->values_len = 0;
}

/* The lines of a service are whole. */
static void end_service(struct node *node)
{
	struct spool *spool = &node->spool;

	if (spool->service == NULL)
		return;
	take_values(node);
	if (spool->latest > spool->service->last)
		spool->service->fresh = true;
	spool->service->last = spool->latest;
	if (spool->batch_len >= BATCH_MAX)
		commit(node);
}

/* Values that do not fit into the journal stay in the spool, and come with a later pass: all of a
 * service that is not whole. */
static bool is_full(struct node *node)
{
	struct spool *spool = &node->spool;

	if (!spool->full && !mc_journal_has_room(node->shared->ctx)) {
		spool->full = true;
		spool->service = NULL;
	}
	return spool->full;
}

/* "multigraph SERVICE": whether its part before a dot is to be asked. */
static bool is_selected(const struct node *node, const char *service)
{
	char name[256];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(service, "."), service);
	return mc_selected(node->settings->plugins, node->settings->ignore_selected, name);
}

static bool begin_service(struct node *node, char *line)
{
	struct spool *spool = &node->spool;
	struct mc_munin_answers *answers = spool->answers;

	end_service(node);
	spool->service = NULL;
	if (is_full(node))
		return true;
	mc_munin_answers_begin(answers, "", true);
	if (!mc_munin_answers_line(answers, line))
		return false;
	if (!is_selected(node, answers->service))
		return true;
	spool->service = services_find(&spool->services, answers->service);
	if (spool->service == NULL)
		return false;
	spool->latest = spool->service->last;
	return true;
}

bool spool_line(struct node *node, char *line)
{
	struct spool *spool = &node->spool;

	if (strncmp(line, "multigraph ", 11) == 0)
		return begin_service(node, line);
	if (spool->service == NULL)
		return true;
	/* Field by field a long time is more than one answer of a plugin. */
	if (spool->answers->values_len == MC_MUNIN_FIELDS_MAX) {
		take_values(node);
		if (spool->batch_len >= BATCH_MAX)
			commit(node);
		if (is_full(node))
			return true;
	}
	return mc_munin_answers_line(spool->answers, line);
}

void spool_end(struct node *node)
{
	struct spool *spool = &node->spool;

	end_service(node);
	spool->service = NULL;
	mc_munin_answers_forget(spool->answers);
	if (spool->batch != NULL && spool->batch_len == 0) {
		mc_discard(spool->batch);
		spool->batch = NULL;
	}
	commit(node);
}

void spool_cut(struct node *node)
{
	node->spool.service = NULL;
	spool_end(node);
}

void spool_done(struct spool *spool)
{
	services_free(&spool->services);
	if (spool->batch != NULL)
		mc_discard(spool->batch);
	if (spool->answers != NULL)
		mc_munin_answers_done(spool->answers);
	free(spool->answers);
}
