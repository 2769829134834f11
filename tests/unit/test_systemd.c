/* SPDX-License-Identifier: MIT */
#include "daemon/process/systemd.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static struct systemd systemd;

/* A manager's socket; 'name' as in NOTIFY_SOCKET. */
static int listen_at(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t size = strlen(name);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	memcpy(address.sun_path, name, size);
	if (name[0] == '@')
		address.sun_path[0] = '\0';
	assert_int_equal(bind(fd, (struct sockaddr *)&address,
			      offsetof(struct sockaddr_un, sun_path) + size),
			 0);
	return fd;
}

static void expect_message(int fd, const char *expected)
{
	char text[512];
	ssize_t size = recv(fd, text, sizeof(text) - 1, 0);

	assert_true(size >= 0);
	text[size] = '\0';
	assert_string_equal(text, expected);
}

static void expect_silence(int fd)
{
	char byte;

	assert_int_equal(recv(fd, &byte, 1, 0), -1);
	assert_int_equal(errno, EAGAIN);
}

static void talk_over(const char *name)
{
	int fd = listen_at(name);

	setenv("NOTIFY_SOCKET", name, 1);
	systemd_open(&systemd);
	assert_null(getenv("NOTIFY_SOCKET"));
	systemd_say(&systemd, "READY=1");
	systemd_say(&systemd, "STATUS=%d series", 12);
	expect_message(fd, "READY=1");
	expect_message(fd, "STATUS=12 series");
	expect_silence(fd);
	close(fd);
	systemd_say(&systemd, "STOPPING=1"); /* Nobody is there: no matter. */
	systemd_close(&systemd);
}

static void test_path(void **state)
{
	char folder[] = "/tmp/systemd-XXXXXX", name[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(name, sizeof(name), "%s/notify", folder);
	talk_over(name);
	unlink(name);
	rmdir(folder);
}

static void test_abstract(void **state)
{
	char name[64];

	(void)state;
	snprintf(name, sizeof(name), "@collector-test-%d", getpid());
	talk_over(name);
}

static void test_nobody(void **state)
{
	char name[200];

	(void)state;
	unsetenv("NOTIFY_SOCKET");
	systemd_open(&systemd);
	assert_int_equal(systemd.fd, -1);
	systemd_say(&systemd, "READY=1");
	systemd_close(&systemd);

	setenv("NOTIFY_SOCKET", "relative", 1);
	systemd_open(&systemd);
	assert_int_equal(systemd.fd, -1);

	memset(name, 'x', sizeof(name)); /* Longer than an address. */
	name[0] = '/';
	name[sizeof(name) - 1] = '\0';
	setenv("NOTIFY_SOCKET", name, 1);
	systemd_open(&systemd);
	assert_int_equal(systemd.fd, -1);
}

/* The watchdog's interval that follows from the environment. */
static mc_time watchdog_for(const char *usec, const char *pid)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "@collector-watchdog-%d", getpid());
	fd = listen_at(name);
	setenv("NOTIFY_SOCKET", name, 1);
	setenv("WATCHDOG_USEC", usec, 1);
	if (pid != NULL)
		setenv("WATCHDOG_PID", pid, 1);
	systemd_open(&systemd);
	assert_null(getenv("WATCHDOG_USEC"));
	assert_null(getenv("WATCHDOG_PID"));
	systemd_close(&systemd);
	close(fd);
	return systemd.watchdog;
}

static void test_watchdog(void **state)
{
	char pid[16];

	(void)state;
	snprintf(pid, sizeof(pid), "%d", getpid());
	assert_int_equal(watchdog_for("30000000", NULL), 15 * MC_SECOND);
	assert_int_equal(watchdog_for("30000000", pid), 15 * MC_SECOND);
	assert_int_equal(watchdog_for("30000000", "1"), 0);
	assert_int_equal(watchdog_for("soon", NULL), 0);
	assert_int_equal(watchdog_for("-5", NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_abstract),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
