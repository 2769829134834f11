/* SPDX-License-Identifier: MIT */
/* Which route a request is for, and by which name it may be asked for. */
#include "unit.h"

#include "kit/net/http_server/http_route.h"

static void found(struct mc_httpd_request *request)
{
	(void)request;
}

static const struct mc_httpd_route routes[] = {
	{ .path = "/write", .method = "POST", .handle = found },
	{ .path = "/write", .method = "GET", .handle = found },
	{ .path = "/ui/", .method = "GET", .handle = found },
	{ 0 },
};

/* Two that are for one path. */
static const struct mc_httpd_route whole[] = {
	{ .path = "/ui/", .method = "GET", .handle = found, .other_sites = true },
	{ .path = "/", .method = "GET", .handle = found },
	{ .path = "/", .method = "OPTIONS", .handle = found },
	{ 0 },
};

static const struct mc_httpd_route *find(const char *path, const char *method)
{
	bool known;

	return http_route_find(routes, path, method, &known);
}

static void a_path_and_a_method(void **state)
{
	bool known;

	(void)state;
	assert_ptr_equal(find("/write", "POST"), &routes[0]);
	assert_ptr_equal(find("/write", "GET"), &routes[1]);
	assert_ptr_equal(find("/write", "HEAD"), &routes[1]);
	assert_ptr_equal(find("/ui/", "GET"), &routes[2]);
	assert_ptr_equal(find("/ui/a/b", "GET"), &routes[2]);
	assert_null(http_route_find(routes, "/ui", "GET", &known));
	assert_false(known);
	assert_null(http_route_find(routes, "/write/", "POST", &known));
	assert_false(known);
	assert_null(http_route_find(routes, "/write", "PUT", &known));
	assert_true(known);
}

static void what_is_here_is_said(void **state)
{
	char text[64], small[8];

	(void)state;
	http_route_methods(routes, "/write", text, sizeof(text));
	assert_string_equal(text, "POST, GET, HEAD");
	http_route_methods(routes, "/ui/x", text, sizeof(text));
	assert_string_equal(text, "GET, HEAD");
	http_route_methods(whole, "/ui/x", text, sizeof(text));
	assert_string_equal(text, "GET, HEAD, OPTIONS");
	http_route_paths(routes, text, sizeof(text));
	assert_string_equal(text, "/write and /ui/");
	http_route_paths(routes, small, sizeof(small));
	assert_string_equal(small, "/write ");
}

/* A page of the web that has its own name point here is not answered. */
static void names_of_this_host(void **state)
{
	static const char *const items[] = { "stats.example.org" };
	const struct mc_strings names = { items, 1 }, none = { 0 };

	(void)state;
	assert_true(http_route_host(NULL, "evil.example.com"));
	assert_true(http_route_host(&none, "127.0.0.1:8080"));
	assert_true(http_route_host(&none, "[::1]:8080"));
	assert_true(http_route_host(&none, "[::1]"));
	assert_true(http_route_host(&none, "LocalHost"));
	assert_false(http_route_host(&none, "stats.example.org"));
	assert_true(http_route_host(&names, "stats.example.org:8080"));
	assert_false(http_route_host(&names, "stats.example.org.evil.com"));
	assert_false(http_route_host(&names, "evil.example.com"));
	assert_false(http_route_host(&names, "127.0.0.1.evil.com"));
	assert_false(http_route_host(&names, "[::1"));
	assert_false(http_route_host(&names, ""));
	assert_false(http_route_host(&names, ":80"));
	assert_true(http_route_host(&names, NULL)); /* No browser. */
}

/* Fetch Metadata, as browsers send it of what a page of another site makes them ask. */
static void pages_of_other_sites(void **state)
{
	const struct mc_httpd_route *picture = &whole[0], *page = &whole[1];

	(void)state;
	assert_true(http_route_site(page, NULL, NULL)); /* No browser. */
	assert_true(http_route_site(page, "none", "document"));
	assert_true(http_route_site(page, "same-origin", "empty"));
	assert_true(http_route_site(page, "same-site", "empty"));
	assert_false(http_route_site(page, "cross-site", "empty"));
	assert_false(http_route_site(page, "cross-site", "image"));
	assert_false(http_route_site(page, "cross-site", "iframe"));
	assert_false(http_route_site(page, "cross-site", NULL));
	assert_true(http_route_site(page, "cross-site", "document")); /* A link. */
	assert_true(http_route_site(picture, "cross-site", "image"));
	assert_false(http_route_site(picture, "cross-site", "empty"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_and_a_method),
		cmocka_unit_test(what_is_here_is_said),
		cmocka_unit_test(names_of_this_host),
		cmocka_unit_test(pages_of_other_sites),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
