/* SPDX-License-Identifier: MIT */
/* Sockets that others come to. */
#include "unit.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <collector/kit/address.h>
#include <collector/kit/listen.h>

#include "kit/net/accept.h"

static char said[600]; /* The last line, and how many there were. */
static unsigned lines;

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	va_list args;

	(void)ctx, (void)level;
	va_start(args, fmt);
	vsnprintf(said, sizeof(said), fmt, args);
	va_end(args);
	lines++;
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	va_list args;

	(void)ctx;
	va_start(args, fmt);
	vsnprintf(said, sizeof(said), fmt, args);
	va_end(args);
	return errnum != 0 ? -errnum : -EINVAL;
}

/* --- Addresses ----------------------------------------------------------- */

static struct sockaddr_storage find(const char *host, const char *port)
{
	struct mc_addresses found;

	assert_int_equal(
		mc_address_find(host, port, SOCK_STREAM, AI_PASSIVE | AI_NUMERICHOST, &found), 0);
	assert_true(found.len > 0);
	return found.items[0];
}

/* A listener at that host and a port of the kernel's choice. */
static int listen_at(const char *host, const struct mc_listen *how, struct sockaddr_storage *at)
{
	socklen_t size = sizeof(*at);
	int fd;

	*at = find(host, "0");
	fd = mc_listen_at(at, how);
	assert_true(fd >= 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)at, &size), 0);
	return fd;
}

static int come(const struct sockaddr_storage *to)
{
	int fd = socket(to->ss_family, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)to, mc_address_size(to)), 0);
	return fd;
}

static void addresses_are_told_apart(void **state)
{
	struct sockaddr_storage here = find("127.9.9.9", "7");
	struct sockaddr_storage six = find("::1", "7");
	struct sockaddr_storage other = find("192.0.2.1", "7");
	struct sockaddr_storage group = find("239.192.74.66", "7");
	char text[MC_ADDRESS_TEXT_SIZE];

	(void)state;
	assert_true(mc_address_loopback(&here));
	assert_true(mc_address_loopback(&six));
	assert_false(mc_address_loopback(&other));
	assert_false(mc_address_multicast(&other));
	assert_true(mc_address_multicast(&group));
	assert_string_equal(mc_address_text(&here, text), "127.9.9.9:7");
	assert_string_equal(mc_address_text(&six, text), "[::1]:7");
	assert_true(mc_address_equal(&six, &six));
	assert_false(mc_address_equal(&six, &here));
}

static void an_address_is_listened_at_once(void **state)
{
	const struct mc_listen how = { .type = SOCK_STREAM };
	const struct mc_listen shared = { .type = SOCK_STREAM, .shared = true };
	struct sockaddr_storage at;
	int fd = listen_at("127.0.0.1", &how, &at), second;

	(void)state;
	assert_int_equal(mc_listen_at(&at, &how), -EADDRINUSE);
	close(fd);
	fd = listen_at("127.0.0.1", &shared, &at);
	second = mc_listen_at(&at, &shared);
	assert_true(second >= 0);
	close(second);
	close(fd);
}

/* Another process's, as it were: one that lets others share its port, as collectd does. */
static int open_foreign(const struct sockaddr_storage *at)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), yes = 1;

	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)), 0);
	if (bind(fd, (const struct sockaddr *)at, sizeof(struct sockaddr_in)) == 0)
		return fd;
	close(fd);
	return -errno;
}

static void a_port_of_datagrams_is_not_shared(void **state)
{
	const struct mc_listen how = { .type = SOCK_DGRAM };
	struct sockaddr_storage at;
	int fd = listen_at("127.0.0.1", &how, &at);

	(void)state;
	assert_int_equal(open_foreign(&at), -EADDRINUSE);
	close(fd);
	fd = open_foreign(&at);
	assert_true(fd >= 0);
	assert_int_equal(mc_listen_at(&at, &how), -EADDRINUSE);
	close(fd);
}

static void one_process_listens_at_one_address_and_at_all(void **state)
{
	const struct mc_listen how = { .type = SOCK_DGRAM };
	struct sockaddr_storage at, all = find("0.0.0.0", "0"), group = find("239.192.74.66", "0");
	int one = listen_at("127.0.0.1", &how, &at), any, several;

	(void)state;
	((struct sockaddr_in *)&all)->sin_port = ((struct sockaddr_in *)&at)->sin_port;
	((struct sockaddr_in *)&group)->sin_port = ((struct sockaddr_in *)&at)->sin_port;
	any = mc_listen_at(&all, &how);
	assert_true(any >= 0);
	several = mc_listen_at(&group, &how);
	assert_true(several >= 0 || several == -ENODEV);
	assert_int_equal(open_foreign(&at), -EADDRINUSE);
	assert_int_equal(open_foreign(&all), -EADDRINUSE);
	if (several >= 0)
		close(several);
	close(any);
	close(one);
}

static void both_families_come_by_one_socket(void **state)
{
	const struct mc_listen both = { .type = SOCK_STREAM, .both_families = true };
	const struct mc_listen one = { .type = SOCK_STREAM };
	struct sockaddr_storage at, v4 = find("127.0.0.1", "0");
	struct sockaddr_in *four = (struct sockaddr_in *)&v4;
	int fd = socket(AF_INET6, SOCK_STREAM, 0), client;

	(void)state;
	if (fd < 0)
		skip();
	close(fd);
	fd = listen_at("::", &both, &at);
	four->sin_port = ((struct sockaddr_in6 *)&at)->sin6_port;
	client = come(&v4);
	close(client);
	close(fd);
	fd = listen_at("::", &one, &at);
	four->sin_port = ((struct sockaddr_in6 *)&at)->sin6_port;
	client = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(client, (struct sockaddr *)&v4, sizeof(*four)), -1);
	assert_int_equal(errno, ECONNREFUSED);
	close(client);
	close(fd);
}

static void an_interface_must_be_there(void **state)
{
	const struct mc_listen how = { .type = SOCK_DGRAM, .interface = "nosuch0" };
	struct sockaddr_storage at = find("127.0.0.1", "0");

	(void)state;
	assert_int_equal(mc_listen_at(&at, &how), -ENODEV);
}

/* --- Names --------------------------------------------------------------- */

/* The addresses of the name "several", or NULL. */
static const char *const *several;

/* Instead of the resolver's: what a name means does not depend on the machine. */
int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
		       struct addrinfo **out);
int __real_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
		       struct addrinfo **out);

int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
		       struct addrinfo **out)
{
	struct addrinfo **next = out;
	int rc = 0;

	if (strcmp(host, "several") != 0)
		return __real_getaddrinfo(host, port, hints, out);
	for (const char *const *one = several; rc == 0 && *one != NULL; one++) {
		rc = __real_getaddrinfo(*one, port, hints, next);
		if (rc == 0)
			next = &(*next)->ai_next;
	}
	return rc;
}

/* Listens at the name, which has these addresses.  Returns what
 * mc_listen_host() did, and how many sockets there were. */
static int listen_at_name(const char *const addresses[], const char *port, unsigned *len)
{
	const struct mc_listen how = { .type = SOCK_STREAM };
	struct mc_listen_sockets sockets;
	int rc;

	several = addresses;
	said[0] = '\0';
	rc = mc_listen_host(NULL, "several", port, &how, &sockets);
	*len = sockets.len;
	while (sockets.len > 0)
		close(sockets.items[--sockets.len].fd);
	return rc;
}

/* A port of the kernel's choice that somebody listens at, at 127.0.0.2. */
static int occupy_port(char port[8])
{
	const struct mc_listen how = { .type = SOCK_STREAM };
	struct sockaddr_storage at;
	int fd = listen_at("127.0.0.2", &how, &at);

	snprintf(port, 8, "%u", ntohs(((struct sockaddr_in *)&at)->sin_port));
	return fd;
}

static void an_address_in_use_is_an_error(void **state)
{
	char port[8];
	int fd = occupy_port(port);
	unsigned len;

	(void)state;
	assert_int_equal(
		listen_at_name((const char *[]){ "127.0.0.3", "127.0.0.2", "127.0.0.4", NULL },
			       port, &len),
		-EADDRINUSE);
	assert_int_equal(len, 0);
	assert_non_null(strstr(said, "cannot listen at 'several' port"));
	/* Neither is the one before it still listened at. */
	assert_int_equal(listen_at_name((const char *[]){ "127.0.0.3", NULL }, port, &len), 0);
	assert_int_equal(len, 1);
	close(fd);
}

/* 203.0.113.1 belongs to a network for documentation. */
static void an_address_of_another_machine_is_left_out(void **state)
{
	unsigned len;

	(void)state;
	assert_int_equal(
		listen_at_name((const char *[]){ "203.0.113.1", "127.0.0.3", NULL }, "0", &len), 0);
	assert_int_equal(len, 1);
	assert_int_equal(
		listen_at_name((const char *[]){ "127.0.0.3", "203.0.113.1", NULL }, "0", &len), 0);
	assert_int_equal(len, 1);
	assert_non_null(strstr(said, "cannot listen at 203.0.113.1:0"));
	assert_int_equal(listen_at_name((const char *[]){ "203.0.113.1", NULL }, "0", &len),
			 -EADDRNOTAVAIL);
}

static void an_address_that_comes_twice_is_opened_once(void **state)
{
	char port[8];
	unsigned len;

	(void)state;
	close(occupy_port(port));
	assert_int_equal(
		listen_at_name((const char *[]){ "127.0.0.2", "127.0.0.2", NULL }, port, &len), 0);
	assert_int_equal(len, 1);
}

/* --- Unix sockets -------------------------------------------------------- */

static int come_to_file(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

static void permissions_are_octal(void **state)
{
	(void)state;
	assert_true(mc_listen_takes_perms("0770"));
	assert_true(mc_listen_takes_perms("7"));
	assert_false(mc_listen_takes_perms("0780"));
	assert_false(mc_listen_takes_perms("1777"));
	assert_false(mc_listen_takes_perms("-1"));
	assert_false(mc_listen_takes_perms(""));
}

static void a_socket_file_has_its_permissions(void **state)
{
	char folder[] = "/tmp/listen-XXXXXX", path[64];
	struct mc_listen_file file = { .path = path, .perms = "0620" };
	struct stat st;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/sock", folder);
	fd = mc_listen_file(NULL, &file);
	assert_true(fd >= 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0620);
	mc_listen_file_close(fd, path);
	assert_int_equal(stat(path, &st), -1);
	file.perms = "0999";
	assert_int_equal(mc_listen_file(NULL, &file), -EINVAL);
	assert_non_null(strstr(said, "is not an octal number"));
	assert_int_equal(rmdir(folder), 0);
}

/* What is left over is replaced, what lives only if that is asked for. */
static void a_socket_in_use_is_left_alone(void **state)
{
	char folder[] = "/tmp/listen-XXXXXX", path[64];
	struct mc_listen_file file = { .path = path, .perms = "0600" };
	int first, second, client;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/sock", folder);
	first = mc_listen_file(NULL, &file);
	assert_int_equal(mc_listen_file(NULL, &file), -EINVAL);
	assert_non_null(strstr(said, "another program listens"));
	close(first);
	first = mc_listen_file(NULL, &file); /* Nobody is there any more. */
	assert_true(first >= 0);
	file.delete_socket = true;
	second = mc_listen_file(NULL, &file);
	assert_true(second >= 0);
	/* The first goes, and leaves what is the second's. */
	mc_listen_file_close(first, path);
	client = come_to_file(path);
	assert_true(client >= 0);
	close(client);
	mc_listen_file_close(second, path);
	assert_int_equal(rmdir(folder), 0);
}

static void a_file_is_never_removed(void **state)
{
	char folder[] = "/tmp/listen-XXXXXX", path[64];
	const struct mc_listen_file file = { .path = path, .perms = "0600", .delete_socket = true };
	FILE *text;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/sock", folder);
	text = fopen(path, "w");
	fclose(text);
	assert_int_equal(mc_listen_file(NULL, &file), -EINVAL);
	assert_non_null(strstr(said, "it is not a socket"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

/* --- Taking in ----------------------------------------------------------- */

struct taken {
	int fds[100];
	int len;
	struct rlimit room; /* That somebody makes, if there is some. */
};

static void add(void *argument, int fd)
{
	struct taken *taken = argument;

	taken->fds[taken->len++] = fd;
}

static bool make_room(void *argument)
{
	struct taken *taken = argument;
	bool can = taken->room.rlim_cur > 0;

	if (can)
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &taken->room), 0);
	taken->room.rlim_cur = 0;
	return can;
}

static void close_all(struct taken *taken)
{
	while (taken->len > 0)
		close(taken->fds[--taken->len]);
}

static void who_comes_is_taken_in(void **state)
{
	const struct mc_listen how = { .type = SOCK_STREAM };
	struct sockaddr_storage at;
	struct mc_accept accept = { .listener = listen_at("127.0.0.1", &how, &at) };
	struct taken taken = { .len = 0 }, came = { .len = 0 };
	const struct mc_accept_calls calls = { .add = add, .argument = &taken };

	(void)state;
	assert_true(mc_accept_some(&accept, NULL, 0, &calls));
	assert_int_equal(taken.len, 0);
	while (came.len < 65)
		add(&came, come(&at));
	assert_true(mc_accept_some(&accept, NULL, 0, &calls));
	assert_int_equal(taken.len, 64); /* The others have their turn. */
	assert_true(mc_accept_some(&accept, NULL, 0, &calls));
	assert_int_equal(taken.len, 65);
	close_all(&taken);
	close_all(&came);
	close(accept.listener);
}

/* Without descriptors. */
static bool take_none(struct mc_accept *accept, mc_time now, const struct mc_accept_calls *calls)
{
	struct rlimit before, none;
	bool goes_on;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	goes_on = mc_accept_some(accept, NULL, now, calls);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	return goes_on;
}

/* Logged once a minute; and waiting clients are accepted later. */
static void without_descriptors_there_is_a_pause(void **state)
{
	const struct mc_listen how = { .type = SOCK_STREAM };
	struct sockaddr_storage at;
	struct mc_accept accept = { .listener = listen_at("127.0.0.1", &how, &at) };
	struct taken taken = { .len = 0 };
	const struct mc_accept_calls calls = { add, make_room, &taken };
	int client = come(&at);
	mc_time now = 1000 * MC_SECOND;

	(void)state;
	lines = 0;
	for (int i = 0; i < 3; i++) {
		assert_false(mc_accept_resumes(&accept, now));
		assert_false(take_none(&accept, now, &calls));
		assert_true(accept.paused);
		assert_false(mc_accept_resumes(&accept, now));
		now += MC_ACCEPT_PAUSE;
		assert_true(mc_accept_resumes(&accept, now));
		assert_false(accept.paused);
	}
	assert_int_equal(lines, 1);
	assert_non_null(strstr(said, strerror(EMFILE)));
	assert_false(take_none(&accept, now + 60 * MC_SECOND, &calls));
	assert_int_equal(lines, 2);
	assert_true(mc_accept_some(&accept, NULL, now, &calls));
	assert_int_equal(taken.len, 1);
	close_all(&taken);
	close(client);
	close(accept.listener);
}

static void who_is_idle_makes_room(void **state)
{
	const struct mc_listen how = { .type = SOCK_STREAM };
	struct sockaddr_storage at;
	struct mc_accept accept = { .listener = listen_at("127.0.0.1", &how, &at) };
	struct taken taken = { .len = 0 };
	const struct mc_accept_calls calls = { add, make_room, &taken };
	int client = come(&at);

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &taken.room), 0);
	assert_true(take_none(&accept, 0, &calls));
	assert_int_equal(taken.len, 1);
	assert_false(accept.paused);
	close_all(&taken);
	close(client);
	close(accept.listener);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_told_apart),
		cmocka_unit_test(an_address_is_listened_at_once),
		cmocka_unit_test(a_port_of_datagrams_is_not_shared),
		cmocka_unit_test(one_process_listens_at_one_address_and_at_all),
		cmocka_unit_test(both_families_come_by_one_socket),
		cmocka_unit_test(an_interface_must_be_there),
		cmocka_unit_test(an_address_in_use_is_an_error),
		cmocka_unit_test(an_address_of_another_machine_is_left_out),
		cmocka_unit_test(an_address_that_comes_twice_is_opened_once),
		cmocka_unit_test(permissions_are_octal),
		cmocka_unit_test(a_socket_file_has_its_permissions),
		cmocka_unit_test(a_socket_in_use_is_left_alone),
		cmocka_unit_test(a_file_is_never_removed),
		cmocka_unit_test(who_comes_is_taken_in),
		cmocka_unit_test(without_descriptors_there_is_a_pause),
		cmocka_unit_test(who_is_idle_makes_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
