/* SPDX-License-Identifier: MIT */
/* A server of HTTP and its clients, over loopback. */
#include "httpd_fixture.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include <collector/kit/http_server.h>

#include "kit/net/http_server/http_server.h"

#define BODY_MAX 100000
#define LARGE_SIZE ((size_t)32 << 20)

/* --- A plugin ------------------------------------------------------------ */

struct plugin {
	struct mc_httpd *server;
	char port[8];
	struct mc_httpd_listen listen;
	atomic_int clients, heads, dones, cancels;
	struct mc_httpd_request *_Atomic held; /* Resumed by the test. */
	sem_t holds;                           /* How many were held. */
	uint16_t number;                       /* Of the port. */
};

static void answer_text(struct mc_httpd_request *request, const char *text)
{
	mc_httpd_answer(request, 200, "text/plain", text, strlen(text));
}

/* What was asked. */
static void on_get(struct mc_httpd_request *request)
{
	const char *query = mc_httpd_query(request, "q");
	const char *header = mc_httpd_header(request, "X-What");
	char text[256];

	snprintf(text, sizeof(text), "%s q=%s none=%d what=%s from=%s", mc_httpd_path(request),
		 query != NULL ? query : "-", mc_httpd_query(request, "none") == NULL,
		 header != NULL ? header : "-", mc_httpd_peer(request)->address);
	mc_httpd_add_header(request, "X-Own", "yes");
	answer_text(request, text);
}

/* The body, inflated. */
static void on_post(struct mc_httpd_request *request)
{
	const unsigned char *bytes;
	const char *why;
	size_t size;
	unsigned status = mc_httpd_content(request, &bytes, &size, &why);

	if (status != 0)
		mc_httpd_refuse(request, status, why);
	else
		mc_httpd_answer(request, 200, "text/plain", bytes, size);
}

struct sum {
	size_t size, pieces;
};

static unsigned on_stream_head(struct mc_httpd_request *request, const char **why)
{
	struct plugin *plugin = mc_httpd_argument(request);

	*why = "only text";
	if (!mc_httpd_is_type(request, "text/plain"))
		return 415;
	plugin->heads++;
	mc_httpd_set_state(request, calloc(1, sizeof(struct sum)));
	return 0;
}

static void on_stream(struct mc_httpd_request *request, const void *bytes, size_t size)
{
	struct sum *sum = mc_httpd_state(request);

	assert_non_null(bytes);
	sum->size += size;
	sum->pieces++;
}

static void on_stream_end(struct mc_httpd_request *request)
{
	const struct sum *sum = mc_httpd_state(request);
	char text[64];

	snprintf(text, sizeof(text), "%zu bytes in %s", sum->size,
		 sum->pieces == 1 ? "one" : "several");
	answer_text(request, text);
}

static void on_stream_done(struct mc_httpd_request *request)
{
	struct plugin *plugin = mc_httpd_argument(request);

	free(mc_httpd_state(request));
	plugin->dones++;
}

/* Resumed by another thread or, at /now, before handle() returns. */
static void on_later(struct mc_httpd_request *request)
{
	struct plugin *plugin = mc_httpd_argument(request);

	if (!mc_httpd_hold(request)) {
		mc_httpd_refuse(request, 503, "it ends");
		return;
	}
	if (strcmp(mc_httpd_path(request), "/later/now") == 0) {
		mc_httpd_resume(request);
		return;
	}
	atomic_store(&plugin->held, request);
	sem_post(&plugin->holds);
}

static void on_resume(struct mc_httpd_request *request)
{
	answer_text(request, "later");
}

static void on_large(struct mc_httpd_request *request)
{
	static char large[LARGE_SIZE];

	mc_httpd_add_header(request, "X-Own", "yes");
	mc_httpd_answer(request, 200, "text/plain", large, sizeof(large));
}

static void on_nothing(struct mc_httpd_request *request)
{
	(void)request;
}

static const struct mc_httpd_route routes[] = {
	{ .path = "/get", .method = "GET", .handle = on_get },
	{ .path = "/below/", .method = "GET", .handle = on_get },
	{ .path = "/post", .method = "POST", .handle = on_post },
	{ .path = "/stream",
	  .method = "POST",
	  .head = on_stream_head,
	  .data = on_stream,
	  .handle = on_stream_end,
	  .done = on_stream_done },
	{ .path = "/later/", .method = "GET", .handle = on_later, .resume = on_resume },
	{ .path = "/large", .method = "GET", .handle = on_large },
	{ .path = "/nothing", .method = "GET", .handle = on_nothing },
	{ 0 },
};

static void *client_new(void *argument, const char *name)
{
	assert_non_null(name);
	((struct plugin *)argument)->clients++;
	return argument;
}

static void client_free(void *argument, void *client)
{
	assert_ptr_equal(client, argument);
	((struct plugin *)argument)->clients--;
}

static void resume_held(struct plugin *plugin)
{
	struct mc_httpd_request *held = atomic_exchange(&plugin->held, NULL);

	if (held != NULL)
		mc_httpd_resume(held);
}

static void cancel(void *argument)
{
	struct plugin *plugin = argument;

	plugin->cancels++;
	resume_held(plugin);
}

static void open_plugin(struct plugin *plugin)
{
	const struct mc_httpd_options options = {
		.limits = { .threads = 2,
			    .clients = 20,
			    .clients_per_address = 8,
			    .requests_per_client = 2,
			    .bytes_per_client = 400000,
			    .clients_len = 4,
			    .body_max = BODY_MAX,
			    .inflated_max = 2 * BODY_MAX,
			    .memory_max = 1000000 },
		.routes = routes,
		.argument = plugin,
		.client_new = client_new,
		.client_free = client_free,
		.cancel = cancel,
	};
	int rc = -EADDRINUSE;

	stop_fd = eventfd(0, EFD_CLOEXEC);
	sem_init(&plugin->holds, 0, 0);
	plugin->server = mc_httpd_new(NULL, &options);
	plugin->listen.host = "127.0.0.1";
	plugin->listen.port = plugin->port;
	while (rc == -EADDRINUSE) {
		plugin->number = find_port();
		snprintf(plugin->port, sizeof(plugin->port), "%u", plugin->number);
		rc = mc_httpd_listen(plugin->server, &plugin->listen);
	}
	assert_int_equal(rc, 0);
}

static void close_plugin(struct plugin *plugin)
{
	mc_httpd_free(plugin->server);
	assert_int_equal(plugin->clients, 0);
	assert_int_equal(plugin->heads, plugin->dones);
	close(stop_fd);
	sem_destroy(&plugin->holds);
}

/* --- Tests --------------------------------------------------------------- */

static void what_is_asked_is_answered(void **state)
{
	struct plugin plugin = { 0 };

	(void)state;
	open_plugin(&plugin);
	assert_int_equal(get(plugin.number, "GET /get?q=a%20b", "X-What: x\r\n"), 200);
	assert_string_equal(body_of_reply(), "/get q=a b none=1 what=x from=127.0.0.1");
	assert_non_null(strstr(reply, "X-Own: yes"));
	assert_null(strstr(reply, "Accept-Encoding"));
	assert_int_equal(get(plugin.number, "GET /get?q", ""), 200);
	assert_non_null(strstr(body_of_reply(), "q= none=1"));
	assert_int_equal(get(plugin.number, "GET /below/a/b", ""), 200);
	assert_non_null(strstr(body_of_reply(), "/below/a/b q=-"));
	assert_int_equal(get(plugin.number, "HEAD /get", ""), 200);
	assert_string_equal(body_of_reply(), "");
	assert_int_equal(plugin.server->refusals.counts[HTTP_REFUSED_REQUESTS], 0);
	close_plugin(&plugin);
}

static void what_is_not_here_is_refused(void **state)
{
	struct plugin plugin = { 0 };

	(void)state;
	open_plugin(&plugin);
	assert_int_equal(get(plugin.number, "GET /", ""), 404);
	assert_non_null(strstr(body_of_reply(), "only /get and /below/ and"));
	assert_int_equal(get(plugin.number, "GET /post", ""), 405);
	assert_non_null(strstr(reply, "Allow: POST\r\n"));
	assert_int_equal(get(plugin.number, "PUT /get", ""), 405);
	assert_non_null(strstr(reply, "Allow: GET, HEAD\r\n"));
	assert_int_equal(get(plugin.number, "GET /nothing", ""), 500);
	assert_int_equal(plugin.server->refusals.counts[HTTP_REFUSED_REQUESTS], 4);
	close_plugin(&plugin);
}

static void bodies_are_inflated_within_limits(void **state)
{
	static char large[4 * BODY_MAX];
	static unsigned char packed[BODY_MAX];
	struct plugin plugin = { 0 };
	size_t size;

	(void)state;
	open_plugin(&plugin);
	assert_int_equal(post(plugin.number, "/post", "", "hello", 5), 200);
	assert_string_equal(body_of_reply(), "hello");
	assert_non_null(strstr(reply, "Accept-Encoding: gzip, zstd"));
	size = pack("hello", 5, packed, sizeof(packed));
	assert_int_equal(post(plugin.number, "/post", "Content-Encoding: gzip\r\n", packed, size),
			 200);
	assert_string_equal(body_of_reply(), "hello");
	assert_int_equal(post(plugin.number, "/post", "Content-Encoding: gzip\r\n", "hello", 5),
			 400);
	assert_int_equal(post(plugin.number, "/post", "Content-Encoding: br\r\n", "hello", 5), 415);
	assert_int_equal(post(plugin.number, "/post", "", large, BODY_MAX + 1), 413);
	size = pack(large, sizeof(large), packed, sizeof(packed));
	assert_int_equal(post(plugin.number, "/post", "Content-Encoding: gzip\r\n", packed, size),
			 413);
	close_plugin(&plugin);
}

/* In chunks: the head does not say how much it will be. */
static void a_stream_is_limited(void **state)
{
	static char chunk[20000];
	struct plugin plugin = { 0 };
	int fd;

	(void)state;
	open_plugin(&plugin);
	fd = ask(plugin.number, "POST /stream",
		 "Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n");
	for (int i = 0; i < 6; i++) {
		send_all(fd, "4e20\r\n", 6);
		send_all(fd, chunk, sizeof(chunk));
		send_all(fd, "\r\n", 2);
	}
	send_all(fd, "0\r\n\r\n", 5);
	assert_int_equal(read_reply(fd), 413);
	close_plugin(&plugin);
}

static void a_stream_comes_in_pieces(void **state)
{
	static char bytes[BODY_MAX];
	static unsigned char packed[BODY_MAX];
	struct plugin plugin = { 0 };
	size_t size = pack(bytes, 60000, packed, sizeof(packed));

	(void)state;
	open_plugin(&plugin);
	assert_int_equal(post(plugin.number, "/stream", "Content-Type: text/plain\r\n", bytes,
			      sizeof(bytes)),
			 200);
	assert_string_equal(body_of_reply(), "100000 bytes in several");
	assert_int_equal(post(plugin.number, "/stream",
			      "Content-Type: text/plain; charset=utf-8\r\n"
			      "Content-Encoding: gzip\r\n",
			      packed, size),
			 200);
	assert_string_equal(body_of_reply(), "60000 bytes in one");
	assert_int_equal(post(plugin.number, "/stream", "Content-Type: text/html\r\n", bytes, 10),
			 415);
	assert_string_equal(body_of_reply(), "only text\n");
	assert_int_equal(plugin.heads, 2);
	close_plugin(&plugin);
}

static void wait_until_held(struct plugin *plugin)
{
	while (sem_wait(&plugin->holds) < 0)
		assert_int_equal(errno, EINTR);
}

static void an_answer_may_come_later(void **state)
{
	struct plugin plugin = { 0 };
	int fd;

	(void)state;
	open_plugin(&plugin);
	assert_int_equal(get(plugin.number, "GET /later/now", ""), 200);
	assert_string_equal(body_of_reply(), "later");
	fd = ask(plugin.number, "GET /later/on", "");
	wait_until_held(&plugin);
	assert_int_equal(get(plugin.number, "GET /get", ""), 200);
	resume_held(&plugin);
	assert_int_equal(read_reply(fd), 200);
	assert_string_equal(body_of_reply(), "later");
	close_plugin(&plugin);
}

/* As many requests at a time as it may have wait: it is asked to come again. */
static void a_client_has_so_many_requests(void **state)
{
	struct plugin plugin = { 0 };
	struct mc_httpd_request *first;
	int one, two;

	(void)state;
	open_plugin(&plugin);
	one = ask(plugin.number, "GET /later/a", "");
	wait_until_held(&plugin);
	first = atomic_exchange(&plugin.held, NULL);
	two = ask(plugin.number, "GET /later/b", "");
	wait_until_held(&plugin);
	assert_int_equal(get(plugin.number, "GET /get", ""), 429);
	assert_non_null(strstr(reply, "Retry-After: 1"));
	mc_httpd_resume(first);
	resume_held(&plugin);
	assert_int_equal(read_reply(one), 200);
	assert_int_equal(read_reply(two), 200);
	assert_int_equal(get(plugin.number, "GET /get", ""), 200);
	close_plugin(&plugin);
}

/* What waits is answered before the end, which the plugin is asked for. */
static void the_end_waits_for_answers(void **state)
{
	struct plugin plugin = { 0 };
	int fd;

	(void)state;
	open_plugin(&plugin);
	fd = ask(plugin.number, "GET /later/on", "");
	wait_until_held(&plugin);
	assert_int_equal(eventfd_write(stop_fd, 1), 0);
	mc_httpd_run(plugin.server);
	assert_int_equal(plugin.cancels, 1);
	assert_int_equal(read_reply(fd), 200);
	assert_string_equal(body_of_reply(), "later");
	mc_httpd_close(plugin.server);
	close_plugin(&plugin);
}

static void it_is_asked_by_its_name(void **state)
{
	static const char *items[] = { "there.example.org" };
	const struct mc_strings names = { items, 1 };
	struct plugin plugin = { .listen.host_names = &names };

	(void)state;
	open_plugin(&plugin);
	assert_int_equal(get(plugin.number, "GET /get", ""), 421);
	items[0] = "here.example.org";
	assert_int_equal(get(plugin.number, "GET /get", ""), 200);
	close_plugin(&plugin);
}

/* What two readers, such as a proxy in front and this server, could read in two ways. */
static void a_head_has_one_meaning(void **state)
{
	struct plugin plugin = { 0 };

	(void)state;
	open_plugin(&plugin);
	assert_int_equal(get(plugin.number, "GET /get", "Host: b\r\n"), 400);
	assert_string_equal(body_of_reply(), "more than one Host\n");
	assert_int_equal(get(plugin.number, "POST /post",
			     "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"),
			 400);
	assert_int_equal(
		get(plugin.number, "POST /post", "Content-Length: 3\r\nContent-Length: 4\r\n"),
		400);
	assert_string_equal(body_of_reply(), "more than one length\n");
	close_plugin(&plugin);
}

static void a_page_of_another_site_makes_nobody_ask(void **state)
{
	struct plugin plugin = { 0 };

	(void)state;
	open_plugin(&plugin);
	assert_int_equal(get(plugin.number, "GET /get", "Sec-Fetch-Site: cross-site\r\n"), 403);
	assert_string_equal(body_of_reply(), "not for pages of other sites\n");
	assert_int_equal(get(plugin.number, "GET /get", "Sec-Fetch-Site: same-origin\r\n"), 200);
	close_plugin(&plugin);
}

static void an_address_has_so_many_connections(void **state)
{
	struct plugin plugin = { 0 };
	int fds[8];
	char byte;

	(void)state;
	open_plugin(&plugin);
	for (size_t i = 0; i < 8; i++)
		fds[i] = come(plugin.number);
	for (size_t i = 0; i < 8; i++) /* All are served by now. */
		send_all(fds[i], "GET /get HTTP/1.1\r\nHost: a\r\n\r\n", 30);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(recv(fds[i], &byte, 1, 0), 1);
	assert_int_equal(get(plugin.number, "GET /get", ""), 0);
	assert_int_equal(plugin.server->refusals.counts[HTTP_REFUSED_CLIENTS], 1);
	for (size_t i = 0; i < 8; i++)
		close(fds[i]);
	close_plugin(&plugin);
}

/* A file of that many bytes: a user "anna" with the password "right", and comments. */
static void write_passwords(char *path, size_t size)
{
	static const char anna[] = "anna:$6$rounds=5000$s38h/LwPrTishM0c$mfW9zWXaWu1aNl7gg3ne1uVup"
				   "ud4exQu.0y8HNzTZ3NWqoG435gd2OI4IIZ/1UEoHG0H/ksRFj.GV5jLnCGbG1"
				   "\n";
	FILE *file = fdopen(mkstemp(path), "w");

	assert_non_null(file);
	fputs(anna, file);
	for (size_t i = sizeof(anna) - 1; i < size; i++)
		putc(i % 64 == 63 ? '\n' : '#', file);
	assert_int_equal(fclose(file), 0);
}

static void wrong_passwords_say_when_to_come_again(void **state)
{
	static const char wrong[] = "Authorization: Basic YW5uYTp3cm9uZw==\r\n";
	char path[] = "/tmp/test-http-passwords-XXXXXX";
	struct plugin plugin = { .listen.passwords = path };

	(void)state;
	write_passwords(path, 0);
	open_plugin(&plugin);
	assert_int_equal(unlink(path), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(get(plugin.number, "GET /get", wrong), 401);
	assert_int_equal(get(plugin.number, "GET /get", wrong), 429);
	assert_non_null(strstr(reply, "\r\nRetry-After: 60\r\n"));
	close_plugin(&plugin);
}

/* Else the users at its end would not be there, and nobody knew. */
static void a_file_that_is_too_large_is_refused(void **state)
{
	char path[] = "/tmp/test-http-passwords-XXXXXX";
	char more[] = "/tmp/test-http-passwords-XXXXXX";
	struct plugin plugin = { .listen.passwords = path };
	struct mc_httpd_listen other;

	(void)state;
	write_passwords(path, 262144);
	write_passwords(more, 262145);
	open_plugin(&plugin);
	other = plugin.listen;
	other.port = "0";
	other.passwords = more;
	assert_int_equal(mc_httpd_listen(plugin.server, &other), -EINVAL);
	assert_int_equal(rename(more, path), 0);
	assert_int_equal(mc_httpd_renew(plugin.server), -EINVAL);
	assert_int_equal(unlink(path), 0);
	close_plugin(&plugin);
}

/* As another client, from 127.0.0.2. */
static unsigned get_large_from_elsewhere(uint16_t port)
{
	static const char head[] = "GET /large HTTP/1.1\r\nHost: a\r\n"
				   "Connection: close\r\n\r\n";
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000002) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	at.sin_port = htons(port);
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	send_all(fd, head, sizeof(head) - 1);
	return read_reply(fd);
}

static void answers_that_nobody_reads_are_bounded(void **state)
{
	struct plugin plugin = { .listen.path = NULL };
	int fds[2];
	char byte;

	(void)state;
	open_plugin(&plugin);
	for (size_t i = 0; i < 2; i++) {
		fds[i] = ask(plugin.number, "GET /large", "");
		assert_int_equal(recv(fds[i], &byte, 1, 0), 1);
	}
	assert_int_equal(get_large_from_elsewhere(plugin.number), 503);
	assert_non_null(strstr(reply, "Retry-After"));
	assert_null(strstr(reply, "X-Own")); /* It was of the other answer. */
	close(fds[0]);
	close(fds[1]);
	while (get_large_from_elsewhere(plugin.number) == 503)
		; /* The server sees that they are gone when it writes. */
	assert_non_null(strstr(reply, "X-Own"));
	close_plugin(&plugin);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_asked_is_answered),
		cmocka_unit_test(what_is_not_here_is_refused),
		cmocka_unit_test(bodies_are_inflated_within_limits),
		cmocka_unit_test(a_stream_is_limited),
		cmocka_unit_test(a_stream_comes_in_pieces),
		cmocka_unit_test(an_answer_may_come_later),
		cmocka_unit_test(a_client_has_so_many_requests),
		cmocka_unit_test(the_end_waits_for_answers),
		cmocka_unit_test(it_is_asked_by_its_name),
		cmocka_unit_test(a_head_has_one_meaning),
		cmocka_unit_test(a_page_of_another_site_makes_nobody_ask),
		cmocka_unit_test(an_address_has_so_many_connections),
		cmocka_unit_test(wrong_passwords_say_when_to_come_again),
		cmocka_unit_test(a_file_that_is_too_large_is_refused),
		cmocka_unit_test(answers_that_nobody_reads_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
