/* SPDX-License-Identifier: MIT */
/* AuthFile: "user: password" in each line (collectd.conf(5), plugin network).  Lines without a
 * colon are passed over, and so are those that start with '#'. */
#include "users.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/kit/timed_call.h>

#define LOOK_INTERVAL MC_SECOND
#define USERS_MAX 65536 /* More in one file are passed over. */

static void free_entries(struct users_entry *entries, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		free(entries[i].name);
		crypt_key_free(entries[i].key);
	}
	free(entries);
}

static const struct network_user *rule_of(const struct users *users, const char *name)
{
	for (size_t i = 0; i < users->rules_len; i++)
		if (strcmp(users->rules[i].name, name) == 0)
			return &users->rules[i];
	return NULL;
}

/* Adds the user of a line; returns 0 or -errno. */
static int add(struct users *users, char *line)
{
	struct users_entry *more, *entry;
	char *name = line + strspn(line, " \t");
	char *colon = strchr(name, ':');
	char *password;

	if (*name == '#' || colon == NULL || colon == name || users->len == USERS_MAX)
		return 0;
	*colon = '\0';
	password = colon + 1 + strspn(colon + 1, " \t");
	password[strcspn(password, "\r\n")] = '\0';
	more = mc_alloc_resize(users->entries, users->len + 1, sizeof(*users->entries));
	users->entries = more;
	entry = &more[users->len];
	*entry = (struct users_entry){ .name = mc_alloc_copy(name),
				       .name_size = strlen(name),
				       .key = crypt_key_new(password),
				       .rule = rule_of(users, name) };
	users->len++;
	return entry->key != NULL ? 0 : -ENOMEM;
}

/* Returns 0 or -errno. */
static int read_lines(struct users *users, FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	int rc = 0;

	while (rc == 0 && getline(&line, &room, file) >= 0)
		rc = add(users, line);
	if (rc == 0 && ferror(file))
		rc = -errno;
	if (line != NULL)
		explicit_bzero(line, room);
	free(line);
	return rc;
}

/* Locked while it is read, as collectd does, for those who edit it so. */
static FILE *open_locked(const char *path)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	FILE *file = fopen(path, "re");

	if (file != NULL)
		fcntl(fileno(file), F_SETLK, &lock);
	return file;
}

bool users_has(const char *path, const char *name)
{
	struct users users = { .path = path };
	bool has = false;
	FILE *file;

	if (!crypt_ready())
		return false;
	file = fopen(path, "re");
	if (file == NULL)
		return false;
	if (read_lines(&users, file) == 0)
		has = name == NULL ? users.len > 0 : users_find(&users, name, strlen(name)) != NULL;
	users_stop(&users);
	fclose(file);
	return has;
}

/* Reads the file into fresh entries; keeps the old ones if that fails.  Returns 0 or -errno. */
static int read_file(struct users *users)
{
	struct users fresh = *users;
	FILE *file = open_locked(users->path);
	int rc;

	if (file == NULL)
		return -errno;
	fresh.entries = NULL;
	fresh.len = 0;
	rc = fstat(fileno(file), &fresh.stat) == 0 ? read_lines(&fresh, file) : -errno;
	fclose(file);
	if (rc < 0) {
		free_entries(fresh.entries, fresh.len);
		return rc;
	}
	free_entries(users->entries, users->len);
	*users = fresh;
	return 0;
}

int users_start(struct users *users, struct mc_ctx *ctx, const struct network_listen *options)
{
	int rc;

	*users = (struct users){ .ctx = ctx,
				 .path = options->auth_file,
				 .rules = options->users.items,
				 .rules_len = options->users.len };
	rc = mc_timed_file(ctx, users->path);
	if (rc < 0)
		return rc;
	rc = users->path != NULL ? read_file(users) : 0;
	return rc == 0 ? 0 : mc_fail(ctx, -rc, "cannot read AuthFile '%s'", users->path);
}

void users_stop(struct users *users)
{
	free_entries(users->entries, users->len);
	users->entries = NULL;
	users->len = 0;
}

void users_refresh(struct users *users, mc_time now)
{
	struct stat now_there;
	int rc;

	if (users->path == NULL || now - users->looked < LOOK_INTERVAL)
		return;
	users->looked = now;
	if (stat(users->path, &now_there) != 0 ||
	    (now_there.st_mtim.tv_sec == users->stat.st_mtim.tv_sec &&
	     now_there.st_mtim.tv_nsec == users->stat.st_mtim.tv_nsec &&
	     now_there.st_size == users->stat.st_size && now_there.st_ino == users->stat.st_ino))
		return;
	rc = read_file(users);
	if (rc == 0) {
		mc_log(users->ctx, MC_NOTE, "AuthFile '%s' has changed: %zu users", users->path,
		       users->len);
		return;
	}
	mc_log(users->ctx, MC_WARN, "cannot read AuthFile '%s': %s; the old users stay valid",
	       users->path, strerror(-rc));
	users->stat = now_there; /* Tried again when it changes. */
}

const struct users_entry *users_find(const struct users *users, const char *name, size_t name_size)
{
	for (size_t i = 0; i < users->len; i++)
		if (users->entries[i].name_size == name_size &&
		    memcmp(users->entries[i].name, name, name_size) == 0)
			return &users->entries[i];
	return NULL;
}

bool users_may_send(const struct users_entry *entry, const char *host)
{
	if (entry->rule == NULL)
		return true;
	for (size_t i = 0; i < entry->rule->hosts.len; i++)
		if (fnmatch(entry->rule->hosts.items[i], host, 0) == 0)
			return true;
	return false;
}
