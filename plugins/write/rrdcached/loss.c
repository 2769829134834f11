/* SPDX-License-Identifier: MIT */
#include "loss.h"

#include <collector/writer.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "daemon.h"

static const mc_time logged_lately = 60 * MC_SECOND;

void loss_complain(struct daemon *daemon, const char *fmt, ...)
{
	char text[LOSS_TEXT_SIZE];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	pthread_mutex_lock(&daemon->shared->lock);
	if (strcmp(text, daemon->last_error) == 0)
		text[0] = '\0';
	else
		memcpy(daemon->last_error, text, sizeof(text));
	pthread_mutex_unlock(&daemon->shared->lock);
	if (text[0] != '\0')
		mc_log(daemon->shared->ctx, MC_WARN, "%s", text);
}

/* A reason without the path in it: "No such file: PATH", or "PATH: Permission denied". */
static const char *key_of(const char *reason, size_t *size)
{
	const char *at;

	if (reason[0] != '/') {
		*size = strcspn(reason, ":");
		return reason;
	}
	while ((at = strstr(reason, ": ")) != NULL)
		reason = at + 2;
	*size = strlen(reason);
	return reason;
}

static uint64_t count_known(const char *value, const char *end)
{
	uint64_t known = 0;

	while ((value = memchr(value, ':', (size_t)(end - value))) != NULL) {
		value++;
		known += value < end && *value != 'U';
	}
	return known > 0 ? known : 1;
}

uint64_t loss_count(const struct file *file, const char *updates, size_t size)
{
	const char *at = updates, *end = updates + size;
	uint64_t samples = 0;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline != NULL ? newline : end;

		samples += file->row != NULL ? count_known(at, line_end) : 1;
		at = newline != NULL ? newline + 1 : end;
	}
	return samples;
}

uint64_t loss_of_line(const struct daemon *daemon, const char *line, size_t size)
	MC_REQUIRES(daemon->shared->lock)
{
	const char *value;
	const struct file *file = file_find(&daemon->shared->files, line, size, &value);

	return file == NULL ? 1 : loss_count(file, value, (size_t)(line + size - value));
}

void loss_add(struct daemon *daemon, uint64_t samples, struct loss_cause cause, const char *what,
	      size_t what_size)
{
	struct loss *loss = &daemon->loss;
	size_t key_size;
	const char *key;
	mc_time now;

	if (samples == 0)
		return;
	now = mc_now();
	key = key_of(cause.reason, &key_size);
	loss->samples += samples;
	if (key_size >= sizeof(loss->reason))
		key_size = sizeof(loss->reason) - 1;
	if (loss->text[0] != '\0' && now - loss->logged_at < logged_lately &&
	    key_size == loss->key_size && memcmp(loss->reason, key, key_size) == 0)
		return;
	loss->logged_at = now;
	loss->errnum = cause.errnum;
	loss->key_size = key_size;
	memcpy(loss->reason, key, key_size);
	snprintf(loss->text, sizeof(loss->text), "updates of '%.*s' for '%s' are lost: %s",
		 (int)what_size, what, daemon->address.text, cause.reason);
}

void loss_report(struct daemon *daemon)
{
	char text[LOSS_TEXT_SIZE];
	uint64_t samples;
	int errnum;

	if (daemon->recovered && daemon->replayed == 0)
		mc_log(daemon->shared->ctx, MC_NOTE, "'%s' answers again", daemon->address.text);
	else if (daemon->recovered)
		mc_log(daemon->shared->ctx, MC_NOTE,
		       "'%s' answers again; it was sent the last %" PRIu64 " update%s once more",
		       daemon->address.text, daemon->replayed, daemon->replayed == 1 ? "" : "s");
	daemon->recovered = false;
	pthread_mutex_lock(&daemon->shared->lock);
	samples = daemon->loss.samples;
	daemon->loss.samples = 0;
	errnum = daemon->loss.errnum;
	if (samples > 0)
		memcpy(text, daemon->loss.text, sizeof(text));
	pthread_mutex_unlock(&daemon->shared->lock);
	if (samples > 0)
		mc_drop(daemon->shared->ctx, samples, errnum, "%s", text);
}
