/* SPDX-License-Identifier: MIT */
/* Headers of the user's, and what is shown of a URL. */
#include "kit/base/tenant_text.h"
#include "kit/net/http_client/http_header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "kit/net/http_client/http_url.h"

static void test_add(void **state)
{
	static const char *const reserved[] = { "X-Seq", NULL };
	struct http_headers headers = { .reserved = reserved };

	(void)state;
	assert_int_equal(http_header_add(&headers, "X-Scope-OrgID", "a b"), 0);
	assert_int_equal(http_header_add(&headers, "X-Empty", ""), 0);
	assert_int_equal(http_header_add(&headers, "", "a"), -EINVAL);
	assert_int_equal(http_header_add(&headers, "A B", "a"), -EINVAL);
	assert_int_equal(http_header_add(&headers, "A:", "a"), -EINVAL);
	assert_int_equal(http_header_add(&headers, "A", "a\r\nB: b"), -EINVAL);
	assert_int_equal(http_header_add(&headers, "content-type", "a"), -EEXIST);
	assert_int_equal(http_header_add(&headers, "x-seq", "a"), -EEXIST);
	assert_int_equal(headers.len, 2);
	assert_string_equal(headers.items[0], "X-Scope-OrgID: a b");
	assert_string_equal(headers.items[1], "X-Empty;");
	http_header_free(&headers);
	assert_int_equal(headers.len, 0);
}

static int read_text(struct http_headers *headers, const char *text, unsigned *line)
{
	char path[] = "header.XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	rc = http_header_read(headers, path, line);
	unlink(path);
	return rc;
}

static void test_file(void **state)
{
	struct http_headers headers = { 0 };
	unsigned line;

	(void)state;
	assert_int_equal(read_text(&headers,
				   "# of the site\n\n"
				   "Authorization:  Bearer abc:def \r\n"
				   "X-A:1",
				   &line),
			 0);
	assert_int_equal(headers.len, 2);
	assert_string_equal(headers.items[0], "Authorization: Bearer abc:def");
	assert_string_equal(headers.items[1], "X-A: 1");
	assert_int_equal(read_text(&headers, "X-B: 1\nabcdef\n", &line), -EINVAL);
	assert_int_equal(line, 2);
	http_header_free(&headers);
	assert_int_equal(http_header_read(&headers, "/nowhere/at/all", &line), -ENOENT);
	assert_int_equal(line, 0);
}

static void assert_shown(const char *url, const char *expected)
{
	char out[HTTP_URL_SIZE];

	http_url_show(url, out);
	assert_string_equal(out, expected);
}

static void test_url(void **state)
{
	(void)state;
	assert_shown("http://h:4318", "http://h:4318");
	assert_shown("https://user:pw@h:4318/otlp", "https://h:4318/otlp");
	assert_shown("https://user:p/w@x@h", "https://h");
	assert_shown("user:pw@h", "h");
	assert_shown("", "");
	assert_true(http_url_valid("http://h", false));
	assert_true(http_url_valid("HTTPS://u:p@h:4318/api/v1/otlp", false));
	assert_false(http_url_valid("http://h/", false));
	assert_false(http_url_valid("http://h?token=x", false));
	assert_false(http_url_valid("htp:/foo bar", false));
	assert_false(http_url_valid("ftp://h", false));
	assert_false(http_url_valid("", false));
	assert_true(http_url_valid("http://h/", true));
	assert_true(http_url_valid("http://h?token=x", true));
	assert_false(http_url_valid("http://h/a b", true));
	assert_false(http_url_valid("ftp://h", true));
}

static void filled(const char *text, const char *tenant, const char *expected)
{
	char *got = mc_tenant_fill(text, tenant);

	assert_string_equal(got, expected);
	free(got);
}

static void test_tenant(void **state)
{
	(void)state;
	filled("X-Scope-OrgID: %{tenant}", "blue", "X-Scope-OrgID: blue");
	filled("http://h/%{tenant}/a/%{tenant}", "b-1_2.c", "http://h/b-1_2.c/a/b-1_2.c");
	filled("%{tenant}", "a/../b\r\nX: y", "a_.._b__X__y");
	filled("/%{tenant}/", "..", "/_./");
	filled("%{tenant}", "", "anonymous");
	filled("%{tenant}", NULL, "anonymous");
	filled("plain", "blue", "plain");
	assert_true(mc_tenant_is_in("a%{tenant}b"));
	assert_false(mc_tenant_is_in("{tenant}"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_tenant),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_url),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
