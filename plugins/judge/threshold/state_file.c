/* SPDX-License-Identifier: MIT */
/* The state file: its records, and when they are written. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#include "threshold.h"

static struct state_record record_of(const struct alert *alert, enum mc_state state)
{
	return (struct state_record){ .state = state,
				      .missing = alert->missing,
				      .by_source = alert->by_source,
				      .since = alert->since,
				      .reported = alert->reported,
				      .interval = alert->interval,
				      .value = alert->value,
				      .source = alert->source,
				      .id = alert->id };
}

static void add(struct mc_buffer *text, const struct alert *alert, enum mc_state state)
{
	struct state_record record = record_of(alert, state);

	state_record_write(text, &record);
}

static bool is_kept(const struct threshold *self)
{
	return self->options.state_file != NULL && *self->options.state_file != '\0';
}

void state_file_add(struct threshold *self, const struct alert *alert, enum mc_state state)
	MC_REQUIRES(self->lock)
{
	struct state_record record = record_of(alert, state);

	if (is_kept(self))
		state_record_write(&self->records, &record);
	if (mc_are_states_heard(self->ctx))
		shared_states_add(&self->told, alert->text, &record);
}

void state_file_add_adopted(struct threshold *self, const struct alert *alert, enum mc_state state)
	MC_REQUIRES(self->lock)
{
	if (is_kept(self))
		add(&self->records, alert, state);
}

bool state_file_waits(const struct threshold *self) MC_REQUIRES(self->lock)
{
	return self->records.size > 0 || self->told.len > 0;
}

/* A failure is found, and logged, by state_file_save(). */
void state_file_append(struct threshold *self)
{
	struct shared_states told;
	struct mc_buffer records;

	pthread_mutex_lock(&self->file_lock);
	pthread_mutex_lock(&self->lock);
	records = self->records;
	self->records = self->appending;
	told = self->told;
	self->told = (struct shared_states){ 0 };
	pthread_mutex_unlock(&self->lock);
	if (records.size > 0)
		mc_state_file_append(&self->file, &records);
	mc_buffer_clear(&records);
	self->appending = records;
	shared_states_report(&told, self->ctx);
	pthread_mutex_unlock(&self->file_lock);
}

static void all_text(const struct threshold *self, struct mc_buffer *text) MC_REQUIRES(self->lock)
{
	const struct alert *alert = NULL;

	mc_buffer_add(text, STATE_RECORD_HEAD, strlen(STATE_RECORD_HEAD));
	while ((alert = alert_next(&self->alerts, alert)) != NULL)
		add(text, alert, alert->state);
}

/* Writes all anew; records that wait meanwhile say again what is in it, or what
 * has come since.  0 or -errno. */
static int replace(struct threshold *self)
{
	struct mc_buffer text = { 0 };
	int fd, rc;

	pthread_mutex_lock(&self->file_lock);
	pthread_mutex_lock(&self->lock);
	all_text(self, &text);
	pthread_mutex_unlock(&self->lock);
	self->file.replacing = true;
	pthread_mutex_unlock(&self->file_lock);
	fd = mc_state_file_write(self->options.state_file, &text);
	pthread_mutex_lock(&self->file_lock);
	rc = mc_state_file_take(&self->file, fd, text.size);
	pthread_mutex_unlock(&self->file_lock);
	mc_buffer_free(&text);
	return rc;
}

/* 0 or -errno. */
static int sync_appended(struct threshold *self)
{
	int fd = -1, rc = 0;

	pthread_mutex_lock(&self->file_lock);
	if (self->file.unsynced && self->file.fd >= 0)
		fd = dup(self->file.fd);
	self->file.unsynced = false;
	pthread_mutex_unlock(&self->file_lock);
	if (fd < 0)
		return 0;
	if (fdatasync(fd) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

void state_file_save(struct mc_ctx *ctx)
{
	struct threshold *self = ctx->self;
	bool is_old;
	int rc;

	if (!is_kept(self))
		return;
	pthread_mutex_lock(&self->file_lock);
	is_old = mc_state_file_is_old(&self->file);
	pthread_mutex_unlock(&self->file_lock);
	rc = is_old ? replace(self) : sync_appended(self);
	if (rc < 0)
		mc_complain(ctx, &self->unwritable, -rc,
			    "cannot write '%s', so a restart reports standing alarms again",
			    self->options.state_file);
	else
		mc_works(ctx, &self->unwritable, "'%s' is written again", self->options.state_file);
}

/* --- At the start --------------------------------------------------------- */

void state_file_take(struct threshold *self, const struct state_record *record)
	MC_REQUIRES(self->lock)
{
	struct alert *alert = alert_take(&self->alerts, &record->id);

	if (alert != NULL)
		alert_free(&self->alerts, alert);
	if (record->state == MC_STATE_OKAY)
		return;
	alert = alert_new(&self->alerts, &record->id);
	alert_set(&self->alerts, alert, record->state, record->missing);
	alert->by_source = record->by_source;
	alert->kept = self->keeps = true;
	alert->kept_since = mc_now();
	alert->interval = record->interval;
	alert->since = record->since;
	alert->reported = record->reported;
	alert->value = record->value;
	memcpy(alert->source, record->source, strlen(record->source) + 1);
	alert_leave(&self->alerts, alert);
}

static void load(void *self, const struct state_record *record) MC_NO_LOCK
{
	state_file_take(self, record);
}

void state_file_load(struct mc_ctx *ctx) MC_NO_LOCK
{
	struct threshold *self = ctx->self;
	const char *path = self->options.state_file;
	struct mc_buffer text = { 0 };
	ssize_t damaged = 0;
	int rc;

	if (!is_kept(self))
		return;
	rc = mc_state_file_read(path, &text);
	if (rc == 0 && text.size > 0)
		damaged = state_record_read(text.at, text.size, load, self);
	if (rc < 0)
		mc_log(ctx, MC_WARN, "cannot read '%s', begins anew: %s", path, strerror(-rc));
	else if (damaged < 0)
		mc_log(ctx, MC_WARN, "'%s' is not a state file of this version, begins anew", path);
	else if (damaged > 0)
		mc_log(ctx, MC_WARN, "'%s' is damaged, left out: %zd of its records", path,
		       damaged);
	mc_buffer_free(&text);
	state_file_save(ctx);
}
