/* SPDX-License-Identifier: MIT */
/* put, notify, flush: commands that send something to the collector. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "formats/plaintext/plaintext.h"

#include "base/text.h"
#include "ctl/ctl.h"

struct line { /* A request that is put together. */
	char text[CTL_LINE_SIZE];
	size_t size;
	bool cut;
};

static void add_text(struct line *line, const char *text)
{
	size_t size = strlen(text);

	if (size >= sizeof(line->text) - line->size) {
		line->cut = true;
		return;
	}
	memcpy(line->text + line->size, text, size + 1);
	line->size += size;
}

static void add_word(struct line *line, const char *word)
{
	size_t size =
		mc_plain_quote(line->text + line->size, sizeof(line->text) - line->size, word);

	if (size == 0)
		line->cut = true;
	line->size += size;
}

/* key="value": only the value is quoted. */
static void add_pair(struct line *line, const char *pair)
{
	const char *equal = strchr(pair, '=');
	char key[64];

	if (equal == NULL || (size_t)(equal - pair) >= sizeof(key) - 2) {
		line->cut = true;
		return;
	}
	snprintf(key, sizeof(key), " %.*s=", (int)(equal - pair), pair);
	add_text(line, key);
	add_word(line, equal + 1);
}

/* 'judge', which may be NULL, makes an exit code of an answer of success. */
static int tell(const struct ctl *ctl, const struct line *line, int (*judge)(const struct answer *))
{
	struct answer answer;
	int status;

	if (line->cut)
		return ctl_usage("an argument is too long");
	status = ctl_ask(ctl, line->text, &answer);
	if (status != CTL_OK)
		return status;
	if (judge != NULL)
		status = judge(&answer);
	peer_answer_done(&answer);
	return status;
}

int put_run(const struct ctl *ctl, int argc, char **argv)
{
	struct line line = { .size = 0 };

	add_text(&line, "PUTVAL ");
	add_word(&line, argv[1]);
	for (int i = 2; i < argc; i++) {
		bool alone = strpbrk(argv[i], ":=") == NULL;

		if (strchr(argv[i], '=') != NULL) {
			add_pair(&line, argv[i]);
			continue;
		}
		add_text(&line, alone ? " N:" : " ");
		add_word(&line, argv[i]);
	}
	return tell(ctl, &line, NULL);
}

/* Whether the argument is KEY=VALUE, whatever the key: letters, '_' and ':'. */
static bool is_pair(const char *argument)
{
	size_t size = strspn(argument, "abcdefghijklmnopqrstuvwxyz"
				       "ABCDEFGHIJKLMNOPQRSTUVWXYZ_:");

	return size > 0 && argument[size] == '=';
}

static bool has_key(const char *argument, const char *key)
{
	size_t size = strlen(key);

	return strncmp(argument, key, size) == 0 && argument[size] == '=';
}

/* The one of 'keys', which NULL ends, that a misspelt one stands for, or NULL. */
static const char *meant(const char *argument, const char *const *keys)
{
	const char *best = NULL;
	unsigned distance = 3;
	char key[64];

	if (!text_copy(key, sizeof(key), argument) && strchr(key, '=') == NULL)
		return NULL;
	*strchrnul(key, '=') = '\0';
	for (; *keys != NULL; keys++) {
		unsigned d = text_distance(key, *keys, distance);

		if (d < distance) {
			distance = d;
			best = *keys;
		}
	}
	return best;
}

/* Reports an argument whose key is not in 'keys'; CTL_OK if it is. */
static int check_key(const char *command, const char *argument, const char *const *keys)
{
	const char *right;
	int size = (int)strcspn(argument, "=");

	for (size_t i = 0; keys[i] != NULL; i++)
		if (has_key(argument, keys[i]))
			return CTL_OK;
	right = meant(argument, keys);
	if (right != NULL)
		return ctl_usage("%s has no key '%.*s', did you mean '%s'?", command, size,
				 argument, right);
	return ctl_usage("%s has no key '%.*s'", command, size, argument);
}

/* The arguments from 'i' on, with blanks between them, as the message. */
static void add_message(struct line *line, int argc, char **argv, int i)
{
	struct line message = { .size = 0 };

	add_text(&message, "message=");
	for (int first = i; i < argc; i++) {
		if (i > first)
			add_text(&message, " ");
		add_text(&message, argv[i]);
	}
	line->cut = line->cut || message.cut;
	add_pair(line, message.text);
}

int put_notify_run(const struct ctl *ctl, int argc, char **argv)
{
	static const char *const keys[] = { "severity",      "time",    "host",
					    "plugin",        "type",    "plugin_instance",
					    "type_instance", "message", NULL };
	struct line line = { .size = 0 };
	bool severity = false, when = false, message = false;
	int status, i = 1;

	add_text(&line, "PUTNOTIF");
	for (; i < argc && is_pair(argv[i]); i++) {
		/* Fields of a notification have names of their own. */
		status = strncmp(argv[i], "s:", 2) == 0 ? CTL_OK
							: check_key("notify", argv[i], keys);
		if (status != CTL_OK)
			return status;
		severity = severity || has_key(argv[i], "severity");
		when = when || has_key(argv[i], "time");
		message = message || has_key(argv[i], "message");
		add_pair(&line, argv[i]);
	}
	if (!severity)
		return ctl_usage("no severity given: severity=failure, warning "
				 "or okay");
	if (message ? i < argc : i == argc)
		return ctl_usage(message ? "two messages given" : "no message given");
	if (!when) {
		char now[MC_PLAIN_NUMBER_SIZE + 8];

		snprintf(now, sizeof(now), " time=%lld", (long long)time(NULL));
		add_text(&line, now);
	}
	if (!message)
		add_message(&line, argc, argv, i);
	return tell(ctl, &line, NULL);
}

/* "Done: 1 successful, 0 errors": some have none, some are not there. */
static int judge_flush(const struct answer *answer)
{
	unsigned done = 0, failed = 0;

	if (sscanf(answer->message, "Done: %u successful, %u errors", &done, &failed) == 2 &&
	    failed > 0)
		return ctl_failed("not flushed: %u successful, %u errors", done, failed);
	puts(answer->message);
	return CTL_OK;
}

int put_flush_run(const struct ctl *ctl, int argc, char **argv)
{
	static const char *const keys[] = { "timeout", "plugin", "identifier", NULL };
	struct line line = { .size = 0 };

	add_text(&line, "FLUSH");
	for (int i = 1; i < argc; i++) {
		int status = check_key("flush", argv[i], keys);

		if (status != CTL_OK)
			return status;
		add_pair(&line, argv[i]);
	}
	return tell(ctl, &line, judge_flush);
}
