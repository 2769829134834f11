/* SPDX-License-Identifier: MIT */
#include "fetch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/stream_client.h>

#include "fetched.h"
#include "file.h"
#include "formats/rrdcached/reply.h"

enum { COMMANDS_MAX = FETCHED_KINDS * (FILE_PREFIX_MAX + 64) };
static const mc_time limit = 2 * MC_SECOND;

/* --- Replies ------------------------------------------------------------- */

struct answer {
	struct mc_stream_client client; /* The first. */
	const char *commands;
	struct reply reply;
	struct fetched *fetched; /* Of each reply, as enum fetched_kind; NULL: none. */
	unsigned replies;        /* Begun, */
	unsigned commands_len;   /* as there are commands. */
	char refusal[MC_HISTORY_WHY];
	char why[MC_HISTORY_WHY]; /* There is no answer; "": there is. */
	bool over;
};

static int take_line(struct answer *answer, const struct reply_line *line)
{
	if (line->kind == REPLY_BROKEN)
		return -EPROTO;
	if (line->kind == REPLY_STATUS && ++answer->replies > answer->commands_len)
		return -EPROTO;
	if (line->kind == REPLY_STATUS && line->number < 0 && answer->replies == 1)
		snprintf(answer->refusal, sizeof(answer->refusal), "%s", line->text);
	if (line->kind == REPLY_DETAIL && answer->fetched != NULL)
		fetched_line(&answer->fetched[answer->replies - 1], line->text);
	return 0;
}

static size_t take(struct mc_stream *stream, char *bytes, size_t size)
{
	struct answer *answer = (struct answer *)stream;
	const char *at = bytes, *end = bytes + size;

	while (at < end && !answer->over) {
		struct reply_line line = reply_next(&answer->reply, &at, end);

		if (line.kind == REPLY_NONE)
			continue;
		if (take_line(answer, &line) != 0) {
			mc_stream_fail(stream, MC_STREAM_BROKEN, strerror(EPROTO));
			return size;
		}
		answer->over = line.last && answer->replies == answer->commands_len;
	}
	return size;
}

static void on_opened(struct mc_stream *stream)
{
	mc_stream_add_text(stream, ((struct answer *)stream)->commands);
}

static void on_failed(struct mc_stream_client *client)
{
	struct answer *answer = (struct answer *)client;

	snprintf(answer->why, sizeof(answer->why), "%s", client->reason);
	answer->over = true;
}

static const struct mc_stream_kind kind = {
	.take = take,
	.opened = on_opened,
	MC_STREAM_CLIENT_LIMITS,
};

/* --- The whole ----------------------------------------------------------- */

/* Its path as in a command.  False: there can be no such file. */
static bool print_path(const struct fetch_file *file, char path[FILE_PREFIX_MAX])
{
	char prefix[FILE_PREFIX_MAX];
	size_t verb = strlen("UPDATE ");
	int size = (int)file_prefix(file->directory, file->name, prefix) - (int)verb - 1;

	if (size <= 0)
		return false;
	snprintf(path, FILE_PREFIX_MAX, "%.*s", size, prefix + verb);
	return true;
}

/* A command for each consolidation function. */
static bool print_commands(const struct fetch_file *file, const struct mc_history *history,
			   char out[COMMANDS_MAX])
{
	int64_t start = history->start / MC_SECOND;
	int64_t end = (history->start + history->step * history->points_len) / MC_SECOND;
	static const char *const functions[FETCHED_KINDS] = { "AVERAGE", "MAX", "MIN" };
	char path[FILE_PREFIX_MAX];
	size_t size = 0;

	if (!print_path(file, path))
		return false;
	for (unsigned i = 0; i < FETCHED_KINDS; i++)
		size += (size_t)snprintf(out + size, COMMANDS_MAX - size,
					 "FETCH %s %s %" PRId64 " %" PRId64 "\n", path,
					 functions[i], start, end);
	return true;
}

/* A loop of its own, as this is not the thread of run(). */
static int talk(struct mc_ctx *ctx, const struct address *address, struct answer *answer)
{
	struct mc_loop loop = { .ctx = ctx };
	struct mc_stream_room room = { .loop = &loop };
	mc_time until = mc_now() + limit;
	int rc = mc_loop_init(&loop);

	if (rc < 0)
		return rc;
	mc_stream_client_room_init(&room);
	answer->client.kind = &kind;
	answer->client.room = &room;
	answer->client.host = address->local ? address->path : address->host;
	answer->client.port = address->local ? NULL : address->port;
	answer->client.connect_max = limit;
	answer->client.failed = on_failed;
	mc_stream_client_open(&answer->client);
	while (rc == 0 && !answer->over && mc_now() < until)
		rc = mc_loop_round(&loop, until);
	mc_stream_client_close(&answer->client);
	mc_stream_room_done(&room);
	mc_loop_done(&loop);
	return rc < 0 || answer->over ? rc : -ETIMEDOUT;
}

/* The result.  A file that is not there is no failure. */
static int judge(const struct fetch_file *file, const struct answer *answer, int rc, char *why)
{
	if (answer->why[0] != '\0')
		snprintf(why, MC_HISTORY_WHY, "rrdcached at '%s': %.200s", file->address->text,
			 answer->why);
	else if (answer->refusal[0] != '\0' && strstr(answer->refusal, "No such file") == NULL)
		snprintf(why, MC_HISTORY_WHY, "rrdcached refuses: %.200s", answer->refusal);
	else
		return 0;
	return rc < 0 ? rc : -EIO;
}

int fetch_file(struct mc_ctx *ctx, const struct fetch_file *file, struct mc_history *history,
	       char *why)
{
	struct fetched fetched[FETCHED_KINDS];
	char commands[COMMANDS_MAX];
	struct answer answer = { .fetched = fetched,
				 .commands = commands,
				 .commands_len = FETCHED_KINDS };
	int rc;

	for (unsigned i = 0; i < FETCHED_KINDS; i++)
		fetched[i] = (struct fetched){ .type = history->type, .rules = file->rules };
	rc = print_commands(file, history, commands) ? talk(ctx, file->address, &answer)
						     : -ENAMETOOLONG;
	if (rc < 0)
		snprintf(answer.why, sizeof(answer.why), "%s", strerror(-rc));
	else if (answer.why[0] == '\0')
		fetched_add(fetched, history);
	for (unsigned i = 0; i < FETCHED_KINDS; i++)
		fetched_free(&fetched[i]);
	return judge(file, &answer, rc, why);
}

int fetch_forget(struct mc_ctx *ctx, const struct fetch_file *file, char *why)
{
	char path[FILE_PREFIX_MAX], command[COMMANDS_MAX];
	struct answer answer = { .commands = command, .commands_len = 1 };
	int rc = -ENAMETOOLONG;

	if (print_path(file, path)) {
		snprintf(command, sizeof(command), "FORGET %s\n", path);
		rc = talk(ctx, file->address, &answer);
	}
	if (rc < 0)
		snprintf(answer.why, sizeof(answer.why), "%s", strerror(-rc));
	return judge(file, &answer, rc, why);
}
