/* SPDX-License-Identifier: MIT */
/* users: how many login sessions there are, from /var/run/utmp (utmp(5)).
 *
 * The file is an array of struct utmpx; an entry of the type USER_PROCESS is a session.  A rest
 * after the last whole entry does not count.  Systems without the file have no sessions to count:
 * 0, as in collectd.
 */
#include <collector/plugin.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <utmpx.h>

#define PATH "/var/run/utmp"
#define ENTRIES_PER_READ 64
#define ENTRIES_MAX 65535 /* The range of the type "users". */

/* Counts the sessions among the entries of an open file, or -errno. */
static int count_sessions(int fd)
{
	struct utmpx entries[ENTRIES_PER_READ];
	size_t seen = 0;
	int sessions = 0;

	while (seen < ENTRIES_MAX) {
		ssize_t size =
			pread(fd, entries, sizeof(entries), (off_t)(seen * sizeof(*entries)));
		size_t len;

		if (size < 0)
			return -errno;
		len = (size_t)size / sizeof(*entries);
		for (size_t i = 0; i < len; i++)
			if (entries[i].ut_type == USER_PROCESS)
				sessions++;
		seen += len;
		if (len < ENTRIES_PER_READ)
			break;
	}
	return sessions;
}

static int users_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	char path[4096];
	int sessions = 0;
	int fd = open(mc_path(ctx, PATH, path, sizeof(path)), O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && errno != ENOENT)
		return mc_fail(ctx, errno, "cannot open '%s'", PATH);
	if (fd >= 0) {
		sessions = count_sessions(fd);
		close(fd);
	}
	if (sessions < 0)
		return mc_fail(ctx, -sessions, "cannot read '%s'", PATH);
	mc_put_gauge(out, sessions, .type = "users");
	return 0;
}

MC_PLUGIN(users) = {
	MC_NAMED(users),
	.help = "Counts the users who are logged in.",
	.types = (const char *const[]){ "users", NULL },
	.read = users_read,
};
