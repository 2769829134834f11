/* SPDX-License-Identifier: MIT */
/* The client's side of the protocol, against a scripted collector. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "ctl/answer/peer.h"
#include "ctl_peer.h"

#define PATIENT (60 * MC_SECOND) /* Nothing here takes so long. */

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
	peer_init(&peer, script_start(&script, steps), PATIENT);
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
	peer_init(&peer, script_start(&script, cut), PATIENT);
	assert_int_equal(peer_ask(&peer, "LISTVAL", &answer), -ECONNRESET);
	assert_int_equal(script_end(&script), 0);
	peer_close(&peer);

	peer_init(&peer, script_start(&script, foreign), PATIENT);
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
	peer_init(&peer, script_start(&script, steps), PATIENT);
	assert_null(peer_line(&peer, 0, &status));
	assert_int_equal(status, -ETIMEDOUT);
	assert_int_equal(peer_send(&peer, "TAP"), 0);
	assert_string_equal(peer_line(&peer, -1, &status), "PUTVAL a/b/c 1:2");
	assert_string_equal(peer_line(&peer, -1, &status), "LOST 3");
	/* A rest at the end without a newline does not count. */
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
	peer_init(&peer, script_start(&script, steps), PATIENT);
	assert_int_equal(peer_send(&peer, "LISTVAL"), 0);
	assert_int_equal(strlen(peer_line(&peer, -1, &status)), sizeof(text) - 2);
	assert_int_equal(script_end(&script), 0);
	peer_close(&peer);
}

/* One that waits for more than it gets; the clock is the real one. */
static void an_answer_has_a_deadline(void **state)
{
	static const char *const begun[] = { "", "2 Values", "3 Values\n1 a\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(begun) / sizeof(*begun); i++) {
		struct answer answer;
		struct peer peer;
		int fds[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
		assert_int_equal(write(fds[1], begun[i], strlen(begun[i])), strlen(begun[i]));
		peer_init(&peer, fds[0], MC_SECOND / 100);
		assert_int_equal(peer_ask(&peer, "LISTVAL", &answer), -ETIMEDOUT);
		assert_int_equal(answer.len, 0);
		peer_close(&peer);
		close(fds[1]);
	}
}

/* Nobody reads: there is an end to that, too. */
static void a_question_has_a_deadline(void **state)
{
	static char line[4 << 20];
	struct answer answer;
	struct peer peer;
	int fds[2];

	(void)state;
	memset(line, 'x', sizeof(line) - 1);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	peer_init(&peer, fds[0], MC_SECOND / 100);
	assert_int_equal(peer_ask(&peer, line, &answer), -ETIMEDOUT);
	peer_close(&peer);
	close(fds[1]);
}

struct flood { /* What a thread writes again and again. */
	int fd;
	const char *head, *text;
};

static void *flood_main(void *argument)
{
	struct flood *flood = argument;
	ssize_t n = write(flood->fd, flood->head, strlen(flood->head));

	while (n >= 0)
		n = send(flood->fd, flood->text, strlen(flood->text), MSG_NOSIGNAL);
	return NULL;
}

/* The most memory of this process so far, in KiB (getrusage(2)). */
static long peak(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

static void an_endless_answer_is_cut_off(void **state)
{
	static char lines[64001], text[64001], names[64001];
	const struct flood floods[] = {
		{ .head = "999999999 Values found\n", .text = names },
		{ .head = "999999999 Values found\n", .text = lines },
		{ .head = "", .text = text },
		{ .head = "1 Value found\n", .text = text },
	};

	(void)state;
	memset(lines, '\n', sizeof(lines) - 1);
	memset(text, 'x', sizeof(text) - 1);
	for (size_t i = 0; i + 1 < sizeof(names); i++)
		names[i] = "1182204284.000 a\n"[i % 17];
	for (size_t i = 0; i < sizeof(floods) / sizeof(*floods); i++) {
		struct flood flood = floods[i];
		struct answer answer;
		struct peer peer;
		long before = peak();
		pthread_t thread;
		int fds[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
		flood.fd = fds[1];
		pthread_create(&thread, NULL, flood_main, &flood);
		peer_init(&peer, fds[0], PATIENT);
		assert_int_equal(peer_answer(&peer, &answer), -EMSGSIZE);
		assert_int_equal(answer.len, 0);
		assert_true(peer.room <= 4 * PEER_LINE_MAX);
		/* Sanitizers keep what was freed, each half of a doubled room. */
		assert_true(peak() - before < 64 * 1024);
		peer_close(&peer);
		pthread_join(thread, NULL);
		close(fds[1]);
	}
}

static void nothing_steers_a_terminal(void **state)
{
	static const struct script_step steps[] = {
		{ "STATUS\n", "2 Lines \033[2J\n"
			      "a\033]0;x\007b\x7f\tc\n"
			      "\xc2\x9b"
			      "31m caf\xc3\xa9 \xff \xe2\x80\xaex\n" },
		{ 0 },
	};
	struct script script;
	struct answer answer;
	struct peer peer;

	(void)state;
	peer_init(&peer, script_start(&script, steps), PATIENT);
	assert_int_equal(peer_ask(&peer, "STATUS", &answer), 0);
	assert_string_equal(answer.message, "Lines  [2J");
	assert_string_equal(answer.lines[0], "a ]0;x b  c");
	assert_string_equal(answer.lines[1], "??31m caf\xc3\xa9 ? ???x");
	peer_answer_done(&answer);
	assert_int_equal(script_end(&script), 0);
	peer_close(&peer);
}

static void nobody_there(void **state)
{
	char path[200];
	struct peer peer;

	(void)state;
	assert_int_equal(peer_open(&peer, "/nonexistent/socket", PATIENT), -ENOENT);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(peer_open(&peer, path, PATIENT), -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_come_whole),
		cmocka_unit_test(a_broken_answer_is_an_error),
		cmocka_unit_test(lines_of_a_stream),
		cmocka_unit_test(a_line_may_be_long),
		cmocka_unit_test(an_answer_has_a_deadline),
		cmocka_unit_test(a_question_has_a_deadline),
		cmocka_unit_test(an_endless_answer_is_cut_off),
		cmocka_unit_test(nothing_steers_a_terminal),
		cmocka_unit_test(nobody_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
