/* SPDX-License-Identifier: MIT */
/* TAP: the clients that follow the stream, and their output. */
#include "tap.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/writer.h>

#include "formats/plaintext/plaintext.h"

#define LINE_ROOM 16384 /* The longest sample and notification fit. */

int tap_init(struct tap_board *board) MC_NO_LOCK
{
	pthread_mutex_init(&board->lock, NULL);
	board->first = NULL;
	board->len = 0;
	return mc_loop_wakeup_init(&board->wakeup);
}

void tap_done(struct tap_board *board) MC_NO_LOCK
{
	while (board->first != NULL)
		tap_close(board, board->first);
	mc_loop_wakeup_done(&board->wakeup);
	pthread_mutex_destroy(&board->lock);
}

struct tap *tap_open(struct tap_board *board, const char *glob)
{
	struct tap *tap = mc_alloc_zero(sizeof(*tap));

	tap->glob = mc_alloc_copy(glob);
	pthread_mutex_lock(&board->lock);
	tap->next = board->first;
	board->first = tap;
	board->len++;
	pthread_mutex_unlock(&board->lock);
	return tap;
}

void tap_close(struct tap_board *board, struct tap *tap)
{
	pthread_mutex_lock(&board->lock);
	for (struct tap **at = &board->first; *at != NULL; at = &(*at)->next)
		if (*at == tap) {
			*at = tap->next;
			board->len--;
			break;
		}
	pthread_mutex_unlock(&board->lock);
	mc_buffer_free(&tap->waiting);
	free(tap->glob);
	free(tap);
}

unsigned tap_len(struct tap_board *board)
{
	unsigned len;

	pthread_mutex_lock(&board->lock);
	len = board->len;
	pthread_mutex_unlock(&board->lock);
	return len;
}

void tap_take(struct tap_board *board, struct tap *tap, struct mc_buffer *out)
{
	uint64_t lost;

	pthread_mutex_lock(&board->lock);

	struct mc_buffer waiting = tap->waiting;

	tap->waiting = *out;
	*out = waiting;
	lost = tap->lost;
	tap->lost = 0;
	pthread_mutex_unlock(&board->lock);
	/* Lines are lost when the buffer is full: after all that is in it. */
	if (lost > 0)
		reply_print(out, "LOST %llu\n", (unsigned long long)lost);
}

static void give_line(struct tap_board *board, struct tap *tap, const char *line, size_t size)
	MC_REQUIRES(board->lock)
{
	(void)board; /* It has the lock. */
	/* Once lines are lost none fits in until the LOST line is out, so that
	 * the gap is where the line says it is. */
	if (tap->lost > 0 || tap->waiting.size + size > TAP_MAX)
		tap->lost++;
	else
		reply_add(&tap->waiting, line, size);
}

/* The line is written when the first one wants it. */
static void give_sample(struct tap_board *board, const struct mc_sample *sample)
	MC_REQUIRES(board->lock)
{
	const char *name = mc_name(sample->series);
	char line[LINE_ROOM];
	size_t size = 0;

	for (struct tap *tap = board->first; tap != NULL; tap = tap->next) {
		if (tap->glob != NULL && fnmatch(tap->glob, name, 0) != 0)
			continue;
		if (size == 0) {
			struct mc_stamp stamp = { sample->time, sample->interval };

			size = mc_plain_put(line, sizeof(line) - 1, name, mc_type(sample->series),
					    stamp, sample->values);
			line[size++] = '\n';
		}
		give_line(board, tap, line, size);
	}
}

void tap_batch(struct tap_board *board, const struct mc_batch *batch)
{
	pthread_mutex_lock(&board->lock);
	MC_FOR_EACH_SAMPLE (sample, batch)
		give_sample(board, sample);
	pthread_mutex_unlock(&board->lock);
	mc_loop_wake(&board->wakeup);
}

static const char *severity_word(enum mc_severity severity)
{
	switch (severity) {
	case MC_FAILURE:
		return "failure";
	case MC_WARNING:
		return "warning";
	case MC_OKAY:
		return "okay";
	}
	return "failure";
}

/* The name of what the notification is about, as far as it is known; for the glob. */
static void notification_name(const struct mc_notification *notification, char *out, size_t size)
{
	const struct mc_id *id = &notification->id;
	const char *none = "";

	snprintf(out, size, "%s/%s%s%s/%s%s%s", id->host ? id->host : none,
		 id->plugin ? id->plugin : none, id->plugin_instance ? "-" : none,
		 id->plugin_instance ? id->plugin_instance : none, id->type ? id->type : none,
		 id->type_instance ? "-" : none, id->type_instance ? id->type_instance : none);
}

/* As collectd takes them: "s:disk=vda". */
static void add_fields(struct mc_plain_line *line, const struct mc_notification *notification)
{
	for (unsigned i = 0; i < notification->fields_len; i++) {
		char key[128];

		if (notification->fields[i].value[0] != '\0' &&
		    snprintf(key, sizeof(key), "s:%s", notification->fields[i].name) <
			    (int)sizeof(key))
			mc_plain_add_text(line, key, notification->fields[i].value);
	}
}

/* As a PUTNOTIF line; 'message' last, as collectd wants it. */
static struct mc_plain_line notification_line(const struct mc_notification *notification,
					      char *buffer, size_t room)
{
	const struct mc_id *id = &notification->id;
	const char *const keys[] = { "host", "plugin", "plugin_instance", "type", "type_instance" };
	const char *const values[] = { id->host, id->plugin, id->plugin_instance, id->type,
				       id->type_instance };
	struct mc_plain_line line = mc_plain_line(buffer, room, "PUTNOTIF");

	mc_plain_add_text(&line, "severity", severity_word(notification->severity));
	mc_plain_add_time(&line, "time", notification->time);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (values[i] != NULL && values[i][0] != '\0')
			mc_plain_add_text(&line, keys[i], values[i]);
	add_fields(&line, notification);
	mc_plain_add_text(&line, "message", notification->message);
	return line;
}

void tap_notification(struct tap_board *board, const struct mc_notification *notification)
{
	char name[1024], buffer[LINE_ROOM];
	struct mc_plain_line line = notification_line(notification, buffer, sizeof(buffer) - 1);

	line.text[line.size++] = '\n';
	notification_name(notification, name, sizeof(name));
	pthread_mutex_lock(&board->lock);
	for (struct tap *tap = board->first; tap != NULL; tap = tap->next)
		if (tap->glob == NULL || fnmatch(tap->glob, name, 0) == 0)
			give_line(board, tap, line.text, line.size);
	pthread_mutex_unlock(&board->lock);
	mc_loop_wake(&board->wakeup);
}
