/* SPDX-License-Identifier: MIT */
/* Transfers of libcurl in a loop under a stopped clock, from a server that the test plays. */
#include "kit/net/http_client/transfers.h"
#include <collector/writer.h>

#include <netinet/in.h>

#include "loop_fixture.h"

static struct {
	struct loop_lab lab;
	struct mc_transfers transfers;
	struct mc_transfer transfer;
	int listener, peer;
	unsigned ends;
	CURLcode result;
	char body[64];
} it;

bool mc_stopping(struct mc_ctx *ctx)
{
	(void)ctx;
	return false;
}

static size_t take(char *bytes, size_t one, size_t size, void *argument)
{
	(void)argument;
	loop_lab_append(it.body, sizeof(it.body), bytes, one * size);
	return one * size;
}

static void on_end(void *argument, CURLcode result)
{
	assert_ptr_equal(argument, &it);
	it.ends++;
	it.result = result;
}

static int open_it(void **state)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t size = sizeof(address);
	char url[64];

	(void)state;
	memset(&it, 0, sizeof(it));
	it.peer = -1;
	loop_lab_open(&it.lab);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	it.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(it.listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(it.listener, 8), 0);
	getsockname(it.listener, (struct sockaddr *)&address, &size);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/", ntohs(address.sin_port));
	assert_int_equal(mc_transfers_init(&it.transfers, &it.lab.loop, 4), 0);
	it.transfer =
		(struct mc_transfer){ .curl = curl_easy_init(), .ended = on_end, .argument = &it };
	curl_easy_setopt(it.transfer.curl, CURLOPT_URL, url);
	curl_easy_setopt(it.transfer.curl, CURLOPT_PROXY, "");
	curl_easy_setopt(it.transfer.curl, CURLOPT_WRITEFUNCTION, take);
	return 0;
}

static int close_it(void **state)
{
	(void)state;
	mc_transfers_stop(&it.transfer);
	curl_easy_cleanup(it.transfer.curl);
	mc_transfers_done(&it.transfers);
	loop_lab_close(&it.lab);
	close(it.listener);
	if (it.peer >= 0)
		close(it.peer);
	return 0;
}

/* The request that comes in. */
static void ask(mc_time timeout)
{
	char request[1024];
	ssize_t size;

	mc_transfers_begin(&it.transfers, &it.transfer, timeout);
	loop_lab_rounds(&it.lab);
	if (it.peer < 0)
		it.peer = accept(it.listener, NULL, NULL);
	loop_lab_rounds(&it.lab);
	size = recv(it.peer, request, sizeof(request) - 1, 0);
	assert_true(size > 0);
	request[size] = '\0';
	assert_ptr_equal(strstr(request, "GET / HTTP/1.1\r\n"), request);
}

static void answer(const char *text)
{
	assert_int_equal(send(it.peer, text, strlen(text), MSG_NOSIGNAL), strlen(text));
	loop_lab_rounds(&it.lab);
}

static void an_answer_may_come_in_parts(void **state)
{
	(void)state;
	ask(5 * MC_SECOND);
	answer("HTTP/1.1 200 OK\r\nContent-Le");
	answer("ngth: 5\r\n\r\nhe");
	assert_int_equal(it.ends, 0);
	answer("llo");
	assert_int_equal(it.ends, 1);
	assert_int_equal(it.result, CURLE_OK);
	assert_string_equal(it.body, "hello");
	assert_false(it.transfer.running);
}

/* The second request comes by the connection of the first. */
static void connections_are_kept(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= 2; i++) {
		ask(5 * MC_SECOND);
		answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
		assert_int_equal(it.ends, i);
	}
}

static void a_time_limit_goes_by_the_clock_of_the_loop(void **state)
{
	char why[64];

	(void)state;
	ask(5 * MC_SECOND);
	loop_lab_step(&it.lab, 5 * MC_SECOND - 1);
	assert_int_equal(it.ends, 0);
	loop_lab_step(&it.lab, 1);
	assert_int_equal(it.ends, 1);
	assert_int_equal(it.result, CURLE_OPERATION_TIMEDOUT);
	mc_transfers_why(&it.transfer, it.result, why, sizeof(why));
	assert_string_equal(why, "no whole answer within 5 s");
	/* It has hung up. */
	assert_int_equal(recv(it.peer, why, sizeof(why), 0), 0);
}

static void without_a_limit_it_waits(void **state)
{
	(void)state;
	ask(0);
	loop_lab_step(&it.lab, 86400 * MC_SECOND);
	assert_int_equal(it.ends, 0);
}

static void one_that_is_stopped_does_not_end(void **state)
{
	(void)state;
	ask(5 * MC_SECOND);
	mc_transfers_stop(&it.transfer);
	loop_lab_step(&it.lab, 5 * MC_SECOND);
	assert_int_equal(it.ends, 0);
}

static void a_refused_connection_is_explained(void **state)
{
	char why[128], *colon;

	(void)state;
	close(it.listener);
	mc_transfers_begin(&it.transfers, &it.transfer, MC_SECOND);
	loop_lab_rounds(&it.lab);
	assert_int_equal(it.ends, 1);
	assert_int_equal(it.result, CURLE_COULDNT_CONNECT);
	mc_transfers_why(&it.transfer, it.result, why, sizeof(why));
	colon = strchr(why, ':');
	assert_non_null(colon);
	assert_string_equal(colon, ": Couldn't connect to server: Connection refused");
	it.listener = dup(0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_it, close_it)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(an_answer_may_come_in_parts),
		TEST(connections_are_kept),
		TEST(a_time_limit_goes_by_the_clock_of_the_loop),
		TEST(without_a_limit_it_waits),
		TEST(one_that_is_stopped_does_not_end),
		TEST(a_refused_connection_is_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
