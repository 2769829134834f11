/* SPDX-License-Identifier: MIT */
/* Server-Sent Events of a server of HTTP, over loopback. */
#include "httpd_fixture.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include <collector/kit/http_server.h>

/* --- A plugin ------------------------------------------------------------ */

struct plugin {
	struct mc_httpd *server;
	char port[8];
	struct mc_httpd_listen listen;
	atomic_int followers_done;
	uint16_t number; /* Of the port. */
};

/* The channel is that of the second value of q. */
static void on_follow(struct mc_httpd_request *request)
{
	const char *channel = mc_httpd_query_at(request, "q", 1);

	mc_httpd_follow(request, channel != NULL ? strtoull(channel, NULL, 10) : 0);
}

static void on_follow_done(struct mc_httpd_request *request)
{
	((struct plugin *)mc_httpd_argument(request))->followers_done++;
}

static const struct mc_httpd_route routes[] = {
	{ .path = "/follow", .method = "GET", .handle = on_follow, .done = on_follow_done },
	{ 0 },
};

static void open_plugin(struct plugin *plugin)
{
	const struct mc_httpd_options options = {
		.limits = { .threads = 2,
			    .clients = 20,
			    .clients_per_address = 8,
			    .requests_per_client = 8,
			    .bytes_per_client = 4096,
			    .clients_len = 4,
			    .body_max = 4096,
			    .inflated_max = 4096,
			    .memory_max = 4096 },
		.routes = routes,
		.argument = plugin,
	};
	int rc = -EADDRINUSE;

	stop_fd = eventfd(0, EFD_CLOEXEC);
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
	close(stop_fd);
}

/* --- Tests --------------------------------------------------------------- */

static void publish(struct plugin *plugin, uint64_t channel, const char *data)
{
	mc_httpd_publish(
		plugin->server, channel,
		&(struct mc_httpd_event){
			.name = "value", .data = data, .data_size = strlen(data), .units = 3 });
}

/* Reads until that has come. */
static void read_until(int fd, const char *what)
{
	size_t size = 0;
	ssize_t n;

	reply[0] = '\0';
	while (strstr(reply, what) == NULL) {
		n = recv(fd, reply + size, sizeof(reply) - 1 - size, 0);
		assert_true(n > 0);
		size += (size_t)n;
		reply[size] = '\0';
	}
}

static void events_go_to_who_follows(void **state)
{
	struct plugin plugin = { 0 };
	int one, two;

	(void)state;
	open_plugin(&plugin);
	one = ask(plugin.number, "GET /follow?q=0&q=1", "");
	two = ask(plugin.number, "GET /follow?q=0&q=2", "");
	read_until(one, "text/event-stream");
	read_until(two, "text/event-stream");
	publish(&plugin, 1, "{\"a\":1}");
	publish(&plugin, 2, "{\"b\":2}");
	publish(&plugin, 3, "{\"c\":3}");
	read_until(one, "event: value\ndata: {\"a\":1}\n\n");
	assert_null(strstr(reply, "\"b\""));
	read_until(two, "event: value\ndata: {\"b\":2}\n\n");
	publish(&plugin, 1, "again");
	mc_httpd_close(plugin.server); /* What was published comes. */
	assert_int_equal(read_reply(one), 0);
	assert_non_null(strstr(reply, "data: again\n\n"));
	assert_null(strstr(reply, "lost"));
	assert_int_equal(read_reply(two), 0);
	assert_int_equal(plugin.followers_done, 2);
	close_plugin(&plugin);
}

/* Reads, and publishes more, until the number of lost ones comes. */
static unsigned long read_lost(struct plugin *plugin, int fd)
{
	char tail[4096 + 64] = ""; /* What may be cut goes in front. */
	const char *found = NULL;

	while (found == NULL || strchr(found, '}') == NULL) {
		size_t kept = strlen(tail) > 63 ? 63 : strlen(tail);
		ssize_t n;

		memmove(tail, tail + strlen(tail) - kept, kept);
		n = recv(fd, tail + kept, 4096, MSG_DONTWAIT);
		tail[kept + (size_t)(n > 0 ? n : 0)] = '\0';
		found = strstr(tail, "\"lost\":");
		publish(plugin, 1, "small");
	}
	return strtoul(found + strlen("\"lost\":"), NULL, 10);
}

/* Far more than sockets take, to one that does not read. */
static void slow_followers_lose_and_are_told(void **state)
{
	static char data[MC_HTTPD_EVENTS_MAX / 4 + 1];
	struct plugin plugin = { 0 };
	int fd;

	(void)state;
	open_plugin(&plugin);
	fd = ask(plugin.number, "GET /follow?q=0&q=1", "");
	read_until(fd, "text/event-stream");
	memset(data, 'x', sizeof(data) - 1);
	for (int i = 0; i < 2000; i++)
		publish(&plugin, 1, data);
	assert_int_equal(read_lost(&plugin, fd) % 3, 0);
	mc_httpd_close(plugin.server);
	close(fd);
	close_plugin(&plugin);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_go_to_who_follows),
		cmocka_unit_test(slow_followers_lose_and_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
