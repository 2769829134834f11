/* SPDX-License-Identifier: MIT */
/* Where a server of HTTP listens. */
#include "httpd_fixture.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>

#include <collector/kit/http_server.h>

/* --- Names --------------------------------------------------------------- */

static struct addrinfo *make_address(const char *number, const char *port)
{
	struct sockaddr_in *at = calloc(1, sizeof(*at));
	struct addrinfo *info = calloc(1, sizeof(*info));
	unsigned value = 0;

	sscanf(port, "%u", &value);
	at->sin_family = AF_INET;
	at->sin_port = htons((uint16_t)value);
	assert_int_equal(inet_pton(AF_INET, number, &at->sin_addr), 1);
	*info = (struct addrinfo){ .ai_family = AF_INET,
				   .ai_socktype = SOCK_STREAM,
				   .ai_addrlen = sizeof(*at),
				   .ai_addr = (struct sockaddr *)at };
	return info;
}

/* The C library's, without a resolver: "two.example.org" has two addresses. */
int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
		struct addrinfo **out)
{
	bool two = strcmp(host, "two.example.org") == 0;

	(void)hints;
	*out = make_address(two ? "127.0.0.1" : host, port);
	if (two)
		(*out)->ai_next = make_address("127.0.0.2", port);
	return 0;
}

void freeaddrinfo(struct addrinfo *info)
{
	for (struct addrinfo *next; info != NULL; info = next) {
		next = info->ai_next;
		free(info->ai_addr);
		free(info);
	}
}

/* --- A server ------------------------------------------------------------ */

struct lab {
	struct mc_httpd *server;
	struct mc_httpd_listen listen;
	char port[8];
	uint16_t number; /* Of the port. */
};

static void on_get(struct mc_httpd_request *request)
{
	mc_httpd_answer(request, 200, "text/plain", "yes", 3);
}

static const struct mc_httpd_route routes[] = {
	{ .path = "/get", .method = "GET", .handle = on_get },
	{ 0 },
};

static void open_lab(struct lab *lab, const char *host)
{
	const struct mc_httpd_options options = {
		.limits = { .threads = 2,
			    .clients = 20,
			    .clients_per_address = 8,
			    .requests_per_client = 2,
			    .clients_len = 4,
			    .memory_max = 1000000 },
		.routes = routes,
	};
	int rc = -EADDRINUSE;

	lab->server = mc_httpd_new(NULL, &options);
	lab->listen = (struct mc_httpd_listen){ .host = host, .port = lab->port };
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
}

/* --- Tests --------------------------------------------------------------- */

static void a_port_is_had_once(void **state)
{
	struct lab lab;

	(void)state;
	open_lab(&lab, "127.0.0.1");
	assert_int_equal(mc_httpd_listen(lab.server, &lab.listen), -EADDRINUSE);
	assert_int_equal(mc_httpd_renew(lab.server), 0);
	close_lab(&lab);
}

static void others_are_not_spoken_to_in_plain_text(void **state)
{
	struct mc_httpd_listen all = { .host = "0.0.0.0", .port = "0" };
	struct lab lab;

	(void)state;
	open_lab(&lab, "127.0.0.1");
	assert_int_equal(mc_httpd_listen(lab.server, &all), -EINVAL);
	all.allow_plain = true;
	assert_int_equal(mc_httpd_listen(lab.server, &all), 0);
	close_lab(&lab);
}

static unsigned get_of_second(uint16_t port)
{
	static const char head[] = "GET /get HTTP/1.1\r\nHost: a\r\n"
				   "Connection: close\r\n\r\n";
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(0x7f000002) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	send_all(fd, head, sizeof(head) - 1);
	return read_reply(fd);
}

static void a_name_has_several_addresses(void **state)
{
	struct lab lab;

	(void)state;
	open_lab(&lab, "two.example.org");
	assert_int_equal(get(lab.number, "GET /get", ""), 200);
	assert_int_equal(get_of_second(lab.number), 200);
	close_lab(&lab);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_port_is_had_once),
		cmocka_unit_test(others_are_not_spoken_to_in_plain_text),
		cmocka_unit_test(a_name_has_several_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
