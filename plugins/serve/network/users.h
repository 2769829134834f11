/* SPDX-License-Identifier: MIT */
/* The users of an AuthFile, which is read again when it has changed, and the
 * hosts that each may send. */
#pragma once

#include <sys/stat.h>

#include <collector/plugin.h>

#include "crypt.h"
#include "network.h"

struct users_entry {
	char *name;
	size_t name_size;
	struct crypt_key *key;
	const struct network_user *rule; /* NULL: may send any host. */
};

struct users { /* Only its receiving thread, once that is started. */
	struct mc_ctx *ctx;
	const char *path;
	const struct network_user *rules;
	size_t rules_len;
	struct users_entry *entries;
	size_t len;
	struct stat stat; /* Of the file that was read. */
	mc_time looked;   /* When the file was last looked at. */
};

/* Reads the file.  Returns 0, or what mc_fail() returned; users_stop() is due in any case. */
int users_start(struct users *, struct mc_ctx *, const struct network_listen *);
void users_stop(struct users *);

/* Whether the file can be read and has that user; NULL: any.  It is not locked. */
bool users_has(const char *path, const char *name);

/* Looks at the file, at most once a second, and reads it again if it is not
 * the one that was read.  One that cannot be read leaves all as it is. */
void users_refresh(struct users *, mc_time now);

/* NULL: there is no such user. */
const struct users_entry *users_find(const struct users *, const char *name, size_t name_size);

bool users_may_send(const struct users_entry *, const char *host);
