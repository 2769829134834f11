/* SPDX-License-Identifier: MIT */
/* The client's side of the protocol, against a scripted collector. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ctl/peer.h"
#include "ctl_peer.h"

static void answers_come_whole(void **state)
{
	static const struct script_step steps[] = {
		{ "LISTVAL\n", "2 Values found\n1.000 a/b/c\n2.500 a/b/d e\n" },
		{ "GETVAL a/b/x\n", "-1 No such value.\n" },
		{ "FLUSH\n", "0 Done: 1 successful, 0 errors\n" },
		{ 0 },
	};
	struct script script;
	struct answer answer;
	struct peer peer;

	(void)state;
	peer_init(&peer, script_start(&script, steps));
	assert_int_equal(peer_ask(&peer, "LISTVAL", &answer), 0);
	assert_int_equal(answer.status, 2);
	assert_string_equal(answer.message, "Values found");
	assert_int_equal(answer.len, 2);
	assert_string_equal(answer.lines[0], "1.000 a/b/c");
	assert_string_equal(answer.lines[1], "2.500 a/b/d e");
	peer_answer_done(&answer);

	assert_int_equal(peer_ask(&peer, "GETVAL a/b/x", &answer), 0);
	assert_int_equal(answer.status, -1);
	assert_string_equal(answer.message, "No such value.");
	assert_int_equal(answer.len, 0);
	peer_answer_done(&answer);

	assert_int_equal(peer_ask(&peer, "FLUSH", &answer), 0);
	assert_int_equal(answer.status, 0);
	peer_answer_done(&answer);
	assert_int_equal(script_end(&script), 0);
	peer_close(&peer);
}

static void a_broken_answer_is_an_error(void **state)
{
	static const struct script_step cut[] = {
		{ "LISTVAL\n", "3 Values found\n1.000 a/b/c\n" },
		{ 0 },
	};
	static const struct script_step foreign[] = {
		{ "LISTVAL\n", "HTTP/1.1 400 Bad Request\n" },
		{ 0 },
	};
	struct script script;
	struct answer answer;
	struct peer peer;

	(void)state;
	peer_init(&peer, script_start(&script, cut));
	assert_int_equal(peer_ask(&peer, "LISTVAL", &answer), -ECONNRESET);
	assert_int_equal(script_end(&script), 0);
	peer_close(&peer);

	peer_init(&peer, script_start(&script, foreign));
	assert_int_equal(peer_ask(&peer, "LISTVAL", &answer), -EPROTO);
	assert_int_equal(script_end(&script), 0);
	peer_close(&peer);
}

static void lines_of_a_stream(void **state)
{
	static const struct script_step steps[] = {
		{ "TAP\n", "PUTVAL a/b/c 1:2\nLOST 3\nhalf" },
		{ 0 },
	};
	struct script script;
	struct peer peer;
	int status;

	(void)state;
	peer_init(&peer, script_start(&script, steps));
	assert_null(peer_line(&peer, 0, &status));
	assert_int_equal(status, -ETIMEDOUT);
	assert_int_equal(peer_send(&peer, "TAP"), 0);
	assert_string_equal(peer_line(&peer, -1, &status), "PUTVAL a/b/c 1:2");
	assert_string_equal(peer_line(&peer, -1, &status), "LOST 3");
	/* What is no whole line at the end is none. */
	assert_null(peer_line(&peer, -1, &status));
	assert_int_equal(status, 0);
	assert_int_equal(script_end(&script), 0);
	peer_close(&peer);
}

static void a_line_may_be_long(void **state)
{
	static char text[300001];
	struct script_step steps[] = { { "LISTVAL\n", text }, { 0 } };
	struct script script;
	struct peer peer;
	int status;

	(void)state;
	memset(text, 'x', sizeof(text) - 2);
	text[sizeof(text) - 2] = '\n';
	peer_init(&peer, script_start(&script, steps));
	assert_int_equal(peer_send(&peer, "LISTVAL"), 0);
	assert_int_equal(strlen(peer_line(&peer, -1, &status)),
			 sizeof(text) - 2);
	assert_int_equal(script_end(&script), 0);
	peer_close(&peer);
}

static void nobody_there(void **state)
{
	char path[200];
	struct peer peer;

	(void)state;
	assert_int_equal(peer_open(&peer, "/nonexistent/socket"), -ENOENT);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(peer_open(&peer, path), -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_come_whole),
		cmocka_unit_test(a_broken_answer_is_an_error),
		cmocka_unit_test(lines_of_a_stream),
		cmocka_unit_test(a_line_may_be_long),
		cmocka_unit_test(nobody_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
