/* SPDX-License-Identifier: MIT */
/* A journal in a folder of its own, for tests; its records say their number. */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/journal/journal.h"
#include "engine/journal/journal_reader.h"

#define FOLDER "journal" /* Below the folder that the test is in. */
#define RECORD_SAMPLES 3

struct files { /* All files of a folder, as they were at some moment. */
	struct file {
		char name[64];
		uint8_t *data;
		size_t size;
	} items[64];
	size_t len;
};

/* Goes to a new folder, in memory where there is such a place. */
static inline int journal_enter(void **state)
{
	char places[][32] = { "/dev/shm/XXXXXX", "XXXXXX" };
	const char *made = mkdtemp(places[0]);

	(void)state;
	log_to_stderr(-1);
	clock_stop(1000 * MC_SECOND, INT64_C(1700000000) * MC_SECOND);
	if (made == NULL)
		made = mkdtemp(places[1]);
	return made != NULL ? chdir(made) : -1;
}

static inline int journal_remove(const char *path, const struct stat *st, int flag,
				 struct FTW *place)
{
	(void)st;
	(void)flag;
	(void)place;
	return remove(path);
}

static inline void journal_clear(const char *folder)
{
	nftw(folder, journal_remove, 8, FTW_DEPTH | FTW_PHYS);
}

static inline int journal_leave(void **state)
{
	char here[600];

	(void)state;
	journal_clear(FOLDER);
	if (getcwd(here, sizeof(here)) == NULL || chdir("..") < 0)
		return -1;
	return rmdir(here);
}

static inline struct journal *journal_begin(enum journal_sync sync, uint64_t bytes)
{
	struct journal_settings settings = { FOLDER, sync, bytes, 0 };
	struct journal *journal = NULL;

	assert_int_equal(journal_open(&settings, &journal), 0);
	return journal;
}

/* A record whose payload is 'number', repeated. */
static inline uint64_t journal_put(struct journal *journal, uint64_t number, size_t words)
{
	uint64_t payload[1024];
	struct journal_record record = { .type = FRAME_BATCH,
					 .samples = RECORD_SAMPLES,
					 .time = number,
					 .payload = payload,
					 .size = words * sizeof(number) };

	assert_in_range(words, 1, 1024);
	for (size_t i = 0; i < words; i++)
		payload[i] = number;
	return journal_add(journal, &record);
}

/* The number of a record; it must be in all of its payload. */
static inline uint64_t journal_number(const struct frame *frame)
{
	uint64_t number, word;

	assert_true(frame->size >= sizeof(number));
	memcpy(&number, frame->payload, sizeof(number));
	for (size_t at = 0; at < frame->size; at += sizeof(word)) {
		memcpy(&word, frame->payload + at, sizeof(word));
		assert_true(word == number);
	}
	assert_true(frame->time == (mc_time)number);
	assert_int_equal(frame->samples, RECORD_SAMPLES);
	return number;
}

/* Takes all files of the journal down, but what was set aside. */
static inline void journal_save(struct files *files)
{
	DIR *list = opendir(FOLDER);
	struct dirent *entry;

	assert_non_null(list);
	files->len = 0;
	while ((entry = readdir(list)) != NULL) {
		struct file *file = &files->items[files->len];
		struct stat st;
		char path[600];
		int fd;

		snprintf(path, sizeof(path), FOLDER "/%s", entry->d_name);
		assert_int_equal(stat(path, &st), 0);
		if (!S_ISREG(st.st_mode))
			continue;
		snprintf(file->name, sizeof(file->name), "%.60s", entry->d_name);
		file->size = st.st_size;
		file->data = malloc(file->size + 1);
		assert_non_null(file->data);
		fd = open(path, O_RDONLY);
		assert_true(fd >= 0);
		assert_int_equal(read(fd, file->data, file->size), file->size);
		close(fd);
		files->len++;
	}
	closedir(list);
}

static inline void journal_restore(const struct files *files)
{
	journal_clear(FOLDER);
	assert_int_equal(mkdir(FOLDER, 0700), 0);
	for (size_t i = 0; i < files->len; i++) {
		const struct file *file = &files->items[i];
		char path[600];
		int fd;

		snprintf(path, sizeof(path), FOLDER "/%s", file->name);
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		assert_true(fd >= 0);
		assert_int_equal(write(fd, file->data, file->size), file->size);
		close(fd);
	}
}

static inline void journal_drop(struct files *files)
{
	for (size_t i = 0; i < files->len; i++)
		free(files->items[i].data);
	files->len = 0;
}

static inline struct file *journal_segment(struct files *files, size_t which)
{
	for (size_t i = 0; i < files->len; i++)
		if (strstr(files->items[i].name, ".seg") != NULL && which-- == 0)
			return &files->items[i];
	return NULL;
}
