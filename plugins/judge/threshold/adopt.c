/* SPDX-License-Identifier: MIT */
/* States that another collector had reported before it lost the series to this one, or that it
 * reports now that this one has lost them. */
#include <string.h>

#include <collector/control.h>
#include <collector/private/judge_states.h>

#include "threshold.h"

struct adoption {
	struct threshold *self;
	const struct mc_judge_state *state;
	struct watch *watch; /* Of the series; NULL: it is not watched. */
	bool done;
};

/* The series lives here and is judged: its next value is compared with the state. */
static void adopt_watched(struct threshold *self, struct watch *watch,
			  const struct state_record *record) MC_REQUIRES(self->lock)
{
	struct alert *alert = watch->alert;

	watch->state = record->missing ? MC_STATE_UNKNOWN : (uint8_t)record->state;
	watch->hits = 0;
	watch->is_quiet = false;
	if (alert == NULL)
		alert = watch->alert = alert_new(&self->alerts, &record->id);
	alert_set(&self->alerts, alert, record->state, record->missing);
	alert->by_source = record->by_source;
	alert->kept = false;
	alert->interval = record->interval;
	alert->since = record->since;
	alert->reported = record->reported;
	alert->value = alert->now = record->value;
	alert->rule = watch->rules->items[0];
	memcpy(alert->source, record->source, strlen(record->source) + 1);
	state_file_add_adopted(self, alert, record->state);
}

static void adopt_unwatched(struct threshold *self, const struct state_record *record,
			    const char *series) MC_REQUIRES(self->lock)
{
	const struct mc_lru_node *node;

	state_file_take(self, record);
	node = mc_lru_find(&self->alerts.gone, series, strlen(series));
	if (node != NULL)
		state_file_add_adopted(self, (const struct alert *)node, record->state);
}

static void adopt(void *argument, const struct state_record *record) MC_NO_LOCK
{
	struct adoption *adoption = argument;
	const char *series = adoption->state->series;
	char name[ALERT_NAME_SIZE];

	alert_name(&record->id, name);
	if (record->state == MC_STATE_OKAY || strcmp(name, series) != 0)
		return;
	adoption->done = true;
	if (adoption->watch != NULL)
		adopt_watched(adoption->self, adoption->watch, record);
	else
		adopt_unwatched(adoption->self, record, series);
}

static void drop(struct threshold *self, struct watch *watch, const char *series)
	MC_REQUIRES(self->lock)
{
	struct alert *alert =
		(struct alert *)mc_lru_find(&self->alerts.gone, series, strlen(series));

	if (watch != NULL) {
		alert = watch->alert;
		watch->alert = NULL;
		watch->is_quiet = false;
		if (alert != NULL)
			watch->state = MC_STATE_OKAY;
	}
	if (alert == NULL)
		return;
	state_file_add_adopted(self, alert, MC_STATE_OKAY);
	alert_free(&self->alerts, alert);
}

static struct watch *watch_of(struct mc_ctx *ctx, const struct mc_series *series)
{
	struct watch *watch = series != NULL ? *mc_slot(ctx, series) : NULL;

	return watch != &threshold_no_rules ? watch : NULL;
}

/* Whether it is one record of ours, about that series. */
static bool adopt_text(struct adoption *adoption)
{
	const char *text = adoption->state->text;
	struct mc_buffer copy = { 0 };
	size_t size = strlen(text);
	bool good;

	mc_buffer_add(&copy, text, size + 1);
	good = state_record_read(copy.at, size, adopt, adoption) == 0;
	mc_buffer_free(&copy);
	return good && adoption->done;
}

/* run() writes the state file, soon. */
bool adopt_state(struct mc_ctx *ctx, const struct mc_judge_state *state)
{
	struct threshold *self = ctx->self;
	struct adoption adoption = { .self = self, .state = state };
	struct mc_reading *reading = mc_read_begin(ctx);
	const struct mc_series *series = mc_find(reading, state->series, strlen(state->series));
	bool good = true;

	pthread_mutex_lock(&self->lock);
	adoption.watch = watch_of(ctx, series);
	if (state->text != NULL)
		good = adopt_text(&adoption);
	else
		drop(self, adoption.watch, state->series);
	pthread_mutex_unlock(&self->lock);
	mc_read_end(reading);
	return good;
}
