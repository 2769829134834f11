/* SPDX-License-Identifier: MIT */
#include "engine/alerts/alerts_internal.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"

/* --- Lists ------------------------------------------------------------------ */

static bool find(const struct name_list *list, const char *name, size_t *at)
{
	return name_list_find(list, name, strlen(name), at);
}

static void insert(struct name_list *list, size_t at, const void *item, size_t size)
{
	void *copy = alloc_zero(size);

	memcpy(copy, item, size);
	name_list_insert(list, at, copy);
}

/* Its other texts are the caller's. */
static void take_out(struct name_list *list, size_t at)
{
	struct alerts_item *item = name_list_remove(list, at);

	free(item->name);
	free(item);
}

/* As a line of the file needs it; NULL is "". */
static char *text_of(const char *text)
{
	char copy[ALERTS_TEXT_SIZE];

	text_copy(copy, sizeof(copy), text != NULL ? text : "");
	text_make_printable(copy);
	return alloc_copy(copy);
}

static void note_change(struct alerts *alerts) MC_REQUIRES(alerts->lock)
{
	if (!alerts->changed)
		pthread_cond_broadcast(&alerts->change);
	alerts->changed = true;
}

void alerts_name(const struct mc_id *id, char out[ALERTS_NAME_SIZE])
{
	const char *pi = id->plugin_instance, *ti = id->type_instance;
	bool has_pi = pi != NULL && *pi != '\0', has_ti = ti != NULL && *ti != '\0';

	snprintf(out, ALERTS_NAME_SIZE, "%s/%s%s%s/%s%s%s", id->host, id->plugin, has_pi ? "-" : "",
		 has_pi ? pi : "", id->type != NULL ? id->type : "", has_ti ? "-" : "",
		 has_ti ? ti : "");
	text_make_printable(out);
}

/* --- Life ------------------------------------------------------------------- */

struct alerts *alerts_new(const char *path)
{
	struct alerts *alerts = alloc_zero(sizeof(*alerts));

	pthread_mutex_init(&alerts->lock, NULL);
	clock_cond_init(&alerts->change);
	alerts->path = path != NULL ? alloc_copy(path) : NULL;
	return alerts;
}

static void drop_state(struct alerts *alerts, size_t at) MC_REQUIRES(alerts->lock)
{
	struct alerts_state *state = (struct alerts_state *)alerts->states.items[at];

	free(state->reason);
	free(state->advice);
	take_out(&alerts->states, at);
}

static void drop_acknowledged(struct alerts *alerts, size_t at) MC_REQUIRES(alerts->lock)
{
	free(((struct alerts_acknowledged *)alerts->acknowledged.items[at])->reason);
	take_out(&alerts->acknowledged, at);
}

static void drop_silence(struct alerts *alerts, size_t at) MC_REQUIRES(alerts->lock)
{
	free(((struct alerts_silence *)alerts->silences.items[at])->reason);
	take_out(&alerts->silences, at);
}

void alerts_free(struct alerts *alerts) MC_NO_LOCK
{
	if (alerts == NULL)
		return;
	while (alerts->states.len > 0)
		drop_state(alerts, alerts->states.len - 1);
	while (alerts->acknowledged.len > 0)
		drop_acknowledged(alerts, alerts->acknowledged.len - 1);
	while (alerts->silences.len > 0)
		drop_silence(alerts, alerts->silences.len - 1);
	for (size_t i = 0; i < ALERTS_PAST_MAX; i++) {
		free(alerts->past[i].name);
		free(alerts->past[i].reason);
	}
	name_list_done(&alerts->states);
	name_list_done(&alerts->acknowledged);
	name_list_done(&alerts->silences);
	pthread_cond_destroy(&alerts->change);
	pthread_mutex_destroy(&alerts->lock);
	free(alerts->path);
	free(alerts);
}

/* --- What a file has --------------------------------------------------------- */

void alerts_put_state(struct alerts *alerts, struct alerts_state state) MC_REQUIRES(alerts->lock)
{
	size_t at;

	if (find(&alerts->states, state.base.name, &at) ||
	    alerts->states.len >= ALERTS_STANDING_MAX)
		return;
	state.base.name = alloc_copy(state.base.name);
	state.reason = text_of(state.reason);
	state.advice = text_of(state.advice);
	insert(&alerts->states, at, &state, sizeof(state));
}

void alerts_put_acknowledged(struct alerts *alerts, struct alerts_acknowledged one)
	MC_REQUIRES(alerts->lock)
{
	size_t at;

	if (find(&alerts->acknowledged, one.base.name, &at))
		drop_acknowledged(alerts, at);
	else if (alerts->acknowledged.len >= ALERTS_ACKNOWLEDGED_MAX)
		return;
	one.base.name = alloc_copy(one.base.name);
	one.reason = text_of(one.reason);
	insert(&alerts->acknowledged, at, &one, sizeof(one));
}

void alerts_put_silence(struct alerts *alerts, struct alerts_silence silence)
	MC_REQUIRES(alerts->lock)
{
	size_t at;

	if (find(&alerts->silences, silence.base.name, &at))
		drop_silence(alerts, at);
	else if (alerts->silences.len >= ALERTS_SILENCES_MAX)
		return;
	silence.base.name = alloc_copy(silence.base.name);
	silence.reason = text_of(silence.reason);
	insert(&alerts->silences, at, &silence, sizeof(silence));
}

void alerts_put_past(struct alerts *alerts, struct alerts_past past) MC_REQUIRES(alerts->lock)
{
	struct alerts_past *place = &alerts->past[alerts->past_len++ % ALERTS_PAST_MAX];

	free(place->name);
	free(place->reason);
	*place = past;
	place->name = alloc_copy(past.name);
	place->reason = text_of(past.reason);
}

/* --- States ----------------------------------------------------------------- */

static bool same_text(const char *kept, const char *text)
{
	return strcmp(kept, text != NULL ? text : "") == 0;
}

static void replace_text(char **kept, const char *text)
{
	if (same_text(*kept, text))
		return;
	free(*kept);
	*kept = text_of(text);
}

static void remember(struct alerts *alerts, const char *name, enum mc_severity severity,
		     const char *reason) MC_REQUIRES(alerts->lock)
{
	alerts_put_past(alerts, (struct alerts_past){ .time = clock_wall(),
						      .severity = severity,
						      .name = (char *)name,
						      .reason = (char *)reason });
	note_change(alerts);
}

static bool end_state(struct alerts *alerts, size_t at, const char *name, const char *reason)
	MC_REQUIRES(alerts->lock)
{
	drop_state(alerts, at);
	remember(alerts, name, MC_OKAY, reason);
	return true;
}

static mc_time begin_of(const struct mc_standing *standing)
{
	return standing->since != 0 ? standing->since : clock_wall();
}

/* One that stands already. */
static bool change_state(struct alerts *alerts, struct alerts_state *state, const char *name,
			 const struct mc_standing *standing) MC_REQUIRES(alerts->lock)
{
	bool changed = state->severity != standing->severity;

	state->left = 0;
	replace_text(&state->reason, standing->reason);
	replace_text(&state->advice, standing->advice);
	if (!changed)
		return false;
	state->severity = standing->severity;
	state->since = begin_of(standing);
	remember(alerts, name, standing->severity, standing->reason);
	return true;
}

static mc_time end_of(const struct mc_standing *standing)
{
	return standing->lasting > 0 ? clock_now() + standing->lasting : 0;
}

static bool set_state(struct alerts *alerts, const struct alerts_owner *owner, const char *name,
		      const struct mc_standing *standing) MC_REQUIRES(alerts->lock)
{
	char key[2 * ALERTS_NAME_SIZE];
	struct alerts_state *state;
	size_t at;

	snprintf(key, sizeof(key), "%s %s", owner->name, name);
	if (find(&alerts->states, key, &at)) {
		if (standing->severity == MC_OKAY)
			return end_state(alerts, at, name, standing->reason);
		state = (struct alerts_state *)alerts->states.items[at];
		state->number = owner->number;
		state->until = end_of(standing);
		return change_state(alerts, state, name, standing);
	}
	if (standing->severity == MC_OKAY || alerts->states.len >= ALERTS_STANDING_MAX)
		return false;
	alerts_put_state(alerts, (struct alerts_state){ .base = { key },
							.number = owner->number,
							.until = end_of(standing),
							.severity = standing->severity,
							.since = begin_of(standing),
							.reason = (char *)standing->reason,
							.advice = (char *)standing->advice });
	remember(alerts, name, standing->severity, standing->reason);
	return true;
}

bool alerts_stand(struct alerts *alerts, const struct alerts_owner *owner, const char *name,
		  const struct mc_standing *standing)
{
	bool changed;

	pthread_mutex_lock(&alerts->lock);
	changed = set_state(alerts, owner, name, standing);
	pthread_mutex_unlock(&alerts->lock);
	return changed;
}

const char *alerts_name_in(const struct alerts_state *state)
{
	const char *blank = strchr(state->base.name, ' ');

	return blank != NULL ? blank + 1 : state->base.name;
}

/* Whether it has not been set for too long, by an owner that lives or does not. */
static bool is_over(struct alerts_state *state, bool lives)
{
	if (state->number != 0 && lives)
		return state->until != 0 && clock_now() >= state->until;
	if (state->left == 0)
		state->left = clock_now();
	return clock_now() - state->left >= ALERTS_GRACE;
}

/* The name of the first state from 'at' on that has waited too long; or NULL.  Freed
 * by the caller. */
static char *next_left(struct alerts *alerts, bool (*lives)(void *argument, uint64_t number),
		       void *argument, size_t *at) MC_REQUIRES(alerts->lock)
{
	for (; *at < alerts->states.len; ++*at) {
		struct alerts_state *state = (struct alerts_state *)alerts->states.items[*at];
		char *name;

		if (!is_over(state, lives(argument, state->number)))
			continue;
		name = alloc_copy(alerts_name_in(state));
		end_state(alerts, *at, name, "not reported any more");
		return name;
	}
	return NULL;
}

void alerts_end_left(struct alerts *alerts, bool (*lives)(void *argument, uint64_t number),
		     void (*show)(void *argument, const char *name), void *argument)
{
	size_t at = 0;
	char *name;

	do {
		pthread_mutex_lock(&alerts->lock);
		name = next_left(alerts, lives, argument, &at);
		pthread_mutex_unlock(&alerts->lock);
		if (name != NULL)
			show(argument, name);
		free(name);
	} while (name != NULL);
}

/* --- Acknowledgements --------------------------------------------------------- */

static mc_time silenced_until(const struct alerts *alerts, const char *name)
	MC_REQUIRES(alerts->lock)
{
	mc_time until = 0, now = clock_wall();

	for (size_t i = 0; i < alerts->silences.len; i++) {
		const struct alerts_silence *silence =
			(const struct alerts_silence *)alerts->silences.items[i];

		if (silence->until > now && silence->until > until &&
		    alerts_matches(silence->base.name, name))
			until = silence->until;
	}
	return until;
}

uint64_t alerts_begin(struct alerts *alerts)
{
	uint64_t enumeration;

	pthread_mutex_lock(&alerts->lock);
	enumeration = ++alerts->enumerations;
	pthread_mutex_unlock(&alerts->lock);
	return enumeration;
}

void alerts_mark(struct alerts *alerts, uint64_t enumeration, const char *name,
		 struct alerts_mark *mark)
{
	size_t at;

	*mark = (struct alerts_mark){ .reason = "" };
	pthread_mutex_lock(&alerts->lock);
	mark->silenced_until = silenced_until(alerts, name);
	if (find(&alerts->acknowledged, name, &at)) {
		struct alerts_acknowledged *one =
			(struct alerts_acknowledged *)alerts->acknowledged.items[at];

		if (one->seen < enumeration)
			one->seen = enumeration;
		mark->acknowledged = one->time;
		text_copy(mark->reason, sizeof(mark->reason), one->reason);
	}
	pthread_mutex_unlock(&alerts->lock);
}

void alerts_end(struct alerts *alerts, uint64_t enumeration, bool complete)
{
	size_t at = 0;

	pthread_mutex_lock(&alerts->lock);
	while (complete && at < alerts->acknowledged.len) {
		if (((struct alerts_acknowledged *)alerts->acknowledged.items[at])->seen >=
		    enumeration) {
			at++;
			continue;
		}
		drop_acknowledged(alerts, at);
		note_change(alerts);
	}
	pthread_mutex_unlock(&alerts->lock);
}

void alerts_acknowledge(struct alerts *alerts, const char *name, enum mc_state state,
			const char *reason)
{
	pthread_mutex_lock(&alerts->lock);
	alerts_put_acknowledged(alerts, (struct alerts_acknowledged){ .base = { (char *)name },
								      .state = state,
								      .time = clock_wall(),
								      .seen = alerts->enumerations,
								      .reason = (char *)reason });
	note_change(alerts);
	pthread_mutex_unlock(&alerts->lock);
}

bool alerts_has_acknowledged(struct alerts *alerts)
{
	bool has;

	pthread_mutex_lock(&alerts->lock);
	has = alerts->acknowledged.len > 0;
	pthread_mutex_unlock(&alerts->lock);
	return has;
}

/* --- Notifications ----------------------------------------------------------- */

bool alerts_matches(const char *pattern, const char *name)
{
	char host[ALERTS_NAME_SIZE];
	size_t size = strcspn(name, "/");

	if (strchr(pattern, '/') != NULL)
		return fnmatch(pattern, name, 0) == 0;
	if (size >= sizeof(host))
		return false;
	memcpy(host, name, size);
	host[size] = '\0';
	return fnmatch(pattern, host, 0) == 0;
}

/* Whether it is acknowledged, and this is no worse. */
static bool is_known(struct alerts *alerts, const char *name, enum mc_severity severity)
	MC_REQUIRES(alerts->lock)
{
	const struct alerts_acknowledged *one;
	size_t at;

	if (!find(&alerts->acknowledged, name, &at))
		return false;
	one = (const struct alerts_acknowledged *)alerts->acknowledged.items[at];
	if (severity != MC_OKAY && (severity != MC_FAILURE || one->state == MC_STATE_FAILURE))
		return true;
	drop_acknowledged(alerts, at);
	note_change(alerts);
	return false;
}

/* Whether the last change that is remembered of it is another one. */
static bool is_change(const struct alerts *alerts, const char *name, enum mc_severity severity)
	MC_REQUIRES(alerts->lock)
{
	for (uint64_t i = alerts->past_len; i > 0 && alerts->past_len - i < ALERTS_PAST_MAX; i--) {
		const struct alerts_past *past = &alerts->past[(i - 1) % ALERTS_PAST_MAX];

		if (strcmp(past->name, name) == 0)
			return past->severity != severity;
	}
	return true;
}

bool alerts_pass(struct alerts *alerts, const char *name, const struct mc_notification *what,
		 bool is_alert)
{
	bool passes;

	pthread_mutex_lock(&alerts->lock);
	if (is_alert && is_change(alerts, name, what->severity))
		remember(alerts, name, what->severity, what->message);
	passes = !is_known(alerts, name, what->severity) &&
		 (what->severity == MC_OKAY || silenced_until(alerts, name) == 0);
	pthread_mutex_unlock(&alerts->lock);
	return passes;
}

void alerts_expire(struct alerts *alerts, void (*show)(void *argument, const char *pattern),
		   void *argument)
{
	mc_time now = clock_wall();
	char *pattern;

	do {
		pattern = NULL;
		pthread_mutex_lock(&alerts->lock);
		for (size_t i = 0; pattern == NULL && i < alerts->silences.len; i++) {
			if (((struct alerts_silence *)alerts->silences.items[i])->until > now)
				continue;
			pattern =
				alloc_copy(((struct alerts_item *)alerts->silences.items[i])->name);
			drop_silence(alerts, i);
			note_change(alerts);
		}
		pthread_mutex_unlock(&alerts->lock);
		if (pattern != NULL)
			show(argument, pattern);
		free(pattern);
	} while (pattern != NULL);
}

int alerts_silence(struct alerts *alerts, const struct mc_silence *silence)
{
	char *pattern;
	size_t at;
	int rc = 0;

	if (*silence->pattern == '\0' || strlen(silence->pattern) >= ALERTS_TEXT_SIZE ||
	    silence->until <= clock_wall())
		return -EINVAL;
	pattern = text_of(silence->pattern);
	pthread_mutex_lock(&alerts->lock);
	if (!find(&alerts->silences, pattern, &at) && alerts->silences.len >= ALERTS_SILENCES_MAX)
		rc = -ENOSPC;
	else
		alerts_put_silence(alerts,
				   (struct alerts_silence){ .base = { pattern },
							    .begin = clock_wall(),
							    .until = silence->until,
							    .reason = (char *)silence->reason });
	note_change(alerts);
	pthread_mutex_unlock(&alerts->lock);
	free(pattern);
	return rc;
}

int alerts_unsilence(struct alerts *alerts, const char *pattern)
{
	size_t at;
	int rc = -ENOENT;

	pthread_mutex_lock(&alerts->lock);
	if (find(&alerts->silences, pattern, &at)) {
		drop_silence(alerts, at);
		note_change(alerts);
		rc = 0;
	}
	pthread_mutex_unlock(&alerts->lock);
	return rc;
}
