/* SPDX-License-Identifier: MIT */
/* A client of HTTP and servers with prepared answers. */
#include "kit/net/http_client/transfers.h"
#include <collector/kit/http_client.h>
#include <collector/kit/timed_call.h>
#include <collector/kit/wait.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

#define REQUEST_SIZE (256 * 1024)

struct server {                     /* Answers one connection after the other. */
	const char *const *replies; /* One for each request; ends with NULL. */
	int listener;
	unsigned requests;
	size_t body_size[8];
	char heads[8][2048]; /* Of each request. */
	char url[64];
	pthread_t thread;
};

static struct {
	mc_time now;
	bool stopping;
	char failed[512];
	struct mc_ctx ctx;
	struct mc_http_settings settings;
	struct mc_http_stream stream;
	struct mc_http_client *client;
	const char *urls[3];
} lab;

/* --- What the core would do ----------------------------------------------- */

mc_time mc_now(void)
{
	return lab.now;
}

/* Waits in real time; not at the stop. */
int mc_epoll(int epoll, struct epoll_event *events, int len, mc_time until)
{
	mc_time left = lab.stopping ? 0 : until - lab.now;

	len = epoll_wait(epoll, events, len,
			 until == INT64_MAX ? -1
			 : left > 0         ? (int)(left / MC_MILLISECOND) + 1
					    : 0);
	if (len == 0 && lab.now < until)
		lab.now = until;
	return len;
}

int mc_stop_fd(struct mc_ctx *ctx)
{
	(void)ctx;
	return -1;
}

bool mc_stopping(struct mc_ctx *ctx)
{
	(void)ctx;
	return lab.stopping;
}

int mc_timed_file(struct mc_ctx *ctx, const char *path)
{
	(void)ctx;
	(void)path;
	return 0;
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	va_list args;

	(void)ctx;
	va_start(args, fmt);
	vsnprintf(lab.failed, sizeof(lab.failed), fmt, args);
	va_end(args);
	return errnum != 0 ? -errnum : -EINVAL;
}

/* --- Servers -------------------------------------------------------------- */

/* Reads a request; false: the connection has ended. */
static bool read_request(struct server *server, int fd)
{
	static __thread char bytes[REQUEST_SIZE];
	size_t size = 0, wanted = 0;
	char *end = NULL, *length;
	ssize_t got;

	while (end == NULL || size < wanted) {
		got = recv(fd, bytes + size, sizeof(bytes) - 1 - size, 0);
		if (got <= 0)
			return false;
		size += (size_t)got;
		bytes[size] = '\0';
		if (end != NULL || (end = strstr(bytes, "\r\n\r\n")) == NULL)
			continue;
		length = strcasestr(bytes, "Content-Length: ");
		wanted = (size_t)(end + 4 - bytes);
		if (length != NULL && length < end)
			wanted += strtoul(length + 16, NULL, 10);
	}
	*end = '\0';
	snprintf(server->heads[server->requests], sizeof(server->heads[0]), "%.2000s", bytes);
	server->body_size[server->requests] = size - (size_t)(end + 4 - bytes);
	return true;
}

static void *serve(void *argument)
{
	struct server *server = argument;
	int fd = -1;

	while (server->replies[server->requests] != NULL) {
		const char *reply = server->replies[server->requests];

		if (fd < 0)
			fd = accept(server->listener, NULL, NULL);
		if (fd < 0)
			return NULL;
		if (!read_request(server, fd)) {
			close(fd);
			fd = -1;
			continue;
		}
		server->requests++;
		if (send(fd, reply, strlen(reply), MSG_NOSIGNAL) < 0)
			break;
	}
	if (fd >= 0)
		close(fd);
	return NULL;
}

static void start_server(struct server *server, const char *const *replies)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t size = sizeof(address);

	*server = (struct server){ .replies = replies };
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(server->listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(server->listener, 8), 0);
	getsockname(server->listener, (struct sockaddr *)&address, &size);
	snprintf(server->url, sizeof(server->url), "http://127.0.0.1:%u", ntohs(address.sin_port));
	assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

/* After its last reply, or now. */
static void stop_server(struct server *server)
{
	shutdown(server->listener, SHUT_RDWR);
	pthread_join(server->thread, NULL);
	close(server->listener);
}

/* --- Tests ---------------------------------------------------------------- */

static int open_lab(void **state)
{
	(void)state;
	memset(&lab, 0, sizeof(lab));
	lab.now = 1000 * MC_SECOND;
	lab.settings = (struct mc_http_settings){
		.proxy = "",
		.timeout = 30 * MC_SECOND,
		.connect_timeout = 5 * MC_SECOND,
		.urls.items = lab.urls,
	};
	lab.stream.backoff.longest = 60 * MC_SECOND;
	lab.stream.backoff.random = 1;
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	mc_http_client_free(lab.client);
	return 0;
}

static void make_client(const struct mc_http_protocol *protocol)
{
	while (lab.urls[lab.settings.urls.len] != NULL)
		lab.settings.urls.len++;
	assert_int_equal(mc_http_client_new(&lab.ctx, &lab.settings, protocol, &lab.client), 0);
}

static enum mc_http_verdict post(const char *body, size_t size)
{
	const struct mc_http_request request = {
		.path = "/v1/x",
		.content_type = "text/plain",
		.body = body,
		.size = size,
	};

	return mc_http_send(lab.client, &lab.stream, &request);
}

static const struct mc_http_protocol plain;

static void add_size(void *argument, const void *body, size_t size, struct mc_http_headers *headers)
{
	(void)body;
	mc_http_header(headers, "X-Size: %zu", size);
	*(size_t *)argument = size;
}

static void a_request_has_what_was_asked_for(void **state)
{
	static const char *const replies[] = { "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"
					       "Accept-Encoding: gzip, zstd\r\n\r\nhello",
					       NULL };
	static const char *const words[] = { "X-Scope", "a b" };
	struct server server;
	size_t size = 0;
	const struct mc_http_request request = {
		.path = "/v1/x?y=z",
		.content_type = "text/plain",
		.body = "abc",
		.size = 3,
		.add_headers = add_size,
		.argument = &size,
	};

	(void)state;
	start_server(&server, replies);
	lab.urls[0] = server.url;
	lab.settings.header_words.items = words;
	lab.settings.header_words.len = 2;
	lab.settings.user = "u";
	lab.settings.password = "p";
	make_client(&plain);
	assert_true(mc_http_ready(lab.client, &lab.stream));
	assert_int_equal(mc_http_send(lab.client, &lab.stream, &request), MC_HTTP_DONE);
	stop_server(&server);
	assert_int_equal(size, 3);
	assert_int_equal(server.body_size[0], 3);
	assert_ptr_equal(strstr(server.heads[0], "POST /v1/x?y=z HTTP/1.1\r\n"), server.heads[0]);
	assert_non_null(strstr(server.heads[0], "\r\nX-Scope: a b\r\n"));
	assert_non_null(strstr(server.heads[0], "\r\nX-Size: 3"));
	assert_non_null(strstr(server.heads[0], "\r\nContent-Type: text/plain\r\n"));
	assert_non_null(strstr(server.heads[0], "\r\nAuthorization: Basic dTpw\r\n"));
	assert_null(strcasestr(server.heads[0], "Expect"));
	assert_int_equal(lab.stream.reply.status, 200);
	assert_int_equal(lab.stream.reply.size, 5);
	assert_string_equal(lab.stream.reply.body, "hello");
	assert_string_equal(lab.stream.reply.url, server.url);
	assert_true(lab.stream.reply.takes_zstd);
	assert_true(lab.stream.reply.duration > 0);
}

static void what_is_asked_for_by_get_comes_cut(void **state)
{
	static const struct mc_http_protocol asks = { .whole_urls = true,
						      .reply_max = 3,
						      .redirects_max = 1 };
	static const char *const replies[] = { "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n"
					       "Location: /there\r\n\r\n",
					       "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
					       "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
					       NULL };
	const struct mc_http_request get = { .method = "GET" },
				     put = { .method = "PUT", .body = "x", .size = 1 };
	struct server server;

	(void)state;
	start_server(&server, replies);
	lab.urls[0] = server.url;
	make_client(&asks);
	assert_int_equal(mc_http_send(lab.client, &lab.stream, &get), MC_HTTP_DONE);
	assert_int_equal(lab.stream.reply.size, 3);
	assert_string_equal(lab.stream.reply.body, "hel");
	assert_int_equal(mc_http_send(lab.client, &lab.stream, &put), MC_HTTP_DONE);
	assert_string_equal(lab.stream.reply.body, "");
	stop_server(&server);
	assert_memory_equal(server.heads[0], "GET / ", 6);
	assert_memory_equal(server.heads[1], "GET /there ", 11);
	assert_memory_equal(server.heads[2], "PUT / ", 6);
	assert_int_equal(server.body_size[2], 1);
}

/* gzip at first, as it is when that is refused, zstd when it is offered. */
static void the_form_is_the_receivers(void **state)
{
	static const char *const replies[] = { "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
					       "Accept-Encoding: zstd\r\n\r\n",
					       "HTTP/1.1 415 No\r\nContent-Length: 0\r\n\r\n",
					       "HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n",
					       "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
					       NULL };
	char body[1000];
	struct server server;

	(void)state;
	for (size_t i = 0; i < sizeof(body); i++)
		body[i] = (char)(i % 61);
	start_server(&server, replies);
	lab.urls[0] = server.url;
	lab.settings.compression = MC_HTTP_AUTO;
	make_client(&plain);
	assert_int_equal(post(body, sizeof(body)), MC_HTTP_DONE);
	assert_int_equal(post(body, sizeof(body)), MC_HTTP_DONE);
	stop_server(&server);
	assert_int_equal(server.requests, 4);
	assert_non_null(strstr(server.heads[0], "Content-Encoding: gzip"));
	assert_non_null(strstr(server.heads[1], "Content-Encoding: zstd"));
	assert_non_null(strstr(server.heads[2], "Content-Encoding: gzip"));
	assert_null(strstr(server.heads[3], "Content-Encoding"));
	assert_true(server.body_size[0] < sizeof(body) / 2);
	assert_int_equal(server.body_size[3], sizeof(body));
}

/* What a receiver could take for one that inflates without end. */
static void what_hardly_differs_goes_as_it_is(void **state)
{
	static const char *const replies[] = { "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
					       NULL };
	static char body[100000];
	struct server server;

	(void)state;
	start_server(&server, replies);
	lab.urls[0] = server.url;
	lab.settings.compression = MC_HTTP_ZSTD;
	make_client(&plain);
	assert_int_equal(post(body, sizeof(body)), MC_HTTP_DONE);
	stop_server(&server);
	assert_null(strstr(server.heads[0], "Content-Encoding"));
	assert_int_equal(server.body_size[0], sizeof(body));
}

static void the_next_url_is_used_until_the_first_is_tried_again(void **state)
{
	static const char *const unavailable[] = { "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n",
						   "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
						   NULL };
	static const char *const fine[] = { "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
					    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", NULL };
	struct server first, second;

	(void)state;
	start_server(&first, unavailable);
	start_server(&second, fine);
	lab.urls[0] = first.url;
	lab.urls[1] = second.url;
	make_client(&plain);
	assert_string_equal(mc_http_client_url(lab.client), first.url);
	assert_int_equal(post("a", 1), MC_HTTP_DONE);
	assert_string_equal(lab.stream.reply.url, second.url);
	assert_int_equal(post("b", 1), MC_HTTP_DONE);
	assert_string_equal(lab.stream.reply.url, second.url);
	lab.now += 61 * MC_SECOND;
	assert_int_equal(post("c", 1), MC_HTTP_DONE);
	assert_string_equal(lab.stream.reply.url, first.url);
	stop_server(&first);
	stop_server(&second);
}

static void the_receiver_says_how_long_to_wait(void **state)
{
	static const char *const replies[] = { "HTTP/1.1 429 Later\r\nContent-Length: 2\r\n"
					       "Retry-After: 99999999999999\r\n\r\nno",
					       "HTTP/1.1 400 Never\r\nContent-Length: 0\r\n\r\n",
					       NULL };
	struct server server;

	(void)state;
	start_server(&server, replies);
	lab.urls[0] = server.url;
	make_client(&plain);
	assert_int_equal(post("a", 1), MC_HTTP_LATER);
	assert_int_equal(lab.stream.reply.retry_after, 300 * MC_SECOND);
	assert_int_equal(mc_http_fail(&lab.ctx, EAGAIN, &lab.stream.reply, "no"), -EAGAIN);
	assert_non_null(strstr(lab.failed, "' answers with status 429: no"));
	lab.now += 119 * MC_SECOND;
	assert_false(mc_http_ready(lab.client, &lab.stream));
	mc_http_client_renew(lab.client);
	assert_true(mc_http_ready(lab.client, &lab.stream));
	assert_int_equal(post("a", 1), MC_HTTP_NEVER);
	assert_true(mc_http_ready(lab.client, &lab.stream));
	stop_server(&server);
}

static void a_token_is_read_again_when_it_is_refused(void **state)
{
	static const char *const replies[] = { "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n",
					       "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
					       NULL };
	char path[] = "headers.XXXXXX";
	int fd = mkstemp(path);
	struct server server;

	(void)state;
	assert_int_equal(write(fd, "X-Token: 1\n", 11), 11);
	start_server(&server, replies);
	lab.urls[0] = server.url;
	lab.settings.header_file = path;
	make_client(&plain);
	assert_int_equal(pwrite(fd, "X-Token: 2\n", 11, 0), 11);
	assert_int_equal(post("a", 1), MC_HTTP_LATER);
	assert_int_equal(post("a", 1), MC_HTTP_DONE);
	stop_server(&server);
	assert_non_null(strstr(server.heads[0], "X-Token: 1"));
	assert_non_null(strstr(server.heads[1], "X-Token: 2"));
	close(fd);
	unlink(path);
}

static void why_there_is_no_answer_is_said_without_figures(void **state)
{
	static const char *const none[] = { NULL };
	struct server server;
	char expected[256];

	(void)state;
	start_server(&server, none);
	stop_server(&server);
	lab.urls[0] = server.url;
	make_client(&plain);
	assert_int_equal(post("a", 1), MC_HTTP_LATER);
	assert_int_equal(lab.stream.reply.status, 0);
	assert_null(strstr(lab.stream.reply.why, " ms"));
	assert_non_null(strstr(lab.stream.reply.why, "Connection refused"));
	mc_http_fail(&lab.ctx, EAGAIN, &lab.stream.reply, NULL);
	snprintf(expected, sizeof(expected), "cannot send to '%s': ", server.url);
	assert_ptr_equal(strstr(lab.failed, expected), lab.failed);
}

/* A server that is silent is given up soon after the stop. */
static void a_stop_ends_what_is_not_answered(void **state)
{
	static const char *const silent[] = { "", "", NULL }; /* Waits for a second request. */
	struct server server;

	(void)state;
	start_server(&server, silent);
	lab.urls[0] = server.url;
	lab.stopping = true;
	make_client(&plain);
	assert_int_equal(post("a", 1), MC_HTTP_LATER);
	stop_server(&server);
	assert_int_equal(lab.stream.reply.status, 0);
	assert_non_null(strstr(lab.stream.reply.why, "abort"));
}

static enum mc_http_verdict only_teapots(long status)
{
	return status == 418 ? MC_HTTP_DONE : MC_HTTP_NEVER;
}

static void a_protocol_has_verdicts_of_its_own(void **state)
{
	static const struct mc_http_protocol teapots = { .verdict = only_teapots };
	static const char *const replies[] = { "HTTP/1.1 418 Tea\r\nContent-Length: 0\r\n\r\n",
					       "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n",
					       NULL };
	struct server server;

	(void)state;
	start_server(&server, replies);
	lab.urls[0] = server.url;
	make_client(&teapots);
	assert_int_equal(post("a", 1), MC_HTTP_DONE);
	assert_int_equal(post("a", 1), MC_HTTP_NEVER);
	stop_server(&server);
}

static void wrong_settings_are_refused(void **state)
{
	static const char *const words[] = { "X-Seq", "1" };
	static const char *const ours[] = { "X-Seq", NULL };
	static const struct mc_http_protocol reserved = { .reserved = ours };

	(void)state;
	lab.settings.urls.len = 1;
	lab.urls[0] = "http://u:secret@h/";
	assert_int_equal(mc_http_client_new(&lab.ctx, &lab.settings, &plain, &lab.client), -EINVAL);
	assert_string_equal(lab.failed, "'http://h/' is not of the form https://host:port");
	lab.urls[0] = "http://h";
	lab.settings.header_words.items = words;
	lab.settings.header_words.len = 1;
	assert_int_equal(mc_http_client_new(&lab.ctx, &lab.settings, &plain, &lab.client), -EINVAL);
	lab.settings.header_words.len = 2;
	assert_int_equal(mc_http_client_new(&lab.ctx, &lab.settings, &reserved, &lab.client),
			 -EEXIST);
	assert_string_equal(lab.failed, "cannot send header 'X-Seq'");
	lab.settings.header_words.len = 0;
	lab.settings.header_file = "/nowhere/at/all";
	assert_int_equal(mc_http_client_new(&lab.ctx, &lab.settings, &plain, &lab.client), -ENOENT);
	assert_null(lab.client);
}

static void test_verdicts(void **state)
{
	static const long later[] = { 0, 401, 403, 429, 502, 503, 504 };
	static const long never[] = { 301, 400, 404, 409, 413, 415, 500, 501 };

	(void)state;
	assert_int_equal(mc_http_verdict(200), MC_HTTP_DONE);
	for (size_t i = 0; i < sizeof(later) / sizeof(*later); i++)
		assert_int_equal(mc_http_verdict(later[i]), MC_HTTP_LATER);
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		assert_int_equal(mc_http_verdict(never[i]), MC_HTTP_NEVER);
}

static void test_durations(void **state)
{
	static const char *const cases[][2] = {
		{ "Failed to connect to h port 1 after 12 ms: Couldn't connect",
		  "Failed to connect to h port 1: Couldn't connect" },
		{ "Operation timed out after 5001 milliseconds with 0 bytes",
		  "Operation timed out with 0 bytes" },
		{ "1 after 2 ms after 3 ms", "1" },
		{ "after 2 ms after 3 messages after ", "after 2 ms after 3 "
							"messages after " },
		{ "", "Failure when receiving data from the peer" },
	};
	struct mc_transfer transfer = { .curl = curl_easy_init() };
	char text[100];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(transfer.error, sizeof(transfer.error), "%s", cases[i][0]);
		mc_transfers_why(&transfer, CURLE_RECV_ERROR, text, sizeof(text));
		assert_string_equal(text, cases[i][1]);
	}
	curl_easy_cleanup(transfer.curl);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_durations),
		TEST(a_request_has_what_was_asked_for),
		TEST(what_is_asked_for_by_get_comes_cut),
		TEST(the_form_is_the_receivers),
		TEST(what_hardly_differs_goes_as_it_is),
		TEST(the_next_url_is_used_until_the_first_is_tried_again),
		TEST(the_receiver_says_how_long_to_wait),
		TEST(a_token_is_read_again_when_it_is_refused),
		TEST(why_there_is_no_answer_is_said_without_figures),
		TEST(a_stop_ends_what_is_not_answered),
		TEST(a_protocol_has_verdicts_of_its_own),
		TEST(wrong_settings_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
