/* SPDX-License-Identifier: MIT */
/* put, notify, flush: what is told to the collector. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <collector/plaintext.h>

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
	size_t size = mc_plain_quote(line->text + line->size,
				     sizeof(line->text) - line->size, word);

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

static int tell(const struct ctl *ctl, const struct line *line, bool say)
{
	struct answer answer;
	int status;

	if (line->cut)
		return ctl_usage("an argument is too long");
	status = ctl_ask(ctl, line->text, &answer);
	if (status != CTL_OK)
		return status;
	if (say)
		puts(answer.message);
	peer_answer_done(&answer);
	return CTL_OK;
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
	return tell(ctl, &line, false);
}

static bool has_key(const char *argument, const char *key)
{
	size_t size = strlen(key);

	return strncmp(argument, key, size) == 0 && argument[size] == '=';
}

static bool is_notify_option(const char *argument)
{
	static const char *const keys[] = { "severity",     "time",
					    "host",         "plugin",
					    "type",         "plugin_instance",
					    "type_instance" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (has_key(argument, keys[i]))
			return true;
	return false;
}

int put_notify_run(const struct ctl *ctl, int argc, char **argv)
{
	struct line line = { .size = 0 }, message = { .size = 0 };
	bool severity = false, when = false;
	int i = 1;

	add_text(&line, "PUTNOTIF");
	for (; i < argc && is_notify_option(argv[i]); i++) {
		severity = severity || has_key(argv[i], "severity");
		when = when || has_key(argv[i], "time");
		add_pair(&line, argv[i]);
	}
	if (i == argc)
		return ctl_usage("no message given");
	if (!severity)
		add_text(&line, " severity=okay");
	if (!when) {
		char now[MC_PLAIN_NUMBER_SIZE + 8];

		snprintf(now, sizeof(now), " time=%lld", (long long)time(NULL));
		add_text(&line, now);
	}
	add_text(&message, "message=");
	for (int first = i; i < argc; i++) {
		if (i > first)
			add_text(&message, " ");
		add_text(&message, argv[i]);
	}
	line.cut = line.cut || message.cut;
	add_pair(&line, message.text);
	return tell(ctl, &line, false);
}

int put_flush_run(const struct ctl *ctl, int argc, char **argv)
{
	struct line line = { .size = 0 };

	add_text(&line, "FLUSH");
	for (int i = 1; i < argc; i++) {
		if (strchr(argv[i], '=') == NULL)
			return ctl_usage("'%s' is not timeout=, plugin= or "
					 "identifier=",
					 argv[i]);
		add_pair(&line, argv[i]);
	}
	return tell(ctl, &line, true);
}
