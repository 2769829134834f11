/* SPDX-License-Identifier: MIT */
/* Defaults as in collectd.conf(5), section "Plugin unixsock"; unix(7) for the permissions. */
#include <collector/kit/listen.h>
#include <collector/kit/number.h>

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define GROUP_DEFAULT "collectd"

/* The permissions, or -1. */
static int read_perms(const char *text)
{
	uint64_t perms;

	return mc_number_unsigned(text, 8, 0777, &perms) ? (int)perms : -1;
}

bool mc_listen_takes_perms(const char *text)
{
	return read_perms(text) >= 0;
}

/* Whether the socket at this address is a left-over: nobody listens on it. */
static bool abandoned(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return false;

	bool refused = connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 &&
		       errno == ECONNREFUSED;

	close(fd);
	return refused;
}

/* Makes way for our socket.  Only ever removes a socket, never a file. */
static int clear_path(struct mc_ctx *ctx, const struct sockaddr_un *address, bool delete_socket)
{
	struct stat st;

	if (lstat(address->sun_path, &st) < 0)
		return 0;
	if (!S_ISSOCK(st.st_mode))
		return mc_fail(ctx, 0, "'%s' is in the way: it is not a socket", address->sun_path);
	if (!abandoned(address) && !delete_socket)
		return mc_fail(ctx, 0,
			       "another program listens on '%s'; 'DeleteSocket "
			       "true' would take its place",
			       address->sun_path);
	if (unlink(address->sun_path) < 0)
		return mc_fail(ctx, errno, "cannot remove the old socket '%s'", address->sun_path);
	mc_log(ctx, MC_NOTE, "removed the old socket '%s'", address->sun_path);
	return 0;
}

static void set_group(struct mc_ctx *ctx, const struct mc_listen_file *file)
{
	const char *name = file->group;
	const struct group *group;

	/* Only root can give a file away. */
	if (geteuid() != 0)
		return;
	group = getgrnam(name == NULL ? GROUP_DEFAULT : name);
	if (group == NULL && name == NULL)
		return;
	if (group == NULL)
		mc_log(ctx, MC_WARN, "no group '%s' on this host; the socket keeps ours", name);
	else if (chown(file->path, (uid_t)-1, group->gr_gid) < 0)
		mc_log(ctx, MC_WARN, "cannot give '%s' to group '%s': %s", file->path,
		       group->gr_name, strerror(errno));
}

static int bind_path(struct mc_ctx *ctx, int fd, mode_t perms, const struct sockaddr_un *address,
		     const struct mc_listen_file *file)
{
	/* The file is born with the mode of the descriptor, less the umask, so
	 * that nobody slips in before chmod(). */
	if (fchmod(fd, perms) < 0 ||
	    bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0)
		return mc_fail(ctx, errno, "cannot bind to '%s'", file->path);
	set_group(ctx, file);
	if (chmod(file->path, perms) < 0)
		return mc_fail(ctx, errno, "cannot set permissions of '%s'", file->path);
	if (listen(fd, SOMAXCONN) < 0)
		return mc_fail(ctx, errno, "cannot listen on '%s'", file->path);
	return 0;
}

int mc_listen_file(struct mc_ctx *ctx, const struct mc_listen_file *file)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int perms = read_perms(file->perms);
	int status;

	if (perms < 0)
		return mc_fail(ctx, 0,
			       "SocketPerms '%s' is not an octal number from 0 "
			       "to 0777",
			       file->perms);
	if (strlen(file->path) >= sizeof(address.sun_path))
		return mc_fail(ctx, 0, "SocketFile '%s' is longer than %zu bytes", file->path,
			       sizeof(address.sun_path) - 1);
	memcpy(address.sun_path, file->path, strlen(file->path));
	status = clear_path(ctx, &address, file->delete_socket);
	if (status < 0)
		return status;

	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return mc_fail(ctx, errno, "cannot make a socket");
	status = bind_path(ctx, fd, (mode_t)perms, &address, file);
	if (status < 0) {
		close(fd);
		return status;
	}
	return fd;
}

void mc_listen_file_close(int fd, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	memcpy(address.sun_path, path, strlen(path));
	close(fd);
	/* Somebody answers there although we are gone: not ours any more. */
	if (abandoned(&address))
		unlink(path);
}
