/* SPDX-License-Identifier: MIT */
/* A folder into which others move files: which of them wait, oldest first, and how one is taken.
 *
 * To take a file is to rename it into the folder ".taken" below, where its name begins with a
 * number: two readers never have the same, and after a crash it is known what was not finished. */
#pragma once

#include <limits.h>

#include <collector/plugin.h>

#define FOLDER_NAME_SIZE (NAME_MAX + 1)

struct folder_file { /* One that waits. */
	char *name;
	int64_t time; /* In seconds: in its name, or when it was written. */
	uint64_t size;
	bool refused; /* It cannot be read. */
};

struct folder {
	const char *path;
	int fd, taken; /* Descriptors; -1: not open. */
	int inotify;   /* Readable when something is new; or -1. */
	struct folder_file *files;
	size_t len, room, next;
	uint64_t bytes; /* Of those from 'next' on. */
	bool young;     /* Some were written so lately that they may grow. */
};

/* Opens it, makes ".taken", and locks that against other readers.  0 or a
 * negative errno: -EBUSY if another collector has it. */
int folder_open(struct folder *);
void folder_init(struct folder *, const char *path);
void folder_done(struct folder *);

/* Whether another folder has the path now. */
bool folder_is_gone(const struct folder *);

/* Lists what waits anew, of which there are FOLDER_FILES_MAX at most.  0 or a negative errno. */
#define FOLDER_FILES_MAX 100000
int folder_list(struct folder *, mc_time now);

/* Takes the file under a number: its name in ".taken".  0 or a negative errno:
 * -ENOENT, somebody else has taken it. */
int folder_take(const struct folder *, const char *name, uint64_t number,
		char out[FOLDER_NAME_SIZE]);

/* Opens a file of ".taken"; a descriptor or a negative errno: -EINVAL if it cannot be read. */
int folder_open_taken(const struct folder *, const char *name);

/* The size of a file of ".taken"; 0: it is not there. */
uint64_t folder_taken_size(const struct folder *, const char *name);

/* Has no reader take a file of ".taken" any more. */
void folder_set_aside(const struct folder *, const char *name);

/* The number that a name in ".taken" begins with; 0: none. */
uint64_t folder_number(const char *name);

/* The time of the first event of a file that waits; 0: unknown. */
mc_time folder_first_time(const struct folder *, const char *name);

/* Forgets that something is new. */
void folder_drain(struct folder *);
