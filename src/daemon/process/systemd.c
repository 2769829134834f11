/* SPDX-License-Identifier: MIT */
/* Talks to the service manager; the protocol is that of sd_notify(3) and
 * sd_watchdog_enabled(3).  Half of the watchdog's time is what they advise. */
#include "daemon/process/systemd.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "conf/value.h"

/* A path, or '@' and the name of an abstract socket. */
static int open_socket(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t size = strlen(name);
	int fd;

	if ((name[0] != '/' && name[0] != '@') || size < 2 || size > sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path, name, size);
	if (name[0] == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&address,
		    offsetof(struct sockaddr_un, sun_path) + size) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static mc_time watchdog_interval(void)
{
	const char *usec = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");
	int64_t us, id;

	if (usec == NULL || !value_integer(usec, &us) || us <= 0 || us > INT64_MAX / 1000)
		return 0;
	if (pid != NULL && (!value_integer(pid, &id) || id != getpid()))
		return 0;
	return us * 1000 / 2;
}

void systemd_open(struct systemd *systemd)
{
	const char *name = getenv("NOTIFY_SOCKET");

	systemd->fd = name != NULL ? open_socket(name) : -1;
	systemd->watchdog = systemd->fd >= 0 ? watchdog_interval() : 0;
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void systemd_close(struct systemd *systemd)
{
	if (systemd->fd >= 0)
		close(systemd->fd);
	systemd->fd = -1;
}

void systemd_say(struct systemd *systemd, const char *fmt, ...)
{
	char text[512];
	va_list args;
	int n;

	if (systemd->fd < 0)
		return;
	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(text))
		return;
	/* A manager that does not listen does not stop collecting. */
	if (send(systemd->fd, text, n, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return;
}
