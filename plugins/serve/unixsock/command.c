/* SPDX-License-Identifier: MIT */
/* Executes the lines of clients.  Commands that collectd 5.12 also has are answered in its words
 * (tests/scenario/unixsock_like_collectd compares them). */
#include "command.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <collector/private/alerts.h>
#include <collector/private/catalogue.h>
#include <collector/private/recorded.h>
#include <collector/private/status.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "client.h"
#include "history.h"
#include "past.h"
#include "report.h"
#include "threshold.h"

#define SUCCESS "0 Success: " /* How only replies to PUTVAL begin. */
#define NOT_SAFE "-1 Not yet on disk\n"

static const struct mc_type *find_type(void *argument, const char *name)
{
	const struct command *command = argument;

	return mc_type_find(command->ctx, name);
}

/* The batch of this piece of input. */
static struct mc_batch *batch_of(struct command *command)
{
	if (command->batch == NULL)
		command->batch = mc_begin(command->ctx);
	return command->batch;
}

/* Nearly every line is of a series that exists: one look-up finds it and its
 * type, and the batch it is for keeps it alive. */
static const struct mc_type *find_series(void *argument, const char *name, size_t size)
{
	struct command *command = argument;

	command->series = mc_find_for(batch_of(command), name, size);
	return command->series != NULL ? mc_type(command->series) : NULL;
}

void command_init(struct command *command, struct mc_ctx *ctx)
{
	*command = (struct command){ .ctx = ctx };
	command->context = (struct mc_plain_context){
		.interval = ctx->interval,
		.find = find_type,
		.known = find_series,
		.argument = command,
	};
}

void command_begin(struct command *command, struct client *client)
{
	command->client = client;
	command->context.now = mc_wall();
}

/* With a journal, replies wait for it: what they say is then true after a kill.
 * Without one this is no more than a commit. */
void command_end(struct command *command)
{
	if (command->batch != NULL)
		commits_add(&command->commits, command->client, command->batch);
	command->batch = NULL;
}

void command_take_back(struct mc_buffer *reply)
{
	struct mc_buffer out = { 0 };
	const char *line = reply->at, *end = line + reply->size;

	while (line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t size = (newline == NULL ? end : newline + 1) - line;

		if (size > strlen(SUCCESS) && memcmp(line, SUCCESS, strlen(SUCCESS)) == 0)
			reply_add(&out, NOT_SAFE, strlen(NOT_SAFE));
		else
			reply_add(&out, line, size);
		line += size;
	}
	mc_buffer_free(reply);
	*reply = out;
}

/* Whether the value is there; 'latest' is set if so. */
static bool get_latest(struct command *command, const char *name, struct mc_latest *latest)
{
	struct mc_reading *reading = mc_read_begin(command->ctx);
	struct mc_series *series = mc_find(reading, name, strlen(name));

	latest->time = 0;
	if (series != NULL)
		mc_latest(reading, series, latest);
	mc_read_end(reading);
	return series != NULL && latest->time != 0 && !latest->missing;
}

static void getval(struct command *command, struct mc_buffer *reply)
{
	const struct mc_type *type = command->plain.type;
	struct mc_latest latest;

	if (!get_latest(command, command->plain.name.name, &latest)) {
		reply_print(reply, "-1 No such value.\n");
		return;
	}
	reply_print(reply, "%u Value%s found\n", type->sources_len,
		    type->sources_len == 1 ? "" : "s");
	for (unsigned i = 0; i < type->sources_len; i++) {
		char rate[MC_PLAIN_NUMBER_SIZE];

		mc_plain_rate(rate, sizeof(rate), i < latest.values_len ? latest.rates[i] : NAN);
		reply_print(reply, "%s=%s\n", type->sources[i].name, rate);
	}
}

struct list {
	struct mc_buffer *reply;
	size_t len;
	bool cut;          /* Not all fit. */
	const char *label; /* Of those that have ended; NULL: any. */
};

static bool list_one(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct list *list = argument;
	char time[MC_PLAIN_NUMBER_SIZE];
	const char *name = mc_name(series);

	/* In collectd, what has gone silent has left the cache. */
	if (latest->missing)
		return true;

	size_t size = mc_plain_time(time, sizeof(time), latest->time);

	list->cut = !reply_add(list->reply, time, size) || !reply_add(list->reply, " ", 1) ||
		    !reply_add(list->reply, name, strlen(name)) || !reply_add(list->reply, "\n", 1);
	list->len++;
	return !list->cut;
}

static void end_list(struct mc_buffer *reply, size_t start, const struct list *list)
{
	char head[64];
	int size = snprintf(head, sizeof(head), "%zu Value%s found\n", list->len,
			    list->len == 1 ? "" : "s");

	if (!list->cut && reply_insert(reply, start, head, (size_t)size))
		return;
	reply->size = start;
	reply_print(reply, "-1 Too many values; ask with a pattern\n");
}

static void listval(struct command *command, struct mc_buffer *reply)
{
	struct list list = { .reply = reply };
	size_t start = reply->size;

	mc_page_series(command->ctx,
		       &(struct mc_series_page){ .glob = command->plain.glob,
						 .limit = SIZE_MAX,
						 .label = command->plain.label },
		       list_one, &list);
	end_list(reply, start, &list);
}

static bool list_ended_one(void *argument, const struct mc_ended *ended)
{
	struct list *list = argument;

	if (list->label != NULL &&
	    (ended->metric == NULL || !mc_metric_matches(ended->metric, list->label)))
		return true;
	list->cut = !reply_print(list->reply, "%" PRId64 " %" PRId64 " %s\n",
				 ended->first / MC_SECOND, ended->last / MC_SECOND, ended->name);
	list->len++;
	return !list->cut;
}

static void listended(struct command *command, struct mc_buffer *reply)
{
	struct list list = { .reply = reply, .label = command->plain.label };
	size_t start = reply->size;

	mc_each_ended(command->ctx, command->plain.glob, list_ended_one, &list);
	end_list(reply, start, &list);
}

static void putval(struct command *command, struct mc_buffer *reply)
{
	struct mc_plain *plain = &command->plain;
	struct mc_series *series = command->series;

	/* A name with escapes in it was not looked up, and needs a batch. */
	if (!plain->known)
		series = mc_series_named(batch_of(command), &plain->name);
	/* Without a series they are counted, as refused. */
	while (mc_plain_next(plain)) {
		mc_put_at(command->batch, series, plain->stamp, plain->values,
			  plain->type->sources_len);
		/* Two values of "N" are not of one and the same moment. */
		command->context.now++;
	}
	if (series == NULL) {
		reply_print(reply, "-1 Cannot accept the identifier `%s'.\n", plain->name.name);
		return;
	}
	/* Most lines carry one value: no formatting for those. */
	if (plain->lists_len == 1) {
		static const char one[] = SUCCESS "1 value has been dispatched.\n";

		reply_add(reply, one, sizeof(one) - 1);
		return;
	}
	reply_print(reply, SUCCESS "%u values have been dispatched.\n", plain->lists_len);
}

static void putnotif(struct command *command, struct mc_buffer *reply)
{
	mc_notify(command->ctx, &command->plain.notification);
	reply_print(reply, "0 Success\n");
}

struct flush {
	unsigned done, failed;
};

/* Flushes one series (NULL: all) at all plugins named, or at all there are. */
static void flush_series(struct command *command, const char *name, struct flush *flush)
{
	const struct mc_plain *plain = &command->plain;
	const char *plugin = mc_plain_plugin(plain, NULL);

	do {
		if (mc_flush(command->ctx, plugin, plain->age, name) == 0)
			flush->done++;
		else
			flush->failed++;
		if (plugin != NULL)
			plugin = mc_plain_plugin(plain, plugin);
	} while (plugin != NULL);
}

static void flush(struct command *command, struct mc_buffer *reply)
{
	const struct mc_plain *plain = &command->plain;
	const char *name = mc_plain_identifier(plain, NULL);
	struct flush flush = { 0 };

	do {
		flush_series(command, name, &flush);
		if (name != NULL)
			name = mc_plain_identifier(plain, name);
	} while (name != NULL);
	reply_print(reply, "0 Done: %u successful, %u errors\n", flush.done, flush.failed);
}

/* Collectd says nothing to an empty line either. */
static bool is_blank(const char *line, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
			return false;
	return true;
}

static enum command_next run_errand(struct command *command, struct mc_buffer *reply,
				    struct errand *errand)
{
	if (errands_add(&command->errands, errand, command->client)) {
		command->client->has_errand = true;
		return COMMAND_WAITS;
	}
	reply_print(reply, "-1 Cannot start a thread\n");
	return COMMAND_DONE;
}

static void silence(struct command *command, struct mc_buffer *reply)
{
	const struct mc_plain *plain = &command->plain;
	int rc = mc_silence(command->ctx, &(struct mc_silence){ .pattern = plain->glob,
								.until = mc_wall() + plain->lasting,
								.reason = plain->reason });

	if (rc == 0)
		reply_print(reply, "0 Done\n");
	else if (rc == -ENOSPC)
		reply_print(reply, "-1 There are too many silences\n");
	else
		reply_print(reply, "-1 The pattern is too long\n");
}

static void about_alerts(struct command *command, struct mc_buffer *reply)
{
	const struct mc_plain *plain = &command->plain;
	size_t len;

	if (plain->verb == MC_PLAIN_SILENCE) {
		silence(command, reply);
	} else if (plain->verb == MC_PLAIN_UNSILENCE) {
		if (mc_unsilence(command->ctx, plain->glob) == 0)
			reply_print(reply, "0 Done\n");
		else
			reply_print(reply, "-1 There is no silence of that pattern\n");
	} else {
		len = mc_acknowledge(command->ctx, plain->glob, plain->reason);
		if (len > 0)
			reply_print(reply, "0 Done: %zu alert%s acknowledged\n", len,
				    len == 1 ? "" : "s");
		else
			reply_print(reply, "-1 There is no alert of that name\n");
	}
}

static void show_alerts(struct command *command, struct mc_buffer *reply)
{
	if (command->plain.verb == MC_PLAIN_ALERTS)
		report_alerts(command->ctx, reply);
	else if (command->plain.verb == MC_PLAIN_PASTALERTS)
		report_past_alerts(command->ctx, reply);
	else
		report_silences(command->ctx, reply);
}

static void reload(struct command *command, struct mc_buffer *reply)
{
	mc_reload(command->ctx);
	reply_print(reply, "0 Done: see STATUS\n");
}

static void dump(struct command *command, struct mc_buffer *reply)
{
	char where[MC_DUMP_WHERE_SIZE];
	int rc = mc_dump(command->ctx, "asked for", where, sizeof(where));

	if (rc == 0)
		reply_print(reply, "0 %s\n", where);
	else
		reply_print(reply, "-1 %s\n",
			    rc == -ENOENT ? "Nothing is recorded: see the plugin recorder"
					  : strerror(-rc));
}

/* All but PUTVAL. */
static enum command_next ask(struct command *command, struct mc_buffer *reply, const char **glob)
{
	const struct mc_plain *plain = &command->plain;

	switch (plain->verb) {
	case MC_PLAIN_GETVAL:
		getval(command, reply);
		break;
	case MC_PLAIN_GETTHRESHOLD:
		threshold_report(command->ctx, reply, &plain->name);
		break;
	case MC_PLAIN_LISTVAL:
		listval(command, reply);
		break;
	case MC_PLAIN_LISTENDED:
		listended(command, reply);
		break;
	case MC_PLAIN_LISTKEEPERS:
		return run_errand(command, reply, past_keepers(plain->glob, plain->label));
	case MC_PLAIN_FORGET:
		return run_errand(command, reply, past_forget(plain->glob, plain->files));
	case MC_PLAIN_PUTNOTIF:
		putnotif(command, reply);
		break;
	case MC_PLAIN_FLUSH:
		flush(command, reply);
		break;
	case MC_PLAIN_HISTORY:
		return run_errand(command, reply, history_errand(plain->name.name, &plain->span));
	case MC_PLAIN_SCAN:
		return run_errand(command, reply, past_scan());
	case MC_PLAIN_STATUS:
		report_status(command->ctx, reply);
		break;
	case MC_PLAIN_DESCRIBE:
	case MC_PLAIN_EXPLAIN:
		return run_errand(command, reply,
				  report_series(&plain->name, plain->verb == MC_PLAIN_EXPLAIN));
	case MC_PLAIN_ALERTS:
	case MC_PLAIN_PASTALERTS:
	case MC_PLAIN_SILENCES:
		show_alerts(command, reply);
		break;
	case MC_PLAIN_ACK:
	case MC_PLAIN_SILENCE:
	case MC_PLAIN_UNSILENCE:
		about_alerts(command, reply);
		break;
	case MC_PLAIN_RELOAD:
		reload(command, reply);
		break;
	case MC_PLAIN_DUMP:
		dump(command, reply);
		break;
	case MC_PLAIN_TAP:
		reply_print(reply, "0 Following; any command ends it\n");
		*glob = plain->glob;
		return COMMAND_FOLLOWS;
	case MC_PLAIN_PUTVAL:
		break;
	}
	return COMMAND_DONE;
}

enum command_next command_line(struct command *command, struct mc_buffer *reply, char *line,
			       size_t size, const char **glob)
{
	struct mc_plain *plain = &command->plain;

	if (is_blank(line, size))
		return COMMAND_DONE;
	if (!mc_plain_parse(plain, line, size, &command->context)) {
		reply_print(reply, "-1 %s\n", plain->error);
		return COMMAND_DONE;
	}
	if (plain->verb == MC_PLAIN_PUTVAL) {
		putval(command, reply);
		return COMMAND_DONE;
	}
	/* Whoever asks sees what was put before. */
	command_end(command);
	return ask(command, reply, glob);
}
