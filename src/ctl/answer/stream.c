/* SPDX-License-Identifier: MIT */
/* The stream of TAP, decoded.  Its lines are commands, PUTVAL and PUTNOTIF,
 * read as the collector reads them; the types come from DESCRIBE. */
#include "ctl/answer/stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ctl/answer/overview.h"

#define TYPES_MAX 4096 /* Samples of more types are passed over. */

struct stream_type {
	struct stream_type *next;
	struct mc_type *type;  /* NULL: the collector does not know it. */
	struct overview texts; /* Where its strings are. */
	char *name;
};

static enum mc_kind kind_of(const char *word)
{
	if (strcmp(word, "COUNTER") == 0)
		return MC_COUNTER;
	if (strcmp(word, "DERIVE") == 0)
		return MC_DERIVE;
	if (strcmp(word, "ABSOLUTE") == 0)
		return MC_ABSOLUTE;
	return MC_GAUGE;
}

static struct mc_type *build_type(const struct overview *texts)
{
	const struct record *about = overview_next(texts, "type", NULL);
	const struct record *source = NULL;
	struct mc_type *type;
	unsigned len = 0;

	while ((source = overview_next(texts, "source", source)) != NULL)
		len++;
	if (about == NULL || len == 0 || len > MC_SOURCES_MAX)
		return NULL;
	type = alloc_zero(sizeof(*type) + len * sizeof(type->sources[0]));
	type->name = record_text(about, "name");
	type->unit = record_text(about, "unit");
	type->help = record_text(about, "help");
	while ((source = overview_next(texts, "source", source)) != NULL) {
		struct mc_source *s = &type->sources[type->sources_len++];

		s->name = record_text(source, "name");
		s->kind = kind_of(record_text(source, "kind"));
		s->min = record_number(source, "min");
		s->max = record_number(source, "max");
	}
	return type;
}

/* Asks for a type.  DESCRIBE prints the type of any name, also of a series that does not exist. */
static struct stream_type *ask_type(struct stream *stream, const char *name)
{
	struct stream_type *entry = alloc_zero(sizeof(*entry));
	struct answer answer;
	char word[CTL_LINE_SIZE / 2], line[CTL_LINE_SIZE];

	entry->name = alloc_copy(name);
	entry->next = stream->types;
	stream->types = entry;
	snprintf(word, sizeof(word), "any/any/%s", name);
	if (!ctl_line(line, sizeof(line), "DESCRIBE", word))
		return entry;
	stream->unheard = peer_ask(&stream->ask, line, &answer);
	if (stream->unheard < 0)
		return entry;
	overview_init(&entry->texts, &answer, 0);
	entry->type = build_type(&entry->texts);
	return entry;
}

static const struct mc_type *find_type(void *argument, const char *name)
{
	struct stream *stream = argument;

	for (struct stream_type *t = stream->types; t != NULL; t = t->next)
		if (strcmp(t->name, name) == 0)
			return t->type;
	if (stream->unheard < 0 || stream->types_len == TYPES_MAX)
		return NULL;
	stream->types_len++;
	return ask_type(stream, name)->type;
}

static int start_tap(struct stream *stream, const struct ctl *ctl, const char *glob)
{
	struct answer answer;
	char line[CTL_LINE_SIZE];
	int status;

	if (!ctl_line(line, sizeof(line), "TAP", glob))
		return CTL_USAGE;
	status = ctl_ask_on(ctl, &stream->tap, line, &answer);
	if (status == CTL_OK)
		peer_answer_done(&answer);
	return status;
}

int stream_open(struct stream *stream, const struct ctl *ctl, const char *glob)
{
	int status;

	*stream = (struct stream){ .tap.fd = -1, .ask.fd = -1 };
	stream->context.find = find_type;
	stream->context.argument = stream;
	status = ctl_connect(ctl, &stream->ask);
	if (status != CTL_OK)
		return status;
	status = ctl_connect(ctl, &stream->tap);
	if (status == CTL_OK) {
		status = start_tap(stream, ctl, glob);
		if (status == CTL_OK)
			return CTL_OK;
		peer_close(&stream->tap);
	}
	peer_close(&stream->ask);
	return status;
}

void stream_close(struct stream *stream)
{
	while (stream->types != NULL) {
		struct stream_type *next = stream->types->next;

		overview_done(&stream->types->texts);
		free(stream->types->type);
		free(stream->types->name);
		free(stream->types);
		stream->types = next;
	}
	peer_close(&stream->tap);
	peer_close(&stream->ask);
}

/* Whether the line is one that we understand. */
static bool decode(struct stream *stream, char *line, struct stream_event *event)
{
	struct mc_plain *plain = &stream->plain;
	char *end;

	if (strncmp(line, "LOST ", 5) == 0) {
		event->kind = STREAM_LOST;
		event->lost = strtoull(line + 5, &end, 10);
		return true;
	}
	if (!mc_plain_parse(plain, line, strlen(line), &stream->context))
		return false;
	if (plain->verb == MC_PLAIN_PUTNOTIF) {
		event->kind = STREAM_NOTICE;
		event->notification = &plain->notification;
		return true;
	}
	if (plain->verb != MC_PLAIN_PUTVAL || !mc_plain_next(plain))
		return false;
	event->kind = STREAM_SAMPLE;
	event->name = plain->name.name;
	event->type = plain->type;
	event->stamp = plain->stamp;
	event->values = plain->values;
	return true;
}

int stream_next(struct stream *stream, int timeout_ms, struct stream_event *event)
{
	for (;;) {
		int status;
		char *line = peer_line(&stream->tap, timeout_ms, &status);

		if (line == NULL)
			return status;
		*event = (struct stream_event){ 0 };
		if (decode(stream, line, event))
			return 1;
		if (stream->unheard < 0)
			return -ECONNABORTED;
	}
}

int stream_lost(const struct stream *stream, const struct ctl *ctl, int status)
{
	if (stream->unheard < 0)
		return ctl_lost(ctl, &stream->ask, stream->unheard);
	return ctl_lost(ctl, &stream->tap, status);
}
