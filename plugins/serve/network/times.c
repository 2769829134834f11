/* SPDX-License-Identifier: MIT */
/* A line per user and host: the hash of both, and the time; and after a stop a
 * line with the key 0.  Without that the process was killed, and may have had
 * more until the next time that the file would have been written.
 *
 * The file is written beside the old one and takes its place; it is not synced:
 * a power cut costs the memory of a few seconds.  A time that is still to come
 * is not believed, so a file that is damaged cannot lock a host out. */
#include "times.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <collector/kit/alloc.h>
#include <collector/kit/hash.h>
#include <collector/kit/state_file.h>

#define SAVE_INTERVAL (10 * MC_SECOND)
#define END_LINE "0000000000000000 0\n"

static uint64_t key_of(const char *user, const char *host)
{
	uint64_t key = mc_hash_text(mc_hash_text(mc_hash_start(), user), host);

	return key != 0 ? key : 1;
}

/* The slot with that key, or the free one where it would be. */
static struct times_slot *seek(const struct times *times, uint64_t key)
{
	size_t i = key & (TIMES_LEN - 1);
	uint64_t there;

	while ((there = atomic_load_explicit(&times->slots[i].key, memory_order_acquire)) != key &&
	       there != 0)
		i = (i + 1) & (TIMES_LEN - 1);
	return &times->slots[i];
}

static bool is_free(const struct times_slot *slot)
{
	return atomic_load_explicit(&slot->key, memory_order_relaxed) == 0;
}

static struct times_slot *add(struct times *times, uint64_t key, mc_time before)
	MC_REQUIRES(times->lock)
{
	struct times_slot *slot = seek(times, key);

	if (!is_free(slot))
		return slot;
	if (times->len == TIMES_MAX)
		return NULL;
	if (before < times->before)
		before = times->before;
	times->len++;
	slot->before = before;
	atomic_init(&slot->newest, before);
	atomic_store_explicit(&slot->key, key, memory_order_release);
	return slot;
}

/* Until when there may have been times that the file does not have. */
static mc_time find_before(FILE *file, bool stopped, mc_time now)
{
	mc_time next;
	struct stat st;

	if (stopped || fstat(fileno(file), &st) < 0)
		return 0;
	next = st.st_mtim.tv_sec * MC_SECOND + st.st_mtim.tv_nsec + SAVE_INTERVAL;
	return next < now ? next : now;
}

/* Before there are threads. */
static void read_lines(struct times *times, FILE *file, mc_time now) MC_NO_LOCK
{
	mc_time time;
	uint64_t key;

	while (fscanf(file, "%16" SCNx64 " %20" SCNd64 "\n", &key, &time) == 2)
		if (key != 0 && time <= now)
			add(times, key, time);
}

/* Whether the file was written at a stop: its last line says so. */
static bool has_end(FILE *file)
{
	char text[sizeof(END_LINE)] = "";
	bool there = fseek(file, 1 - (long)sizeof(END_LINE), SEEK_END) == 0 &&
		     fread(text, 1, sizeof(text) - 1, file) > 0 && strcmp(text, END_LINE) == 0;

	rewind(file);
	return there;
}

struct times_slot *times_find(struct times *times, const char *user, const char *host)
{
	uint64_t key = key_of(user, host);
	struct times_slot *slot = seek(times, key);

	if (!is_free(slot))
		return slot;
	pthread_mutex_lock(&times->lock);
	slot = add(times, key, 0);
	pthread_mutex_unlock(&times->lock);
	return slot;
}

static void write_lines(const struct times *times, FILE *file, bool stopped)
{
	for (size_t i = 0; i < TIMES_LEN; i++) {
		const struct times_slot *slot = &times->slots[i];
		mc_time newest = atomic_load_explicit(&slot->newest, memory_order_relaxed);

		if (!is_free(slot) && newest > 0)
			fprintf(file, "%016" PRIx64 " %" PRId64 "\n",
				atomic_load_explicit(&slot->key, memory_order_relaxed), newest);
	}
	if (stopped)
		fputs(END_LINE, file);
}

static int write_file(const struct times *times, bool stopped)
{
	struct mc_buffer text = { 0 };
	FILE *file = open_memstream(&text.at, &text.size);
	int rc;

	if (file == NULL)
		return -errno;
	write_lines(times, file, stopped);
	rc = fclose(file) == 0 ? mc_state_file_replace(times->path, &text) : -ENOMEM;
	mc_buffer_free(&text);
	return rc;
}

static void save(struct times *times, bool stopped)
{
	int rc = write_file(times, stopped);

	if (rc < 0)
		mc_complain(times->ctx, &times->once, -rc,
			    "cannot write '%s', so replayed values are not "
			    "recognized after a restart",
			    times->path);
	else
		mc_works(times->ctx, &times->once, "'%s' is written again", times->path);
}

void times_start(struct times *times, struct mc_ctx *ctx)
{
	mc_time now = mc_wall();
	FILE *file;

	*times = (struct times){ .ctx = ctx };
	pthread_mutex_init(&times->lock, NULL);
	times->slots = mc_alloc_array(TIMES_LEN, sizeof(*times->slots));
	times->path = mc_alloc_printf("%s.times", ctx->name);
	file = fopen(times->path, "re");
	if (file != NULL) {
		times->before = find_before(file, has_end(file), now);
		read_lines(times, file, now);
		fclose(file);
	} else if (errno != ENOENT) {
		mc_log(ctx, MC_WARN, "cannot read '%s': %s", times->path, strerror(errno));
	}
	save(times, false);
}

void times_save(struct times *times, mc_time now)
{
	bool due;

	if (times->path == NULL)
		return;
	pthread_mutex_lock(&times->lock);
	/* Two that write the one file at a time would spoil it. */
	due = !times->saving && now - times->saved >= SAVE_INTERVAL;
	if (due)
		times->saved = now;
	times->saving |= due;
	pthread_mutex_unlock(&times->lock);
	if (!due)
		return;
	save(times, false);
	pthread_mutex_lock(&times->lock);
	times->saving = false;
	pthread_mutex_unlock(&times->lock);
}

void times_stop(struct times *times)
{
	if (times->ctx == NULL)
		return;
	if (times->path != NULL)
		save(times, true);
	pthread_mutex_destroy(&times->lock);
	free(times->slots);
	free(times->path);
	*times = (struct times){ 0 };
}
