/* SPDX-License-Identifier: MIT */
/* Messages of write_kafka: what is in each, its key, and the headers by which a receiver knows a
 * repetition; and the producer, with librdkafka's mock cluster. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/label.h>
#include <collector/serve.h>

#include <librdkafka/rdkafka.h>
/* After it: */
#include <librdkafka/rdkafka_mock.h>

#include "journal_fixture.h"
#include "lab.h"
#include "messages.h"
#include "producer.h"

#define TEXT_SIZE 8192

/* --- Messages ------------------------------------------------------------- */

/* The writer notes what it would send: "KEY NUMBER SAMPLES BYTES" lines, with "TOPIC/" before those
 * that have one. */
static struct messages_options options;
static size_t size_max;
static char sent[TEXT_SIZE];
static char streams[2][MC_DEDUP_ID_MAX + 1]; /* Of the last two numbered messages. */

static void note(const struct message *message)
{
	bool otlp = options.text.format == MESSAGES_OTLP;
	size_t size = strlen(sent);

	snprintf(sent + size, sizeof(sent) - size, "%s%s%s %s %u%s%.*s\n",
		 message->topic != NULL ? message->topic : "", message->topic != NULL ? "/" : "",
		 message->key != NULL ? message->key : "-",
		 message->number[0] != '\0' ? message->number : "-", message->samples_len,
		 otlp ? "" : " ", otlp ? 0 : (int)message->size, message->bytes);
	if (message->stream[0] == '\0')
		return;
	memcpy(streams[0], streams[1], sizeof(streams[0]));
	memcpy(streams[1], message->stream, sizeof(streams[1]));
}

static int write_messages(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct messages messages = { .options = &options, .size_max = size_max };
	struct message message;

	messages_init(&messages, ctx);
	messages_begin(&messages, batch);
	while (messages_next(&messages, ctx, batch, &message))
		note(&message);
	messages_done(&messages);
	return 0;
}

static const struct mc_plugin writer_plugin = {
	.api = MC_API,
	.name = "w",
	.writer = &(const struct mc_writer){ .write = write_messages, .durable = true },
	.wants_journal = true,
};
static const struct mc_plugin source_plugin = { .api = MC_API, .name = "p" };

static struct lab lab;
static struct instance *source;

static int open_lab(void **state)
{
	static const struct journal_settings settings = { FOLDER, JOURNAL_SYNC_BATCH, 1 << 20, 0 };

	if (journal_enter(state) != 0)
		return -1;
	lab_open_with(&lab, 1 << 20, &settings);
	source = engine_add(lab.engine, &source_plugin, "p");
	engine_add(lab.engine, &writer_plugin, "w");
	options = (struct messages_options){ .stream = "w/t", .text.path.escape = "." };
	size_max = MC_OTLP_SIZE_MIN;
	sent[0] = '\0';
	return engine_start(lab.engine) == 0 ? 0 : -1;
}

static int close_lab(void **state)
{
	lab_close(&lab);
	return journal_leave(state);
}

/* A batch of values of hosts, one after the other. */
static void commit(int second, const char *const *hosts, size_t len)
{
	struct mc_batch *batch = mc_begin(engine_ctx(source));
	const struct mc_stamp stamp = { LAB_WALL + second * MC_SECOND, 10 * MC_SECOND };

	for (size_t i = 0; i < len; i++) {
		char instance[24];

		snprintf(instance, sizeof(instance), "%zu", i);
		mc_put_at(batch,
			  mc_series(batch, MC_ID(.host = hosts[i], .type = "gauge",
						 .type_instance = instance)),
			  stamp, &(union mc_value){ .gauge = (double)i + 0.5 }, 1);
	}
	assert_int_equal(mc_commit_safely(batch, LAB_LIMIT), 0);
	lab_drain(&lab);
}

static void test_one_message_for_each_value(void **state)
{
	static const char *const hosts[] = { "b", "a" };

	(void)state;
	options.text.format = MC_SAMPLE_COMMAND;
	commit(1, hosts, 2);
	assert_string_equal(sent, "b - 1 PUTVAL b/p/gauge-0 interval=10.000 1700000001.000:0.5\n"
				  "a - 1 PUTVAL a/p/gauge-1 interval=10.000 1700000001.000:1.5\n");
}

static void test_graphite(void **state)
{
	static const char *const hosts[] = { "a" };

	(void)state;
	options.text.format = MC_SAMPLE_GRAPHITE;
	options.text.path.prefix = "x.";
	options.key = "all";
	commit(1, hosts, 1);
	assert_string_equal(sent, "all - 1 x.a.p.gauge-0 0.5 1700000001\r\n\n");
}

static void test_random_key(void **state)
{
	static const char *const hosts[] = { "a" };

	(void)state;
	options.text.format = MC_SAMPLE_COMMAND;
	options.key = "RANDOM";
	commit(1, hosts, 1);
	assert_memory_equal(sent, "- - 1 PUTVAL", 12);
}

/* Hosts in their order, each once, with the number of the record. */
static void test_one_message_for_each_host(void **state)
{
	static const char *const hosts[] = { "b", "a", "b", "c", "b" };

	(void)state;
	options.text.format = MESSAGES_OTLP;
	commit(1, hosts, 5);
	assert_string_equal(sent, "a 1 1\nb 1 3\nc 1 1\n");
	assert_string_not_equal(streams[0], streams[1]);
	assert_string_equal(strchr(streams[1], '/'), "/journal");
	memcpy(streams[0], streams[1], sizeof(streams[0]));
	sent[0] = '\0';
	commit(2, hosts + 3, 1);
	assert_string_equal(sent, "c 2 1\n");
	assert_string_equal(streams[0], streams[1]); /* That of c, as before. */
}

static void test_other_topics_have_other_streams(void **state)
{
	static const char *const hosts[] = { "a" };

	(void)state;
	options.text.format = MESSAGES_OTLP;
	commit(1, hosts, 1);
	options.stream = "w/u";
	commit(2, hosts, 1);
	assert_string_not_equal(streams[0], streams[1]);
}

/* A guest has another name some day, and the same uuid. */
static void test_key_is_the_uuid_of_a_guest(void **state)
{
	static const char *const hosts[] = { "guest", "other" };
	const struct mc_field uuid = { "uuid", "c7a5fdbd" };

	(void)state;
	mc_label(engine_ctx(source), "guest", &uuid, 1);
	options.text.format = MESSAGES_OTLP;
	commit(1, hosts, 2);
	assert_string_equal(sent, "c7a5fdbd 1 1\nother 1 1\n");
}

/* Numbers of a stream only grow where it is read: a tenant's topic is read by itself. */
static void test_tenants_have_topics(void **state)
{
	static const char *const hosts[] = { "a", "b" };
	const struct mc_field red = { "tenant", "r d" }, blue = { "tenant", "blue" };

	(void)state;
	mc_label(engine_ctx(source), "a", &red, 1);
	options.topic = "t.%{tenant}";
	options.text.format = MESSAGES_OTLP;
	commit(1, hosts, 2);
	assert_string_equal(sent, "t.r_d/a 1 1\nt.anonymous/b 1 1\n");
	memcpy(streams[1], streams[0], sizeof(streams[1]));
	sent[0] = '\0';
	mc_label(engine_ctx(source), "a", &blue, 1);
	commit(2, hosts, 1);
	assert_string_equal(sent, "t.blue/a 2 1\n");
	assert_string_not_equal(streams[0], streams[1]);
	sent[0] = '\0';
	options.text.format = MC_SAMPLE_COMMAND;
	commit(3, hosts, 1);
	assert_string_equal(sent, "t.blue/a - 1 PUTVAL a/p/gauge-0 interval=10.000 "
				  "1700000003.000:0.5\n");
}

/* Of several messages of a host the last has the number. */
static void test_large_batch(void **state)
{
	static const char *hosts[900];
	char number[16] = "";
	unsigned all = 0, len = 0, numbered = 0, samples;

	(void)state;
	for (size_t i = 0; i < 900; i++)
		hosts[i] = i % 2 == 0 ? "even" : "odd";
	options.text.format = MESSAGES_OTLP;
	commit(1, hosts, 900);
	for (const char *line = sent; *line != '\0'; line = strchr(line, '\n') + 1) {
		assert_int_equal(sscanf(line, "%*s %15s %u", number, &samples), 2);
		all += samples;
		numbered += strcmp(number, "1") == 0;
		len++;
	}
	assert_int_equal(all, 900);
	assert_true(len > 2);
	assert_int_equal(numbered, 2);
	assert_string_equal(number, "1");
}

/* --- The producer --------------------------------------------------------- */

static const char *const mock_words[] = { "test.mock.num.brokers", "1" };
static const struct mc_strings mock = { mock_words, 2 };
static const struct mc_strings none = { NULL, 0 };

static unsigned answers[4]; /* By enum producer_answer. */

static void count_answer(void *argument, void *message, enum producer_answer answer)
{
	assert_ptr_equal(argument, answers);
	assert_ptr_equal(message, &mock);
	answers[answer]++;
}

static struct producer_options producer_options_of(const struct mc_strings *own)
{
	memset(answers, 0, sizeof(answers));
	return (struct producer_options){ .topic = "t",
					  .common = &mock,
					  .own = own,
					  .compress = true,
					  .wake = -1,
					  .answered = count_answer,
					  .argument = answers };
}

static void send_text(struct producer *producer, const char *text)
{
	struct producer_message message = {
		.key = "k",
		.key_size = 1,
		.bytes = text,
		.size = strlen(text),
		.stream = "a/1",
		.number = "7",
		.message = (void *)&mock,
	};

	assert_int_equal(producer_send(producer, &message), 0);
}

static void wait_for_answers(struct producer *producer)
{
	mc_time until = thread_time() + LAB_LIMIT;

	while (producer->waiting > 0) {
		assert_true(thread_time() < until);
		producer_poll(producer, 50);
	}
}

static void test_acknowledged(void **state)
{
	struct producer producer = { 0 };
	const struct producer_options producer_options = producer_options_of(&none);

	(void)state;
	assert_int_equal(producer_open(&producer, &producer_options), 0);
	for (int i = 0; i < 100; i++)
		send_text(&producer, "text");
	assert_int_equal(producer.waiting, 100);
	wait_for_answers(&producer);
	assert_int_equal(answers[PRODUCER_STORED], 100);
	assert_false(producer_is_broken(&producer));
	producer_close(&producer);
	assert_true(producer_is_broken(&producer));
}

/* Without a topic of its own, each message has one. */
static void test_topics_of_messages(void **state)
{
	static const char *const topics[] = { "t.red", "t.blue" };
	struct producer producer = { 0 };
	struct producer_options producer_options = producer_options_of(&none);
	rd_kafka_resp_err_t error;
	int64_t low, high;

	(void)state;
	producer_options.topic = NULL;
	assert_int_equal(producer_open(&producer, &producer_options), 0);
	for (int i = 0; i < 6; i++)
		assert_int_equal(
			producer_send(&producer,
				      &(struct producer_message){ .topic = topics[i % 3 == 0],
								  .key = "k",
								  .key_size = 1,
								  .bytes = "text",
								  .size = 4,
								  .message = (void *)&mock }),
			0);
	wait_for_answers(&producer);
	assert_int_equal(answers[PRODUCER_STORED], 6);
	for (int i = 0, left[] = { 4, 2 }; i < 2; i++) {
		for (int32_t partition = 0; left[i] > 0; partition++) {
			error = rd_kafka_query_watermark_offsets(producer.handle, topics[i],
								 partition, &low, &high, 10000);
			assert_int_equal(error, RD_KAFKA_RESP_ERR_NO_ERROR);
			left[i] -= (int)(high - low);
		}
		assert_int_equal(left[i], 0);
	}
	producer_close(&producer);
}

static const struct producer_message of_topic = { .topic = "t.red",
						  .key = "k",
						  .key_size = 1,
						  .bytes = "text",
						  .size = 4,
						  .message = (void *)&mock };

/* A topic that is not there is told from a broker that is away, also when that is known. */
static void test_missing_topic(void **state)
{
	static const char *const words[] = { "topic.metadata.propagation.max.ms", "0" };
	const struct mc_strings own = { words, 2 };
	rd_kafka_mock_cluster_t *cluster;
	struct producer producer = { 0 };
	struct producer_options producer_options = producer_options_of(&own);

	(void)state;
	producer_options.topic = NULL;
	assert_int_equal(producer_open(&producer, &producer_options), 0);
	cluster = rd_kafka_handle_mock_cluster(producer.handle);
	rd_kafka_mock_topic_create(cluster, of_topic.topic, 1, 1);
	rd_kafka_mock_topic_set_error(cluster, of_topic.topic,
				      RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
	assert_int_equal(producer_send(&producer, &of_topic), 0);
	wait_for_answers(&producer);
	assert_int_equal(answers[PRODUCER_NO_TOPIC], 1);
	assert_int_equal(producer_send(&producer, &of_topic), -ENOENT);
	assert_int_equal(producer.waiting, 0);
	assert_true(producer.why[0] != '\0');
	assert_false(producer_is_broken(&producer));
	producer_close(&producer);
}

/* A message that is too large is refused at once. */
static void test_too_large(void **state)
{
	static char large[2000000];
	struct producer producer = { 0 };
	const struct producer_options producer_options = producer_options_of(&none);
	struct producer_message message = { .bytes = large, .size = sizeof(large) };

	(void)state;
	assert_int_equal(producer_open(&producer, &producer_options), 0);
	assert_int_equal(producer_send(&producer, &message), -EMSGSIZE);
	assert_int_equal(producer.waiting, 0);
	assert_true(producer.why[0] != '\0');
	producer_close(&producer);
}

/* A property that does not go with an idempotent producer has one without. */
static void test_not_idempotent(void **state)
{
	static const char *const words[] = { "request.required.acks", "1", "no.such", "1" };
	const struct mc_strings one = { words, 2 }, wrong = { words + 2, 2 };
	struct producer producer = { 0 };
	struct producer_options producer_options = producer_options_of(&one);

	(void)state;
	assert_int_equal(producer_open(&producer, &producer_options), 0);
	send_text(&producer, "text");
	wait_for_answers(&producer);
	assert_int_equal(answers[PRODUCER_STORED], 1);
	producer_close(&producer);
	producer_options.own = &wrong;
	assert_int_equal(producer_open(&producer, &producer_options), -EINVAL);
	assert_non_null(strstr(producer.why, "no.such"));
	producer_close(&producer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_message_for_each_value, open_lab,
						close_lab),
		cmocka_unit_test_setup_teardown(test_graphite, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(test_random_key, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(test_one_message_for_each_host, open_lab,
						close_lab),
		cmocka_unit_test_setup_teardown(test_other_topics_have_other_streams, open_lab,
						close_lab),
		cmocka_unit_test_setup_teardown(test_key_is_the_uuid_of_a_guest, open_lab,
						close_lab),
		cmocka_unit_test_setup_teardown(test_tenants_have_topics, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(test_large_batch, open_lab, close_lab),
		cmocka_unit_test(test_acknowledged),
		cmocka_unit_test(test_topics_of_messages),
		cmocka_unit_test(test_missing_topic),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_not_idempotent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
