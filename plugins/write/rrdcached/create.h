/* SPDX-License-Identifier: MIT */
/* Which files to make, when, and the log lines about it: one at a time, at a
 * limited rate, each once, on a connection of their own, so that updates of
 * files that exist wait for none of it.  Pure; the caller locks. */
#pragma once

#include "file.h"

struct create {             /* Set only the pause: nothing to make. */
	mc_time pause;      /* Between two; 0: no limit. */
	mc_time next;       /* Not before. */
	struct file *first; /* In the order in which they were missed, */
	struct file *last;
	struct file *failed; /* and those to be tried again, in none. */
	mc_time failed_due;  /* The first of these. */
};

void create_add(struct create *, struct file *);

/* The next file to make now, taken out, or NULL: then '*wake' is made earlier
 * if one is due at a certain time.  A file must wait until what was sent for it
 * has been answered: 'passed' is backlog_passed(). */
struct file *create_next(struct create *, mc_time now, uint64_t passed, mc_time *wake);

/* To be tried again: after 10 seconds, then ever later, up to 5 minutes. */
void create_failed(struct create *, struct file *, mc_time now);

/* The same after a second: what hinders it is not the file. */
void create_later(struct create *, struct file *, mc_time now);

/* A file was made that could not be made before: so may the others, which are
 * tried again at once. */
void create_again(struct create *, mc_time now);

/* The command, with its newline: the size, or 0 if it does not fit. */
size_t create_text(const struct file *, char *out, size_t size);

/* Meaning of the answer: the file is there; a directory is missing. */
bool create_succeeded(long status, const char *text);
bool create_lacks_directory(const char *text);

/* Whether it says that no file can have that path: something else stands there,
 * or it is too long. */
bool create_is_hopeless(const char *text);

/* Makes the directories that a path as in commands is in, as far as they are
 * missing and that is possible. */
void create_directories(const char *path, size_t size);
