/* SPDX-License-Identifier: MIT */
#include "probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define OUTPUT_MAX (1 << 20) /* Of one run of a program. */

/* --- The end of one question ---------------------------------------------- */

static double seconds(mc_time time)
{
	return (double)time / (double)MC_SECOND;
}

static void ask_again(struct probe *probe, mc_time now)
{
	mc_every_done(&probe->every, now);
	mc_loop_set_timer(probe->probes->room.loop, &probe->timer, probe->every.next);
}

static void answer(struct probe *probe, const char *fault)
{
	mc_time now = mc_now();

	mc_stream_client_close(&probe->client);
	probe->is_asked = false;
	ask_again(probe, now);
	watch_answer(probe->probes->watch, probe->probes->ctx, probe->daemon, fault,
		     seconds(now - probe->begun));
}

/* --- A socket ------------------------------------------------------------- */

static struct probe *probe_of(struct mc_stream *stream)
{
	return (struct probe *)((char *)stream - offsetof(struct probe, client.stream));
}

static void fail_socket(struct probe *probe, bool is_connected, const char *why)
{
	const struct daemon *daemon = probe->daemon;
	char fault[512];

	snprintf(fault, sizeof(fault), "%s '%s%s%s': %s",
		 is_connected ? "no answer from" : "cannot connect to",
		 daemon->socket != NULL ? "unix:" : daemon->host, daemon->socket != NULL ? "" : ":",
		 daemon->socket != NULL ? daemon->socket : daemon->port, why);
	answer(probe, fault);
}

/* It is connected: with Send, the daemon must say something, too. */
static void on_opened(struct mc_stream *stream)
{
	struct probe *probe = probe_of(stream);

	probe->has_connected = true;
	if (probe->daemon->send == NULL) {
		answer(probe, NULL);
		return;
	}
	mc_stream_add_text(stream, probe->daemon->send);
	mc_stream_add_text(stream, "\n");
}

/* Any byte will do. */
static size_t take(struct mc_stream *stream, char *bytes, size_t size)
{
	(void)bytes;
	answer(probe_of(stream), NULL);
	return size;
}

static const struct mc_stream_kind kind = {
	.take = take,
	.opened = on_opened,
	MC_STREAM_CLIENT_LIMITS,
};

static void on_failed(struct mc_stream_client *client)
{
	struct probe *probe = probe_of(&client->stream);

	fail_socket(probe, probe->has_connected, client->reason);
}

/* A full queue of connections is EAGAIN with a unix socket: the daemon does not
 * accept.  Host is a number: nothing is looked up. */
static void connect_to(struct probe *probe)
{
	const struct daemon *daemon = probe->daemon;

	probe->has_connected = false;
	mc_loop_set_timer(probe->probes->room.loop, &probe->timer, probe->begun + daemon->timeout);
	mc_stream_client_open(&probe->client);
}

/* --- A program ------------------------------------------------------------ */

static void take_line(void *argument, const struct mc_child_line *line)
{
	struct probe *probe = argument;

	if (probe->output[0] == '\0')
		snprintf(probe->output, sizeof(probe->output), "%s", line->text);
}

static void take_end(void *argument, const struct mc_child_end *end)
{
	struct probe *probe = argument;
	const char *name = probe->command.name;
	char fault[600];

	if (end->errnum != 0)
		snprintf(fault, sizeof(fault), "'%s' is not run: %s: %s", name, end->why,
			 strerror(end->errnum));
	else if (end->timed_out)
		snprintf(fault, sizeof(fault), "'%s' did not end within %g s", name,
			 seconds(probe->daemon->timeout));
	else if (end->signal != 0)
		snprintf(fault, sizeof(fault), "'%s' was ended by signal %d", name, end->signal);
	else
		snprintf(fault, sizeof(fault), "'%s' ended with exit status %d: %s", name,
			 end->status, probe->output);
	if (end->errnum == 0 && !end->timed_out && end->signal == 0 && end->status == 0)
		answer(probe, NULL);
	else
		answer(probe, fault);
}

static void run_command(struct probe *probe)
{
	struct mc_spawner *spawner = probe->probes->spawner;
	char fault[300];
	int rc;

	probe->output[0] = '\0';
	rc = mc_spawn(spawner, &probe->command.program, NULL);
	if (rc < 0) {
		snprintf(fault, sizeof(fault), "cannot start '%.100s' by '%.100s': %s",
			 probe->command.name, mc_spawner_helper(spawner), strerror(-rc));
		answer(probe, fault);
	}
}

/* --- When ----------------------------------------------------------------- */

/* One that does not run is not asked. */
static void begin(struct probe *probe)
{
	probe->begun = mc_now();
	if (watch_status(probe->probes->watch, probe->daemon).state != DAEMON_RUNS) {
		ask_again(probe, probe->begun);
		return;
	}
	probe->is_asked = true;
	if (probe->daemon->command.argv.len > 0)
		run_command(probe);
	else
		connect_to(probe);
}

static void on_time(void *argument)
{
	struct probe *probe = argument;
	char why[100];

	if (!probe->is_asked) {
		begin(probe);
		return;
	}
	snprintf(why, sizeof(why), "not within %g s", seconds(probe->daemon->timeout));
	fail_socket(probe, probe->has_connected, why);
}

/* --- Life ----------------------------------------------------------------- */

static bool is_to_be_asked(const struct daemon *daemon)
{
	return daemon->socket != NULL || daemon->host != NULL || daemon->command.argv.len > 0;
}

static void set_command(struct probe *probe)
{
	const struct daemon *daemon = probe->daemon;
	struct mc_program *program = &probe->command.program;

	mc_command_init(&probe->command, probe->probes->ctx, &daemon->command, probe->probes->env);
	program->time_max = daemon->timeout;
	program->output_max = OUTPUT_MAX;
	program->line = take_line;
	program->ended = take_end;
	program->argument = probe;
}

static void add(struct probes *probes, struct daemon *daemon)
{
	struct probe *probe = &probes->items[probes->len++];
	mc_time interval = daemon->interval > 0 ? daemon->interval : probes->ctx->interval;

	*probe = (struct probe){
		.client = {
			.kind = &kind,
			.room = &probes->room,
			.host = daemon->socket != NULL ? daemon->socket : daemon->host,
			.port = daemon->socket != NULL ? NULL : daemon->port,
			.connect_max = 2 * daemon->timeout, /* The timer is first. */
			.failed = on_failed,
		},
		.probes = probes,
		.daemon = daemon,
		.timer = { .expired = on_time, .argument = probe },
		.every = { .period = interval },
	};
	if (daemon->command.argv.len > 0)
		set_command(probe);
	mc_loop_set_timer(probes->room.loop, &probe->timer, probe->every.next);
}

void probe_start(struct probes *probes, struct mc_loop *loop, struct watch *watch,
		 const struct mc_blocks *daemons)
{
	struct daemon *daemon = daemons->items;
	bool runs_programs = false;

	probes->ctx = loop->ctx;
	probes->watch = watch;
	probes->room.loop = loop;
	mc_stream_client_room_init(&probes->room);
	probes->items = mc_alloc_array(daemons->len, sizeof(*probes->items));
	probes->env = mc_command_env(probes->ctx);
	for (size_t i = 0; i < daemons->len; i++) {
		runs_programs = runs_programs || daemon[i].command.argv.len > 0;
		if (is_to_be_asked(&daemon[i]))
			add(probes, &daemon[i]);
	}
	if (runs_programs)
		probes->spawner = mc_spawner_new(loop, NULL);
}

void probe_stop(struct probes *probes)
{
	mc_spawner_free(probes->spawner);
	for (size_t i = 0; i < probes->len; i++) {
		mc_stream_client_close(&probes->items[i].client);
		mc_command_done(&probes->items[i].command);
	}
	free(probes->env);
	free(probes->items);
	mc_stream_room_done(&probes->room);
	*probes = (struct probes){ 0 };
}
