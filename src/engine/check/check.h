/* SPDX-License-Identifier: MIT */
/* Has the options of an instance judged by its plugin. */
#pragma once

#include <stdbool.h>

struct check_process;
struct context;
struct mc_ctx;
struct timed_calls;
struct type_set;

enum check_use { /* The purpose of a path. */
		 CHECK_READ,
		 CHECK_WRITE,
		 CHECK_CONNECT, /* A unix socket. */
		 CHECK_RUN,     /* A program. */
};

struct check {
	bool host; /* Files, users and ports of this host are looked at. */

	/* Gets all mistakes; 'field' and 'text' as in <collector/check.h>. */
	void (*report)(void *argument, bool error, const void *field, const char *text);

	/* This process is about to start with these options, so another collector that has
	 * something of them is one too many; else it may be the one whose options they are. */
	bool starting;

	/* Gets conflicts with another daemon of this kind: 'text' names it. */
	void (*held)(void *argument, const void *field, const char *text);

	/* NULL, or the owner of that key, in words; without an owner it is noted for 'field'. */
	const char *(*claim)(void *argument, const void *field, const char *key);

	/* NULL, or the owner of that key, in words: nothing is noted. */
	const char *(*owner)(void *argument, const char *key);

	/* Whether an instance of that name is loaded. */
	bool (*has_instance)(void *argument, const char *name);

	/* NULL, or the loaded plugin that a misspelled name probably means. */
	const char *(*meant)(void *argument, const char *name);

	/* NULL, or why the unit that the collector is to run under hides that
	 * path, or keeps it from being used in that way: a text to be freed. */
	char *(*hidden)(void *argument, const char *path, enum check_use);

	/* NULL, or why the collector will lack one of those capabilities under
	 * that unit: a text to be freed. */
	char *(*lacking)(void *argument, const char *capabilities);

	/* The same for the reason why it will not be a member of that group. */
	char *(*outside)(void *argument, const char *group);

	/* The configuration file that gives a field its value, or NULL. */
	const char *(*source)(void *argument, const void *field);
	int folder; /* Where relative names of such files start. */

	struct timed_calls *files;    /* Tried by these; see slow_file_try(). */
	const struct type_set *types; /* Known types. */
	void *argument;
};

/* Warns of a path that the unit would hide, or keep from that use. */
void check_hidden(struct mc_ctx *, const char *const *field, enum check_use);

/* Whether a process is a daemon of this kind, collectd or another collector, that conflicts with
 * us over the value of 'field': 'what' such as "is that of".  That is then reported. */
bool check_held(struct mc_ctx *, const void *field, const char *what, const struct check_process *);

/* NULL, or why no files can be made in a folder, or why it cannot be made: a text to be freed. */
char *check_folder(const char *path);

/* State of the check under way. */
const struct check *check_of(const struct mc_ctx *);

/* Calls check(), if the plugin has one.  The instance has its options, and was not started. */
void check_run(struct context *, const struct check *);
