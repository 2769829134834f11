/* SPDX-License-Identifier: MIT */
/* migration - guests that move between hosts: their counters go on, their silence meanwhile is no
 * alarm, and one notice says from where to where.  Events are those of libvirt, as the plugin virt
 * sends them; moves.h has what is known of guests. */
#include <collector/check.h>
#include <collector/judge.h>
#include <collector/kit/alloc.h>
#include <collector/kit/lock.h>
#include <collector/kit/number.h>
#include <collector/plugin.h>
#include <collector/private/alerts.h>
#include <collector/private/stream.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "moves.h"
#include "release.h"
#include "state.h"
#include "tally.h"

#define SOURCE "virt"
#define MIGRATION_OUT "5" /* VIR_DOMAIN_JOB_OPERATION_MIGRATION_OUT */
#define HOST_SIZE 256

struct news { /* Reported when no lock is held. */
	struct news *next;
	enum moves_news kind;
	char host[HOST_SIZE], from[STREAM_PART_SIZE], to[STREAM_PART_SIZE];
	char owner[STREAM_PART_SIZE], rival[STREAM_PART_SIZE];
	struct moves_figures figures;
};

struct migration {
	const char *state_path;
	bool report_stats, report_moves;
	struct mc_select *handover_hosts;
	mc_time handover_wait;
	struct release release;

	pthread_mutex_t lock;
	struct moves moves MC_GUARDED_BY(lock);
	struct tally tally MC_GUARDED_BY(lock);
	struct state state;
	struct history history;
};

/* --- Values -------------------------------------------------------------------- */

static void admit(struct mc_ctx *ctx, const struct mc_series *series,
		  struct mc_admission *admission)
{
	(void)ctx;
	if (strcmp(mc_plugin(series), SOURCE) == 0)
		mc_admit_each(admission);
}

static void take(struct migration *self, struct mc_arrivals *arrivals, size_t number)
	MC_REQUIRES(self->lock)
{
	enum moves_verdict verdict;
	struct mc_sample *sample = arrivals->samples[number];
	const char *host = mc_host(sample->series);
	struct moves_sample taken = { .host = host,
				      .name = mc_name(sample->series) + strlen(host) + 1,
				      .stream = mc_admit_stream(arrivals, number),
				      .now = arrivals->time,
				      .time = sample->time,
				      .interval = sample->interval,
				      .counters = release_counters(mc_type(sample->series)),
				      .values = sample->values,
				      .values_len = sample->values_len };

	if (taken.stream == NULL) {
		moves_reach(&self->moves, host, sample->time);
		return;
	}
	verdict = moves_take(&self->moves, &taken);
	tally_count(&self->tally, taken.stream, verdict);
	if (verdict == MOVES_WAITS) {
		moves_keep(&self->moves, &taken, mc_hold(sample->series));
		state_note_wait(&self->state, &taken, sample->series);
	}
	if (verdict == MOVES_WAITS || verdict == MOVES_MERGED)
		mc_admit_drop_sample(arrivals, number);
	else if (verdict == MOVES_PAST)
		mc_admit_late_sample(arrivals, number, release_why(verdict));
	else if (verdict != MOVES_TAKEN)
		mc_admit_refuse_sample(arrivals, number, release_why(verdict));
}

static void admit_samples(struct mc_ctx *ctx, struct mc_arrivals *arrivals)
{
	struct migration *self = ctx->self;
	bool waits, dirty;

	pthread_mutex_lock(&self->lock);
	for (size_t i = 0; i < arrivals->len; i++)
		take(self, arrivals, i);
	waits = self->moves.waiting != NULL;
	dirty = self->moves.dirty;
	pthread_mutex_unlock(&self->lock);
	if (dirty) /* Before anybody else has the values: a kill forgets none of their processes. */
		state_append(&self->state);
	if (waits)
		release_wake(&self->release);
}

/* --- Events --------------------------------------------------------------------- */

static const char *field_of(const struct mc_notification *notification, const char *name)
{
	for (unsigned i = 0; i < notification->fields_len; i++)
		if (strcmp(notification->fields[i].name, name) == 0)
			return notification->fields[i].value;
	return "";
}

static bool is(const struct mc_notification *notification, const char *name, const char *value)
{
	return strcmp(field_of(notification, name), value) == 0;
}

static bool is_wanted(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	const struct mc_id *id = &notification->id;

	(void)ctx;
	return id->plugin != NULL && strcmp(id->plugin, SOURCE) == 0 && id->type != NULL &&
	       (strcmp(id->type, "domain_state") == 0 || strcmp(id->type, "job_stats") == 0) &&
	       field_of(notification, "hypervisor")[0] != '\0';
}

static double number_of(const struct mc_notification *notification, const char *name)
{
	uint64_t number;

	if (!mc_number_unsigned(field_of(notification, name), 10, INT64_MAX, &number))
		return NAN;
	return (double)number;
}

/* By the names of libvirt's job statistics: times are in milliseconds, the rate is in pages. */
static struct moves_figures figures_of(const struct mc_notification *notification)
{
	return (struct moves_figures){
		.downtime = number_of(notification, "downtime") * 1e-3,
		.duration = number_of(notification, "time_elapsed") * 1e-3,
		.transferred = number_of(notification, "data_processed"),
		.dirty_rate = number_of(notification, "memory_dirty_rate") *
			      number_of(notification, "memory_page_size"),
	};
}

/* False if it does not matter. */
static bool find_kind(const struct mc_notification *notification, enum moves_kind *kind)
{
	bool migrated = is(notification, "reason", "migrated");

	if (strcmp(notification->id.type, "job_stats") == 0) {
		*kind = MOVES_JOB_DONE;
		return is(notification, "operation", MIGRATION_OUT);
	}
	if (is(notification, "event", "stopped"))
		*kind = migrated ? MOVES_STOPPED : MOVES_ENDED;
	else if (is(notification, "event", "suspended") && migrated)
		*kind = MOVES_SUSPENDED;
	else if (is(notification, "event", "suspended") && is(notification, "reason", "postcopy"))
		*kind = MOVES_HANDED;
	else if (is(notification, "event", "started") && !migrated) /* Else it is on its way. */
		*kind = MOVES_STARTED;
	else if (is(notification, "event", "resumed"))
		*kind = migrated || is(notification, "reason", "postcopy") ? MOVES_CAME
									   : MOVES_RESUMED;
	else
		return false;
	return true;
}

static void expect_end(struct mc_ctx *ctx, const char *host, bool expected)
{
	mc_expect_end(ctx, &(struct mc_id){ .host = host, .plugin = "" }, expected);
}

static void hear(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct migration *self = ctx->self;
	struct moves_event event = { .host = notification->id.host,
				     .hypervisor = field_of(notification, "hypervisor"),
				     .now = mc_wall(),
				     .time = notification->time,
				     .figures = figures_of(notification) };
	size_t size;
	bool quiet;

	size = strcspn(event.hypervisor, " \t\n"); /* It is a word, as in a stream. */
	if (event.host == NULL || size >= STREAM_PART_SIZE || event.hypervisor[size] != '\0' ||
	    !find_kind(notification, &event.kind))
		return;
	pthread_mutex_lock(&self->lock);
	quiet = moves_events_hear(&self->moves, &event) != NULL;
	pthread_mutex_unlock(&self->lock);
	if (quiet)
		expect_end(ctx, event.host, true);
}

static int notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	for (; notification != NULL; notification = mc_next_notification(ctx))
		hear(ctx, notification);
	return 0;
}

/* --- News ----------------------------------------------------------------------- */

static void keep_news(void *argument, enum moves_news kind, const struct moves_guest *guest)
{
	struct news **last = argument, *news = mc_alloc_zero(sizeof(*news));

	news->kind = kind;
	snprintf(news->host, sizeof(news->host), "%s", guest->host);
	memcpy(news->from, guest->from, sizeof(news->from));
	memcpy(news->to, guest->to, sizeof(news->to));
	memcpy(news->owner, guest->generations[guest->current].stream.hypervisor,
	       sizeof(news->owner));
	memcpy(news->rival, guest->rival, sizeof(news->rival));
	news->figures = guest->figures;
	news->next = *last;
	*last = news;
}

static struct mc_id id_of(const struct news *news, const char *type)
{
	return (struct mc_id){ .host = news->host, .plugin = "migration", .type = type };
}

static void stand(struct mc_ctx *ctx, const struct news *news, const struct mc_standing *standing)
{
	struct mc_standing full = *standing;

	full.id = id_of(news, standing->id.type);
	mc_stand(ctx, &full);
}

static void tell_moved(struct mc_ctx *ctx, const struct news *news)
{
	char message[512], downtime[32], duration[32];
	struct mc_field fields[4] = { { "from", news->from }, { "to", news->to } };
	unsigned len = 2;
	int size = snprintf(message, sizeof(message), "%.200s has moved%s%s to %s", news->host,
			    news->from[0] != '\0' ? " from " : "", news->from, news->to);

	if (!isnan(news->figures.downtime) && !isnan(news->figures.duration)) {
		snprintf(downtime, sizeof(downtime), "%.3f", news->figures.downtime);
		snprintf(duration, sizeof(duration), "%.3f", news->figures.duration);
		fields[len++] = (struct mc_field){ "downtime", downtime };
		fields[len++] = (struct mc_field){ "duration", duration };
		snprintf(message + size, sizeof(message) - (size_t)size,
			 " in %s s, and stood still for %s s", duration, downtime);
	}
	mc_notify(ctx, &(struct mc_notification){ .severity = MC_OKAY,
						  .id = id_of(news, "migration"),
						  .message = message,
						  .fields = fields,
						  .fields_len = len });
	stand(ctx, news,
	      &(struct mc_standing){ .id.type = "arrival",
				     .severity = MC_OKAY,
				     .reason = "it has arrived",
				     .quiet = true });
}

static void tell_lost(struct mc_ctx *ctx, const struct news *news)
{
	char reason[512];

	snprintf(reason, sizeof(reason), "%.200s has left %s and has not arrived anywhere",
		 news->host, news->from);
	stand(ctx, news,
	      &(struct mc_standing){ .id.type = "arrival",
				     .severity = MC_FAILURE,
				     .reason = reason,
				     .advice = "Look for it with virsh list; the host that it is "
					       "on may have no collector.",
				     .lasting = MOVES_FORGETS });
}

static void tell_refused(struct mc_ctx *ctx, const struct news *news)
{
	char reason[512];

	snprintf(reason, sizeof(reason),
		 "%s sends values of %.200s, which %s has: they are not taken", news->rival,
		 news->host, news->owner);
	stand(ctx, news,
	      &(struct mc_standing){ .id.type = "owner",
				     .severity = MC_WARNING,
				     .reason = reason,
				     .advice = "If both hosts run it, stop one before its disk is "
					       "damaged; else one of them claims what it does not "
					       "have.",
				     .lasting = MOVES_ARRIVES });
}

static void tell(struct mc_ctx *ctx, const struct news *news)
{
	switch (news->kind) {
	case MOVES_HAS_MOVED:
		tell_moved(ctx, news);
		break;
	case MOVES_IS_LOST:
		tell_lost(ctx, news);
		break;
	case MOVES_IS_REFUSED:
		tell_refused(ctx, news);
		break;
	case MOVES_IS_LOUD:
		expect_end(ctx, news->host, false);
		break;
	case MOVES_IS_QUIET:
		expect_end(ctx, news->host, true);
		break;
	}
}

static void look(struct mc_ctx *ctx)
{
	struct migration *self = ctx->self;
	struct news *first = NULL, *next;

	pthread_mutex_lock(&self->lock);
	moves_events_look(&self->moves, mc_wall(), keep_news, &first);
	pthread_mutex_unlock(&self->lock);
	for (; first != NULL; first = next) {
		next = first->next;
		tell(ctx, first);
		free(first);
	}
}

/* --- Answers ---------------------------------------------------------------------- */

static unsigned known_of(const struct moves_guest *guest)
{
	unsigned known = 0;

	for (unsigned i = 0; i < MOVES_GENERATIONS; i++)
		known += guest->generations[i].serial != 0;
	return known;
}

static void explain(struct mc_ctx *ctx, const struct mc_series *series, struct mc_answer *answer)
{
	struct migration *self = ctx->self;
	const struct moves_guest *guest;
	char hypervisor[STREAM_PART_SIZE] = "", generation[STREAM_PART_SIZE];
	unsigned known = 0;
	bool waits = false;

	if (strcmp(mc_plugin(series), SOURCE) != 0)
		return;
	pthread_mutex_lock(&self->lock);
	guest = moves_find(&self->moves, mc_host(series));
	if (guest != NULL) {
		const struct moves_generation *current = &guest->generations[guest->current];

		known = known_of(guest);
		waits = guest->handover.since != 0;
		memcpy(hypervisor, current->stream.hypervisor, sizeof(hypervisor));
		memcpy(generation, current->stream.generation, sizeof(generation));
	}
	pthread_mutex_unlock(&self->lock);
	if (hypervisor[0] != '\0')
		mc_explain(answer, "counted by QEMU %s on %s, the last of %u that are known",
			   generation, hypervisor, known);
	if (waits)
		mc_explain(answer,
			   "it has moved, and its values wait for those that %s has of before",
			   hypervisor);
	history_explain(&self->history, mc_host(series), answer);
}

/* An empty list selects all, so what it does not ignore is in none. */
static bool is_listed(const void *list, const char *host)
{
	return !mc_selected(list, true, host);
}

/* --- The plugin ------------------------------------------------------------------- */

static int start(struct mc_ctx *ctx) MC_NO_LOCK
{
	struct migration *self = ctx->self;

	int rc;

	pthread_mutex_init(&self->lock, NULL);
	self->state.path = self->state_path;
	self->state.lock = &self->lock;
	self->state.moves = &self->moves;
	self->history = (struct history){ .lock = &self->lock, .moves = &self->moves };
	self->moves.wait = self->handover_wait;
	self->moves.trusts = is_listed;
	self->moves.list = self->handover_hosts;
	self->release.ctx = ctx;
	self->release.lock = &self->lock;
	self->release.moves = &self->moves;
	self->release.tally = &self->tally;
	rc = release_start(&self->release);
	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot make a descriptor");
	mc_select_notifications(ctx, is_wanted);
	mc_end_streams(ctx, true);
	self->release.state = &self->state;
	state_start(ctx, &self->state);
	if (self->moves.waiting != NULL)
		release_wake(&self->release);
	return 0;
}

static void put_counts(struct mc_batch *out, const char *host, uint64_t late, uint64_t refused)
{
	mc_put_derive(out, (int64_t)late, .plugin_instance = host, .type = "derive",
		      .type_instance = "late");
	mc_put_derive(out, (int64_t)refused, .plugin_instance = host, .type = "derive",
		      .type_instance = "refused");
}

static void report_counts(struct migration *self, struct mc_batch *out)
{
	struct tally_host *hosts;
	struct moves counts;
	size_t len;

	pthread_mutex_lock(&self->lock);
	counts = self->moves;
	hosts = tally_copy(&self->tally, &len);
	pthread_mutex_unlock(&self->lock);
	mc_put_derive(out, (int64_t)counts.moved, .type = "derive", .type_instance = "moves");
	mc_put_derive(out, (int64_t)counts.waited, .type = "derive", .type_instance = "waited");
	mc_put_derive(out, (int64_t)counts.overdue, .type = "derive", .type_instance = "overdue");
	put_counts(out, "", counts.late, counts.refused);
	for (size_t i = 0; i < len; i++)
		put_counts(out, hosts[i].name, hosts[i].late, hosts[i].refused);
	free(hosts);
}

static int read_moves(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct migration *self = ctx->self;

	look(ctx);
	state_save(ctx, &self->state);
	if (self->report_stats)
		report_counts(self, out);
	if (self->report_moves)
		history_report(&self->history, ctx, out);
	return 0;
}

static int run(struct mc_ctx *ctx)
{
	struct migration *self = ctx->self;

	return release_run(&self->release);
}

static void stop(struct mc_ctx *ctx) MC_NO_LOCK
{
	struct migration *self = ctx->self;

	mc_end_streams(ctx, false);
	release_stop(&self->release);
	state_stop(ctx, &self->state);
	moves_done(&self->moves);
	tally_done(&self->tally);
	pthread_mutex_destroy(&self->lock);
}

static const struct mc_option options[] = {
	{ .name = "StateFile",
	  MC_OPT_STRING(struct migration, state_path),
	  .default_value = "migration.state",
	  .help = "File of what counters go on with, in BaseDir; empty: none, and after a "
		  "restart counters of guests that have moved begin anew." },
	{ .name = "HandoverWait",
	  MC_OPT_TIME(struct migration, handover_wait),
	  .default_value = "10",
	  .help = "Seconds for which values of a guest's new host wait at most, if its old host "
		  "has "
		  "some of before that have not come; 0: they do not wait." },
	{ .name = "HandoverHosts",
	  MC_OPT_SELECT(struct migration, handover_hosts),
	  .help = "Hosts that may take over guests of each other as soon as they claim them, "
		  "without a statement of the old host: names and /regexes/." },
	{ .name = "ReportMoves",
	  MC_OPT_BOOL(struct migration, report_moves),
	  .default_value = "true",
	  .help = "Reports the figures of the last move of each guest, for an hour: how long it "
		  "took, how long the guest stood still, how much was transferred." },
	{ .name = "ReportStats",
	  MC_OPT_BOOL(struct migration, report_stats),
	  .default_value = "false",
	  .help = "Reports how many guests have moved, and how many values have waited, came "
		  "late or were refused, the last two also of each host." },
	{ 0 }
};

MC_PLUGIN(migration) = {
	MC_NAMED(migration),
	.help = "Keeps series of guests whole when they move to another host.",
	.self_size = sizeof(struct migration),
	.options = options,
	.types = (const char *const[]){ "bytes", "derive", "duration", "gauge", NULL },
	.start = start,
	.read = read_moves,
	.run = run,
	.writer = &(const struct mc_writer){ .notify = notify },
	.judge = &(const struct mc_judge){ .admit = admit,
					   .admit_samples = admit_samples,
					   .explain = explain },
	.stop = stop,
};
