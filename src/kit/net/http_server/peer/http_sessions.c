/* SPDX-License-Identifier: MIT */
#include "kit/net/http_server/peer/http_sessions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gnutls/crypto.h>

#include <collector/kit/alloc.h>

#define MAGIC "MCTLS001"
#define MAGIC_SIZE 8

struct record { /* All of the file, as the machine has it in memory. */
	char magic[MAGIC_SIZE];
	int64_t made; /* mc_time */
	unsigned char key[HTTP_SESSIONS_KEY_SIZE];
};

void http_sessions_init(struct http_sessions *sessions)
{
	*sessions = (struct http_sessions){ .made = 0 };
	pthread_mutex_init(&sessions->lock, NULL);
}

void http_sessions_done(struct http_sessions *sessions)
{
	gnutls_memset(sessions->key, 0, sizeof(sessions->key));
	pthread_mutex_destroy(&sessions->lock);
}

static bool is_fresh(mc_time made)
{
	mc_time now = mc_wall();

	return made > 0 && made <= now && now - made < HTTP_SESSIONS_KEY_TIME;
}

/* --- The file -------------------------------------------------------------- */

static bool is_private(int fd)
{
	struct stat file;

	return fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid() &&
	       (file.st_mode & 077) == 0 && file.st_size == sizeof(struct record);
}

static bool read_file(const char *path, struct record *record)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool right;

	if (fd < 0)
		return false;
	right = is_private(fd) && read(fd, record, sizeof(*record)) == sizeof(*record) &&
		memcmp(record->magic, MAGIC, MAGIC_SIZE) == 0 && is_fresh(record->made);
	close(fd);
	return right;
}

/* 0 or -errno. */
static int write_new(const char *path, const struct record *record)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600), rc = 0;
	ssize_t size;

	if (fd < 0)
		return -errno;
	size = write(fd, record, sizeof(*record));
	if (size != sizeof(*record))
		rc = size < 0 ? -errno : -ENOSPC;
	else if (fsync(fd) != 0)
		rc = -errno;
	close(fd);
	return rc;
}

static int write_file(const char *path, const struct record *record)
{
	char *new_path = mc_alloc_printf("%s.new", path);
	int rc;

	unlink(new_path);
	rc = write_new(new_path, record);
	if (rc == 0 && rename(new_path, path) != 0)
		rc = -errno;
	if (rc < 0)
		unlink(new_path);
	free(new_path);
	return rc;
}

/* --- The key --------------------------------------------------------------- */

static bool has_key(struct http_sessions *sessions)
{
	bool fresh;

	pthread_mutex_lock(&sessions->lock);
	fresh = is_fresh(sessions->made);
	pthread_mutex_unlock(&sessions->lock);
	return fresh;
}

static void take(struct http_sessions *sessions, struct record *record)
{
	pthread_mutex_lock(&sessions->lock);
	memcpy(sessions->key, record->key, sizeof(sessions->key));
	sessions->made = record->made;
	pthread_mutex_unlock(&sessions->lock);
	gnutls_memset(record, 0, sizeof(*record));
}

int http_sessions_renew(struct http_sessions *sessions, const char *path)
{
	struct record record;
	int rc = 0;

	if (has_key(sessions))
		return 0;
	if (path == NULL || !read_file(path, &record)) {
		memcpy(record.magic, MAGIC, MAGIC_SIZE);
		record.made = mc_wall();
		if (gnutls_rnd(GNUTLS_RND_KEY, record.key, sizeof(record.key)) < 0)
			return -EIO;
		rc = path != NULL ? write_file(path, &record) : 0;
	}
	take(sessions, &record);
	return rc;
}

void http_sessions_enter(struct http_sessions *sessions, gnutls_session_t session)
{
	gnutls_datum_t key = { sessions->key, sizeof(sessions->key) };

	gnutls_db_set_cache_expiration(session, HTTP_SESSIONS_SECONDS);
	pthread_mutex_lock(&sessions->lock);
	if (sessions->made > 0)
		gnutls_session_ticket_enable_server(session, &key); /* Copies it. */
	pthread_mutex_unlock(&sessions->lock);
}

void http_sessions_count(struct http_sessions *sessions, gnutls_session_t session)
{
	bool resumed = gnutls_session_is_resumed(session) != 0;

	atomic_fetch_add(resumed ? &sessions->resumed : &sessions->full, 1);
}
