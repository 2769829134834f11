/* SPDX-License-Identifier: MIT */
/* The user that a unit of systemd runs the collector as, and the parts of the file system open to
 * that user. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "engine/check/check.h"

#define UNIT_USER_GROUPS_MAX 64

struct unit_user {
	char name[64];  /* User=; "": root. */
	char group[64]; /* Group=; "": that of the user. */
	uid_t uid;
	gid_t groups[UNIT_USER_GROUPS_MAX]; /* It, and those of the user. */
	size_t groups_len;
	gid_t more[UNIT_USER_GROUPS_MAX]; /* SupplementaryGroups=. */
	size_t more_len;
	bool known; /* This host has that user, and that group. */

	/* By a capability, whatever modes say. */
	bool reads_all, writes_all;
};

/* Takes User=, Group= and SupplementaryGroups= of a unit, names or numbers: ""
 * has what was before forgotten.  The last can be given several times. */
void unit_user_set_name(struct unit_user *, const char *name);
void unit_user_set_group(struct unit_user *, const char *name);
void unit_user_add_groups(struct unit_user *, const char *names);

/* Asks this host for who that is, when all is taken. */
void unit_user_find(struct unit_user *);

bool unit_user_is_root(const struct unit_user *);

bool unit_user_is_member(const struct unit_user *, gid_t group);

/* Whether that user may use the path so: read it, write to it or make it,
 * connect to it, run it; true if this host does not have the user.  If not, and
 * a group would help, that is '*group'; else (gid_t)-1. */
bool unit_user_may(const struct unit_user *, const char *path, enum check_use, gid_t *group);
