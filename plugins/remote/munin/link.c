/* SPDX-License-Identifier: MIT */
#include "link.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/command.h>

#define LINE_MAX_SIZE 65536 /* Bytes of a line of a node. */

static void fail(struct link *link, const char *fmt, ...) MC_PRINTF(2, 3);
static void fail(struct link *link, const char *fmt, ...)
{
	char why[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	link_close(link);
	link->calls->failed(link, why);
}

/* --- A connection ---------------------------------------------------------- */

static struct link *link_of(struct mc_stream *stream)
{
	return (struct link *)((char *)stream - offsetof(struct link, client.stream));
}

static void on_opened(struct mc_stream *stream)
{
	struct link *link = link_of(stream);

	link->calls->opened(link);
}

static void on_line(struct mc_stream *stream, char *line, size_t size)
{
	struct link *link = link_of(stream);

	(void)size;
	link->calls->line(link, line);
}

static void on_failed(struct mc_stream_client *client)
{
	fail(link_of(&client->stream), "%s", client->why);
}

/* Times are those of the conversation. */
static const struct mc_stream_kind kind = {
	.take = mc_stream_take_lines,
	.line = on_line,
	.opened = on_opened,
	.rest_size_max = LINE_MAX_SIZE,
	.out_size_max = SIZE_MAX,
	.pipelines = true,
	.line_records = true,
};

/* --- A program ------------------------------------------------------------- */

static bool has_program(const struct link *link)
{
	return link->child != NULL && !link->killed;
}

static void take_output(void *argument, const struct mc_child_line *line)
{
	struct link *link = argument;
	char *copy;

	if (line->fd != 1 || !has_program(link))
		return;
	copy = mc_alloc_copy(line->text);
	link->calls->line(link, copy);
	free(copy);
}

static void run_command(struct link *link);

static void take_end(void *argument, const struct mc_child_end *end)
{
	struct link *link = argument;
	const char *name = link->settings->command.items[0];
	bool killed = link->killed;

	link->child = NULL;
	link->killed = false;
	if (!link->open)
		return;
	if (killed)
		run_command(link); /* It had to wait for this. */
	else if (end->errnum != 0)
		fail(link, "cannot run '%s'%s%s: %s", name, end->why[0] ? ", " : "", end->why,
		     strerror(end->errnum));
	else
		fail(link, "'%s' has ended with status %d", name,
		     end->signal != 0 ? 128 + end->signal : end->status);
}

static void run_command(struct link *link)
{
	const struct mc_strings *words = &link->settings->command;
	const char **argv = mc_alloc_array(words->len + 1, sizeof(*argv));
	const char **env = mc_command_env(link->ctx);
	char user[256], *colon;
	struct mc_program program = {
		.argv = argv,
		.env = env,
		.input_open = true,
		.line_max = LINE_MAX_SIZE,
		.line = take_output,
		.ended = take_end,
		.argument = link,
	};
	int rc;

	memcpy(argv, words->items, words->len * sizeof(*argv));
	argv[words->len] = NULL;
	if (link->settings->user != NULL) {
		snprintf(user, sizeof(user), "%s", link->settings->user);
		colon = strchr(user, ':');
		if (colon != NULL)
			*colon = '\0';
		program.user = user;
		program.group = colon != NULL ? colon + 1 : NULL;
	}
	rc = mc_spawn(*link->spawner, &program, &link->child);
	free(argv);
	free(env);
	if (rc < 0)
		fail(link, "cannot start '%.100s' by '%.100s': %s", words->items[0],
		     mc_spawner_helper(*link->spawner), strerror(-rc));
	else
		link->calls->opened(link);
}

void link_forget_program(struct link *link)
{
	link->child = NULL;
}

/* --- TLS ------------------------------------------------------------------- */

static bool make_tls(struct link *link)
{
	struct mc_tls_files files = {
		.certificate = link->settings->certificate,
		.key = link->settings->key,
		.ca = link->settings->ca,
		.verify = link->settings->verify_peer,
	};
	char why[MC_TLS_WHY];

	if (link->tls != NULL || mc_tls_new(&files, &link->tls, why))
		return true;
	fail(link, "%s", why);
	return false;
}

bool link_start_tls(struct link *link, bool as_server)
{
	const struct node_settings *settings = link->settings;
	struct mc_tls_start how = {
		.as_server = as_server,
		.host = settings->verify_host ? settings_host(settings->name) : NULL,
	};

	if (!make_tls(link))
		return false;
	how.tls = link->tls;
	if (as_server && !mc_tls_has_certificate(link->tls)) {
		fail(link, "the node has no key, and TLSCertificate and TLSKey are not given");
		return false;
	}
	if (mc_tls_stream_begin(&link->client.stream, &how) != 0) {
		fail(link, "cannot begin TLS");
		return false;
	}
	return true;
}

/* --- Both ------------------------------------------------------------------ */

void link_open(struct link *link)
{
	link->open = true;
	if (link->settings->command.len == 0)
		mc_stream_client_open(&link->client);
	else if (link->child == NULL)
		run_command(link);
}

void link_works(struct link *link)
{
	mc_stream_client_works(&link->client);
}

void link_send(struct link *link, const char *text)
{
	if (has_program(link)) {
		mc_child_write(link->child, text, strlen(text));
	} else if (link->client.state == MC_STREAM_CLIENT_OPEN) {
		mc_stream_add_text(&link->client.stream, text);
		mc_stream_go_on(&link->client.stream);
	}
}

void link_close(struct link *link)
{
	link->open = false;
	mc_stream_client_close(&link->client);
	if (has_program(link)) {
		mc_child_kill(link->child); /* take_end() comes later. */
		link->killed = true;
	}
}

void link_init(struct link *link, struct mc_stream_room *room, const struct node_settings *settings)
{
	link->settings = settings;
	link->client.kind = &kind;
	link->client.room = room;
	link->client.host =
		settings->address != NULL ? settings->address : settings_host(settings->name);
	link->client.port = settings->port;
	link->client.connect_max = settings->timeout;
	link->client.failed = on_failed;
}

void link_done(struct link *link)
{
	link_close(link);
	mc_tls_free(link->tls);
}
