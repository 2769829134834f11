/* SPDX-License-Identifier: MIT */
/* A daemon of Ceph that is asked by its admin socket. */
#pragma once

#include <sys/stat.h>

#include "counters.h"
#include "kit/net/dialogue.h"

struct daemon {
	struct daemon *next;
	char *name, *path;  /* Plugin instance; socket. */
	bool is_found;      /* By a pattern, and then */
	bool seen;          /* whether it is there. */
	struct stat socket; /* Of the daemon whose counters are known. */
	const struct counters_rules *rules;
	struct counters counters;
	size_t unknown_max; /* More unknown values: the schema is asked again. */
	bool asks_schema;
	struct dialogue_target target;
	struct dialogue *dialogue;
};

struct daemon *daemon_new(const char *name, const char *path, const struct counters_rules *,
			  const struct mc_quota_limits *);
void daemon_free(struct daemon *); /* Its dialogue has ended. */

/* The name of the daemon that a socket says: "osd.0" of "/run/ceph/ceph-osd.0.asok".  The caller
 * frees it. */
char *daemon_name_of(const char *path);
