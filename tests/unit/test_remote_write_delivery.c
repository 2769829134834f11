/* SPDX-License-Identifier: MIT */
/* Samples that a receiver refuses, one by one or many at once: all others arrive, each in its
 * order, and the number of requests is bounded.  Beside delivery.c all is a fake. */
#include "unit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <snappy-c.h>

#include <collector/writer.h>

#include "delivery.h"

#define SERIES 1000
#define NOW (INT64_C(1700000000) * MC_SECOND)
#define TIME (NOW / MC_MILLISECOND)

struct receiver {
	bool bad[SERIES];       /* It refuses samples of these series. */
	bool counts;            /* It writes the others all the same, and says how many. */
	mc_time duration;       /* Of an answer. */
	long status;            /* Of all answers; 0: as they are taken. */
	unsigned taken[SERIES]; /* Samples. */
	unsigned requests;

	/* Of the request in hand. */
	unsigned seen[SERIES], seen_len, bad_len;
};

static struct receiver receiver;
static struct mc_ctx ctx = { .name = "remote_write" };
static struct symbols symbols;
static struct remote_write_series *series[SERIES];
static struct delivery delivery;
static struct delivery_options options;
static mc_time now;
static uint64_t dropped;
static unsigned kept;

/* --- Fakes ------------------------------------------------------------------ */

mc_time mc_now(void)
{
	return now;
}

mc_time mc_wall(void)
{
	return NOW + now;
}

void mc_log(struct mc_ctx *context, enum mc_level level, const char *fmt, ...)
{
	(void)context, (void)level, (void)fmt;
}

void mc_drop(struct mc_ctx *context, uint64_t samples, int errnum, const char *fmt, ...)
{
	(void)context, (void)errnum, (void)fmt;
	dropped += samples;
}

void mc_http_header(struct mc_http_headers *headers, const char *fmt, ...)
{
	(void)headers, (void)fmt;
}

int mc_http_fail(struct mc_ctx *context, int errnum, const struct mc_http_reply *reply,
		 const char *why)
{
	(void)context, (void)reply, (void)why;
	return -errnum;
}

bool mc_http_ready(struct mc_http_client *client, struct mc_http_stream *stream)
{
	(void)client;
	return now >= stream->backoff.until;
}

void mc_quarantine_init(struct mc_quarantine *quarantine, const char *instance, const char *suffix,
			size_t len_max)
{
	(void)instance;
	*quarantine = (struct mc_quarantine){ .suffix = suffix, .len_max = len_max };
}

void mc_quarantine_done(struct mc_quarantine *quarantine)
{
	(void)quarantine;
}

int mc_quarantine_keep(struct mc_quarantine *quarantine, mc_time wall, const char *path,
		       const void *body, size_t size)
{
	(void)quarantine, (void)wall, (void)path, (void)body, (void)size;
	kept++;
	return 0;
}

/* Series have their number as the value of their last label. */
static void see(void *argument, const struct remote_write_read_sample *sample)
{
	unsigned number = 0;

	(void)argument;
	for (size_t i = 0; i < sample->labels[3].size; i++)
		number = 10 * number + (unsigned)(sample->labels[3].at[i] - '0');
	assert_true(number < SERIES);
	receiver.seen[receiver.seen_len++] = number;
	receiver.bad_len += receiver.bad[number];
}

static void read_request(const struct mc_http_request *request)
{
	char plain[100000];
	size_t size = sizeof(plain);

	receiver.seen_len = receiver.bad_len = 0;
	assert_int_equal(snappy_uncompress(request->body, request->size, plain, &size), SNAPPY_OK);
	assert_true(remote_write_read(delivery.version, plain, size, see, NULL));
}

static void answer(struct mc_http_reply *reply, const struct mc_http_request *request)
{
	bool takes;

	receiver.requests++;
	now += receiver.duration;
	read_request(request);
	takes = receiver.bad_len == 0;
	*reply = (struct mc_http_reply){ .url = "http://store",
					 .status = takes ? 204 : 400,
					 .body = takes ? "" : "label is invalid" };
	if (receiver.status != 0)
		reply->status = receiver.status;
	for (unsigned i = 0; i < receiver.seen_len && (takes || receiver.counts); i++)
		receiver.taken[receiver.seen[i]] += !receiver.bad[receiver.seen[i]];
	if (receiver.counts)
		snprintf(reply->header, sizeof(reply->header), "%u",
			 receiver.seen_len - receiver.bad_len);
}

enum mc_http_verdict mc_http_send_all(struct mc_http_client *client, struct mc_http_stream *stream,
				      struct mc_http_exchange *exchanges, size_t len)
{
	(void)client;
	for (size_t i = 0; i < len; i++)
		answer(&exchanges[i].reply, &exchanges[i].request);
	stream->reply = exchanges[0].reply;
	return MC_HTTP_DONE;
}

/* --- Tests ------------------------------------------------------------------ */

static int setup(void **state)
{
	char text[16];
	struct remote_write_label labels[] = { { "__name__", "load" }, { "guest", text } };

	(void)state;
	receiver = (struct receiver){ .duration = MC_MILLISECOND };
	options = (struct delivery_options){ 5000, 1, 16, DELIVERY_1 };
	now = MC_SECOND;
	dropped = kept = 0;
	delivery_init(&delivery, &ctx, &options, NULL, &symbols);
	for (unsigned i = 0; i < SERIES; i++) {
		snprintf(text, sizeof(text), "%u", i);
		series[i] = remote_write_series_new(
			&symbols,
			&(struct remote_write_about){ .labels = labels, .labels_len = 2 });
		series[i]->counts = true;
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SERIES; i++)
		remote_write_series_free(&symbols, series[i]);
	delivery_done(&delivery);
	symbols_done(&symbols);
	symbols = (struct symbols){ 0 };
	return 0;
}

/* A sample of each series, those of refused ones last, as gather.c places them; returns the number
 * of requests that it took. */
static unsigned deliver(void)
{
	struct remote_write_sample samples[SERIES];
	unsigned before = receiver.requests;
	size_t len = 0;

	for (int last = 0; last < 2; last++)
		for (unsigned i = 0; i < SERIES; i++)
			if (series[i]->refused == last && len < SERIES)
				samples[len++] =
					(struct remote_write_sample){ series[i], i, TIME + 1000 };
	delivery_begin(&delivery, samples, SERIES);
	assert_int_equal(delivery_go_on(&delivery), 0);
	assert_false(delivery_goes_on(&delivery));
	return receiver.requests - before;
}

static unsigned good_that_lack(unsigned samples)
{
	unsigned lack = 0;

	for (unsigned i = 0; i < SERIES; i++)
		lack += !receiver.bad[i] && receiver.taken[i] < samples;
	return lack;
}

static void test_one_is_bad(void **state)
{
	(void)state;
	for (unsigned bad = 0; bad < SERIES; bad += 333) {
		setup(state);
		receiver.bad[bad] = true;
		assert_in_range(deliver(), 3, 22);
		assert_int_equal(good_that_lack(1), 0);
		assert_int_equal(dropped, 1);
		assert_int_equal(kept, 1);
		assert_int_equal(delivery.counts.refused, 1);
		assert_int_equal(delivery.counts.sent, SERIES - 1);

		/* From then on it is alone, until it is taken. */
		assert_int_equal(deliver(), 2);
		assert_int_equal(good_that_lack(2), 0);
		assert_int_equal(dropped, 2);
		receiver.bad[bad] = false;
		assert_int_equal(deliver(), 2);
		assert_int_equal(deliver(), 1);
		assert_int_equal(receiver.taken[bad], 2);
		tear_down(state);
	}
}

/* A hundred bad ones side by side, among 900 good ones. */
static void test_many_are_bad(void **state)
{
	(void)state;
	setup(state);
	memset(receiver.bad + 450, true, 100);
	deliver();
	assert_int_equal(good_that_lack(1), 0);
	assert_int_equal(dropped, 100);
	assert_in_range(deliver(), 200, 210);
	assert_int_equal(good_that_lack(2), 0);
	tear_down(state);
}

/* Answers take long: it ends all the same. */
static void test_time_is_bounded(void **state)
{
	mc_time begin;

	(void)state;
	setup(state);
	memset(receiver.bad, true, SERIES / 2);
	receiver.duration = MC_SECOND / 2;
	begin = now;
	deliver();
	assert_true(now - begin < 30 * MC_SECOND);
	assert_int_equal(dropped + delivery.counts.sent, SERIES);
	assert_int_equal(dropped, delivery.counts.refused);
	tear_down(state);
}

/* The receiver says how many it has written. */
static void test_counted(void **state)
{
	(void)state;
	setup(state);
	delivery.version = REMOTE_WRITE_2;
	receiver.counts = true;
	for (unsigned i = 0; i < SERIES; i += 2)
		receiver.bad[i] = true;
	assert_int_equal(deliver(), 1);
	assert_int_equal(good_that_lack(1), 0);
	assert_int_equal(dropped, SERIES / 2);
	assert_int_equal(kept, 1);
	tear_down(state);
}

/* What is not answered well stays, and goes on. */
static void test_later(void **state)
{
	struct remote_write_sample sample;

	(void)state;
	setup(state);
	sample = (struct remote_write_sample){ series[0], 1, TIME + 1000 };
	receiver.status = 503;
	delivery_begin(&delivery, &sample, 1);
	assert_int_equal(delivery_go_on(&delivery), -EAGAIN);
	assert_int_equal(delivery_go_on(&delivery), -EAGAIN); /* Not before its time. */
	assert_int_equal(receiver.requests, 1);
	receiver.status = 0;
	now += 120 * MC_SECOND;
	assert_int_equal(delivery_go_on(&delivery), 0);
	assert_int_equal(receiver.requests, 2);
	assert_int_equal(dropped, 0);
	tear_down(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_is_bad),      cmocka_unit_test(test_many_are_bad),
		cmocka_unit_test(test_time_is_bounded), cmocka_unit_test(test_counted),
		cmocka_unit_test(test_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
