/* SPDX-License-Identifier: MIT */
#include "kit/net/dialogue.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/un.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/once.h>
#include <collector/kit/stream_client.h>
#include <collector/kit/wait.h>
#include <collector/serve.h>

struct dialogues {
	struct mc_loop loop;
	struct mc_stream_room room;
	struct dialogue *first;
	struct mc_every every;
	struct mc_loop_timer turn; /* When to look for servers. */
	void (*look)(struct dialogues *, void *argument);
	void *argument;
};

struct dialogue {
	struct dialogue *next, **link; /* The pointer to it: the first's, or a next. */
	const struct dialogue_target *target;
	struct mc_stream_client client;
	struct mc_stream_kind stream_kind;
	struct mc_loop *loop;
	struct mc_every every;
	struct mc_loop_timer turn; /* When to ask. */
	struct mc_loop_timer late; /* Set while answers are to come. */
	size_t taken;              /* Bytes of answers since it was asked. */
	struct mc_batch *batch;
	struct mc_quota *quota;
	struct mc_once trouble;
	char *name;
};

void dialogue_check(struct mc_ctx *ctx, const char *const *host, const char *const *port,
		    const char *const *socket)
{
	const size_t size_max = sizeof(((struct sockaddr_un *)0)->sun_path);

	if (socket == NULL || *socket == NULL) {
		mc_check_address(ctx, host, port);
		return;
	}
	if ((*socket)[0] != '/' || strlen(*socket) >= size_max)
		mc_check_error(ctx, socket, "is not the path of a unix socket");
	else
		mc_check_access(ctx, socket, *socket, MC_ACCESS_CONNECT);
}

/* --- What callbacks may do ------------------------------------------------- */

void *dialogue_argument(const struct dialogue *dialogue)
{
	return dialogue->target->argument;
}

struct mc_ctx *dialogue_ctx(const struct dialogue *dialogue)
{
	return dialogue->loop->ctx;
}

const char *dialogue_name(const struct dialogue *dialogue)
{
	return dialogue->name;
}

void dialogue_ask(struct dialogue *dialogue, const char *text, size_t size)
{
	mc_stream_add(&dialogue->client.stream, text, size);
}

struct mc_stream *dialogue_stream(struct dialogue *dialogue)
{
	return &dialogue->client.stream;
}

struct mc_batch *dialogue_batch(struct dialogue *dialogue)
{
	if (dialogue->batch == NULL) {
		dialogue->batch = mc_begin(dialogue->loop->ctx);
		mc_charge(dialogue->batch, dialogue->quota);
	}
	return dialogue->batch;
}

static bool is_asked(const struct dialogue *dialogue)
{
	return mc_loop_timer_is_set(&dialogue->late);
}

void dialogue_ask_more(struct dialogue *dialogue)
{
	mc_stream_client_close(&dialogue->client);
	mc_stream_client_open(&dialogue->client);
}

void dialogue_answered(struct dialogue *dialogue)
{
	if (dialogue->target->kind->once)
		mc_stream_client_close(&dialogue->client);
	mc_loop_unset_timer(dialogue->loop, &dialogue->late);
	mc_stream_client_works(&dialogue->client);
	if (dialogue->batch != NULL)
		mc_commit(dialogue->batch);
	dialogue->batch = NULL;
	mc_works(dialogue->loop->ctx, &dialogue->trouble, "'%s' answers again", dialogue->name);
}

static void forget(struct dialogue *dialogue)
{
	mc_loop_unset_timer(dialogue->loop, &dialogue->late);
	if (dialogue->batch != NULL)
		mc_discard(dialogue->batch);
	dialogue->batch = NULL;
}

static void complain(struct dialogue *dialogue, const char *why)
{
	forget(dialogue);
	mc_complain(dialogue->loop->ctx, &dialogue->trouble, 0, "'%s': %s", dialogue->name, why);
	if (dialogue->target->kind->failed != NULL)
		dialogue->target->kind->failed(dialogue);
}

void dialogue_fail(struct dialogue *dialogue, const char *fmt, ...)
{
	char why[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	complain(dialogue, why);
	mc_stream_client_close(&dialogue->client);
}

/* --- What the server does --------------------------------------------------- */

static struct dialogue *dialogue_of(struct mc_stream *stream)
{
	return (struct dialogue *)((char *)stream - offsetof(struct dialogue, client.stream));
}

static void on_opened(struct mc_stream *stream)
{
	struct dialogue *dialogue = dialogue_of(stream);
	const struct dialogue_kind *kind = dialogue->target->kind;

	if (kind->opened != NULL)
		kind->opened(dialogue);
	kind->ask(dialogue);
}

/* Counts these bytes; false, and the conversation is over: they are too many, or not asked for. */
static bool may_take(struct dialogue *dialogue, size_t size)
{
	if (!is_asked(dialogue) && !dialogue->target->kind->unasked)
		dialogue_fail(dialogue, "it sends what was not asked for");
	else if (size > dialogue->target->kind->answer_max - dialogue->taken)
		dialogue_fail(dialogue, "its answer has more than %zu bytes",
			      dialogue->target->kind->answer_max);
	else
		return true;
	return false;
}

static void on_line(struct mc_stream *stream, char *line, size_t size)
{
	struct dialogue *dialogue = dialogue_of(stream);

	if (!may_take(dialogue, size + 1))
		return;
	dialogue->taken += size + 1;
	if (size > 0 && line[size - 1] == '\r')
		line[--size] = '\0';
	dialogue->target->kind->line(dialogue, line, size);
}

static size_t on_bytes(struct mc_stream *stream, char *bytes, size_t size)
{
	struct dialogue *dialogue = dialogue_of(stream);
	const struct dialogue_kind *kind = dialogue->target->kind;
	size_t taken;

	if (kind->line != NULL)
		return mc_stream_take_lines(stream, bytes, size);
	if (!may_take(dialogue, size))
		return size;
	if (kind->take == NULL)
		return 0;
	taken = kind->take(dialogue, bytes, size);
	dialogue->taken += taken;
	return taken;
}

/* The server has ended the connection after these bytes. */
static void on_rest(struct mc_stream *stream, char *bytes, size_t size)
{
	struct dialogue *dialogue = dialogue_of(stream);
	char *text;

	if (!is_asked(dialogue))
		return;
	if (dialogue->target->kind->ended == NULL) {
		dialogue_fail(dialogue, "it has ended in the middle of an answer");
		return;
	}
	text = mc_alloc(size + 1);
	memcpy(text, bytes, size);
	text[size] = '\0';
	dialogue->target->kind->ended(dialogue, text, size);
	free(text);
}

/* A server may end a connection that is idle. */
static void on_failed(struct mc_stream_client *client)
{
	struct dialogue *dialogue = dialogue_of(&client->stream);

	if (is_asked(dialogue))
		complain(dialogue, client->why);
}

static const struct mc_stream_kind lines_kind = {
	.take = on_bytes,
	.line = on_line,
	.opened = on_opened,
	.rest = on_rest,
	.rest_size_max = DIALOGUE_SIZE_MAX,
	.out_size_max = SIZE_MAX,
	.pipelines = true,
};

/* --- Times ------------------------------------------------------------------ */

static void on_late(void *argument)
{
	dialogue_fail(argument, "no whole answer in time");
}

static void on_turn(void *argument)
{
	struct dialogue *dialogue = argument;
	struct mc_loop *loop = dialogue->loop;
	mc_time timeout = dialogue->client.connect_max;

	mc_every_done(&dialogue->every, loop->now);
	mc_loop_set_timer(loop, &dialogue->turn, dialogue->every.next);
	if (is_asked(dialogue)) {
		if (loop->now < dialogue->late.due)
			return; /* With a timeout longer than the interval. */
		on_late(dialogue);
	}
	mc_loop_set_timer(loop, &dialogue->late, loop->now + timeout);
	dialogue->taken = 0;
	if (dialogue->client.state == MC_STREAM_CLIENT_OPEN) {
		dialogue->target->kind->ask(dialogue);
		mc_stream_go_on(&dialogue->client.stream);
	} else if (dialogue->client.state == MC_STREAM_CLIENT_CLOSED) {
		mc_stream_client_open(&dialogue->client);
	}
}

/* --- Life ------------------------------------------------------------------- */

static char *name_of(const struct dialogue_target *target)
{
	if (target->port == NULL)
		return mc_alloc_printf("unix:%s", target->host);
	if (strchr(target->host, ':') != NULL)
		return mc_alloc_printf("[%s]:%s", target->host, target->port);
	return mc_alloc_printf("%s:%s", target->host, target->port);
}

struct dialogue *dialogue_begin(struct dialogues *dialogues, const struct dialogue_target *target)
{
	struct mc_ctx *ctx = dialogues->loop.ctx;
	struct dialogue *dialogue = mc_alloc_zero(sizeof(*dialogue));

	dialogue->target = target;
	dialogue->loop = &dialogues->loop;
	dialogue->name = name_of(target);
	dialogue->quota = mc_quota_new(ctx, MC_QUOTA_SOURCE, dialogue->name, target->limits);
	dialogue->stream_kind = lines_kind;
	if (target->kind->take != NULL && target->kind->answer_max > DIALOGUE_SIZE_MAX)
		dialogue->stream_kind.rest_size_max = target->kind->answer_max;
	dialogue->client.kind = &dialogue->stream_kind;
	dialogue->client.room = &dialogues->room;
	dialogue->client.host = target->host;
	dialogue->client.port = target->port;
	dialogue->client.connect_max = target->timeout > 0 ? target->timeout : ctx->interval;
	dialogue->client.backoff.longest = 1; /* An attempt each interval. */
	dialogue->client.failed = on_failed;
	dialogue->every.period = ctx->interval;
	dialogue->turn.expired = on_turn;
	dialogue->late.expired = on_late;
	dialogue->turn.argument = dialogue->late.argument = dialogue;
	mc_loop_set_timer(dialogue->loop, &dialogue->turn, mc_now());
	dialogue->next = dialogues->first;
	dialogue->link = &dialogues->first;
	if (dialogue->next != NULL)
		dialogue->next->link = &dialogue->next;
	dialogues->first = dialogue;
	return dialogue;
}

void dialogue_end(struct dialogue *dialogue)
{
	*dialogue->link = dialogue->next;
	if (dialogue->next != NULL)
		dialogue->next->link = dialogue->link;
	mc_stream_client_close(&dialogue->client);
	forget(dialogue);
	mc_loop_unset_timer(dialogue->loop, &dialogue->turn);
	mc_quota_free(dialogue->quota);
	free(dialogue->name);
	free(dialogue);
}

static void on_look(void *argument)
{
	struct dialogues *dialogues = argument;

	mc_every_done(&dialogues->every, dialogues->loop.now);
	mc_loop_set_timer(&dialogues->loop, &dialogues->turn, dialogues->every.next);
	dialogues->look(dialogues, dialogues->argument);
}

static int run(struct dialogues *dialogues)
{
	int rc = mc_loop_run(&dialogues->loop);

	while (dialogues->first != NULL)
		dialogue_end(dialogues->first);
	mc_loop_unset_timer(&dialogues->loop, &dialogues->turn);
	return rc;
}

int dialogue_run_changing(struct mc_ctx *ctx, void (*look)(struct dialogues *, void *argument),
			  void *argument)
{
	struct dialogues dialogues = {
		.loop.ctx = ctx,
		.room.loop = &dialogues.loop,
		.every.period = ctx->interval,
		.turn = { .expired = on_look, .argument = &dialogues },
		.look = look,
		.argument = argument,
	};
	int rc = mc_loop_init(&dialogues.loop);

	mc_stream_client_room_init(&dialogues.room);
	if (rc == 0) {
		mc_loop_set_timer(&dialogues.loop, &dialogues.turn, mc_now());
		rc = run(&dialogues);
	}
	mc_stream_room_done(&dialogues.room);
	mc_loop_done(&dialogues.loop);
	return rc;
}

int dialogue_run(struct mc_ctx *ctx, const struct dialogue_target *targets, size_t len)
{
	struct dialogues dialogues = { .loop.ctx = ctx, .room.loop = &dialogues.loop };
	int rc = mc_loop_init(&dialogues.loop);

	mc_stream_client_room_init(&dialogues.room);
	if (rc == 0) {
		for (size_t i = 0; i < len; i++)
			dialogue_begin(&dialogues, &targets[i]);
		rc = run(&dialogues);
	}
	mc_stream_room_done(&dialogues.room);
	mc_loop_done(&dialogues.loop);
	return rc;
}
