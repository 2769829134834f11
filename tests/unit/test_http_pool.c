/* SPDX-License-Identifier: MIT */
/* Routes that may block: others are served meanwhile, and a limited number waits. */
#include "httpd_fixture.h"

#include <semaphore.h>
#include <sys/eventfd.h>

#include <collector/kit/http_server.h>

#include "kit/net/http_server/http_server.h"

enum { POOL = 4, EACH = POOL / 2, WAITING = 3 }; /* EACH: of a client. */

struct lab {
	struct mc_httpd *server;
	struct mc_httpd_listen listen;
	char port[8];
	uint16_t number; /* Of the port. */
	sem_t begun, go; /* Of requests that block. */
};

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) < 0)
		assert_int_equal(errno, EINTR);
}

static void on_slow(struct mc_httpd_request *request)
{
	struct lab *lab = mc_httpd_argument(request);

	sem_post(&lab->begun);
	wait_for(&lab->go);
	mc_httpd_add_header(request, "X-Own", "yes");
	mc_httpd_answer(request, 200, "text/plain", "slow", 4);
}

static void on_nothing(struct mc_httpd_request *request)
{
	(void)request;
}

static void on_quick(struct mc_httpd_request *request)
{
	mc_httpd_answer(request, 200, "text/plain", "quick", 5);
}

static const struct mc_httpd_route routes[] = {
	{ .path = "/slow", .method = "GET", .handle = on_slow, .may_block = true },
	{ .path = "/disk", .method = "GET", .handle = on_slow, .may_block = true, .waits = true },
	{ .path = "/nothing", .method = "GET", .handle = on_nothing, .may_block = true },
	{ .path = "/quick", .method = "GET", .handle = on_quick },
	{ 0 },
};

static void release_all(void *argument)
{
	for (int i = 0; i < EACH; i++)
		sem_post(&((struct lab *)argument)->go);
}

static void open_lab(struct lab *lab, int waiting)
{
	const struct mc_httpd_options options = {
		.limits = { .threads = 1,
			    .clients = 20,
			    .clients_per_address = 20,
			    .pool_threads = POOL,
			    .pool_waiting = waiting,
			    .requests_per_client = 20,
			    .clients_len = 4,
			    .memory_max = 1000000 },
		.routes = routes,
		.argument = lab,
		.cancel = release_all,
	};
	int rc = -EADDRINUSE;

	stop_fd = eventfd(0, EFD_CLOEXEC);
	sem_init(&lab->begun, 0, 0);
	sem_init(&lab->go, 0, 0);
	lab->server = mc_httpd_new(NULL, &options);
	lab->listen = (struct mc_httpd_listen){ .host = "127.0.0.1", .port = lab->port };
	while (rc == -EADDRINUSE) {
		lab->number = find_port();
		snprintf(lab->port, sizeof(lab->port), "%u", lab->number);
		rc = mc_httpd_listen(lab->server, &lab->listen);
	}
	assert_int_equal(rc, 0);
}

static void close_lab(struct lab *lab)
{
	mc_httpd_free(lab->server);
	sem_destroy(&lab->begun);
	sem_destroy(&lab->go);
	close(stop_fd);
}

/* The server has one thread, and it waits for none of the pool. */
static void others_are_served_meanwhile(void **state)
{
	struct lab lab;
	int fds[EACH];

	(void)state;
	open_lab(&lab, WAITING);
	for (int i = 0; i < EACH; i++)
		fds[i] = ask(lab.number, "GET /slow", "");
	for (int i = 0; i < EACH; i++)
		wait_for(&lab.begun);
	assert_int_equal(get(lab.number, "GET /quick", ""), 200);
	assert_string_equal(body_of_reply(), "quick");
	release_all(&lab);
	for (int i = 0; i < EACH; i++) {
		assert_int_equal(read_reply(fds[i]), 200);
		assert_string_equal(body_of_reply(), "slow");
		assert_non_null(strstr(reply, "X-Own: yes"));
	}
	assert_int_equal(get(lab.number, "GET /nothing", ""), 500);
	close_lab(&lab);
}

static void only_so_many_wait(void **state)
{
	enum { ASKED = EACH + WAITING + 1 };
	struct lab lab;
	int fds[ASKED], answered = 0, refused = 0;

	(void)state;
	open_lab(&lab, WAITING);
	for (int i = 0; i < ASKED; i++) {
		fds[i] = ask(lab.number, "GET /slow", "");
		if (i < EACH)
			wait_for(&lab.begun);
	}
	while (lab.server->refusals.counts[HTTP_REFUSED_REQUESTS] == 0)
		assert_int_equal(get(lab.number, "GET /quick", ""), 200);
	for (int i = 0; i < WAITING; i++)
		release_all(&lab);
	for (int i = 0; i < ASKED; i++) {
		unsigned status = read_reply(fds[i]);

		answered += status == 200;
		refused += status == 503 && strstr(reply, "Retry-After") != NULL;
	}
	assert_int_equal(answered, EACH + WAITING);
	assert_int_equal(refused, 1);
	close_lab(&lab);
}

/* All threads are idle, and none may wait. */
static void who_need_not_wait_does_not_count_as_waiting(void **state)
{
	struct lab lab;
	int fds[POOL];

	(void)state;
	open_lab(&lab, 0);
	for (int i = 0; i < POOL; i++)
		fds[i] = ask_from(INADDR_LOOPBACK + 1 + i % 2, lab.number, "GET /slow", "");
	for (int i = 0; i < POOL; i++)
		wait_for(&lab.begun);
	assert_int_equal(get(lab.number, "GET /slow", ""), 503);
	for (int i = 0; i < POOL / EACH; i++)
		release_all(&lab);
	for (int i = 0; i < POOL; i++)
		assert_int_equal(read_reply(fds[i]), 200);
	close_lab(&lab);
}

/* One client asks for more than there are threads. */
static void half_of_the_threads_are_for_others(void **state)
{
	struct lab lab;
	int fds[POOL], more;

	(void)state;
	open_lab(&lab, WAITING);
	for (int i = 0; i < POOL; i++) {
		fds[i] = ask(lab.number, "GET /slow", "");
		if (i < EACH)
			wait_for(&lab.begun);
	}
	/* One thread reads all requests, in rounds: it has read these. */
	for (int i = 0; i < 3; i++)
		assert_int_equal(get(lab.number, "GET /quick", ""), 200);
	assert_int_equal(sem_getvalue(&lab.begun, &more), 0);
	assert_int_equal(more, 0);
	assert_int_equal(read_reply(ask_from(INADDR_LOOPBACK + 1, lab.number, "GET /nothing", "")),
			 500);
	for (int i = 0; i < EACH; i++)
		release_all(&lab);
	for (int i = 0; i < POOL; i++)
		assert_int_equal(read_reply(fds[i]), 200);
	close_lab(&lab);
}

/* Clients enough for all threads ask for what waits: two of four threads are theirs. */
static void a_disk_that_hangs_leaves_threads_for_others(void **state)
{
	enum { ASKED = POOL, WAIT_AT_ONCE = 2 };
	struct lab lab;
	int fds[ASKED], more;

	(void)state;
	open_lab(&lab, WAITING);
	for (unsigned i = 0; i < ASKED; i++) {
		fds[i] = ask_from(INADDR_LOOPBACK + 1 + i % 2, lab.number, "GET /disk", "");
		if (i < WAIT_AT_ONCE)
			wait_for(&lab.begun);
	}
	/* One thread reads all requests, in rounds: it has read these. */
	for (int i = 0; i < 3; i++)
		assert_int_equal(get(lab.number, "GET /quick", ""), 200);
	assert_int_equal(sem_getvalue(&lab.begun, &more), 0);
	assert_int_equal(more, 0);
	assert_int_equal(get(lab.number, "GET /nothing", ""), 500);
	for (int i = 0; i < ASKED / EACH; i++)
		release_all(&lab);
	for (int i = 0; i < ASKED; i++)
		assert_int_equal(read_reply(fds[i]), 200);
	close_lab(&lab);
}

/* Two that wait have closed their connection when their turn comes. */
static void what_nobody_waits_for_is_not_computed(void **state)
{
	struct lab lab;
	int begun[EACH], left[2], stays, more;

	(void)state;
	open_lab(&lab, WAITING);
	for (int i = 0; i < EACH; i++)
		begun[i] = ask(lab.number, "GET /slow", "");
	for (int i = 0; i < EACH; i++)
		wait_for(&lab.begun);
	for (int i = 0; i < 2; i++)
		left[i] = ask(lab.number, "GET /slow", "");
	stays = ask(lab.number, "GET /slow", "");
	/* One thread reads all requests, in rounds: it has read these. */
	for (int i = 0; i < 3; i++)
		assert_int_equal(get(lab.number, "GET /quick", ""), 200);
	for (int i = 0; i < 2; i++)
		close(left[i]);
	for (int i = 0; i < 3; i++)
		release_all(&lab);
	for (int i = 0; i < EACH; i++)
		assert_int_equal(read_reply(begun[i]), 200);
	assert_int_equal(read_reply(stays), 200);
	wait_for(&lab.begun);
	assert_int_equal(sem_getvalue(&lab.begun, &more), 0);
	assert_int_equal(more, 0);
	close_lab(&lab);
}

/* What has begun is answered; what waits is refused. */
static void the_end_waits_for_what_has_begun(void **state)
{
	struct lab lab;
	int begun[EACH], waits;

	(void)state;
	open_lab(&lab, WAITING);
	for (int i = 0; i < EACH; i++)
		begun[i] = ask(lab.number, "GET /slow", "");
	for (int i = 0; i < EACH; i++)
		wait_for(&lab.begun);
	waits = ask(lab.number, "GET /slow", "");
	/* One thread reads all requests, in rounds: it has read that one. */
	for (int i = 0; i < 3; i++)
		assert_int_equal(get(lab.number, "GET /quick", ""), 200);
	assert_int_equal(eventfd_write(stop_fd, 1), 0);
	mc_httpd_run(lab.server);
	for (int i = 0; i < EACH; i++)
		assert_int_equal(read_reply(begun[i]), 200);
	assert_int_equal(read_reply(waits), 503);
	close_lab(&lab);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_are_served_meanwhile),
		cmocka_unit_test(only_so_many_wait),
		cmocka_unit_test(who_need_not_wait_does_not_count_as_waiting),
		cmocka_unit_test(half_of_the_threads_are_for_others),
		cmocka_unit_test(a_disk_that_hangs_leaves_threads_for_others),
		cmocka_unit_test(what_nobody_waits_for_is_not_computed),
		cmocka_unit_test(the_end_waits_for_what_has_begun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
