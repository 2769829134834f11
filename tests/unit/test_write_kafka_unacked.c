/* SPDX-License-Identifier: MIT */
/* Messages of write_kafka that are not acknowledged: what the journal's offset waits for, what is
 * sent again, and what waits for the topic of its tenant. */
#include "unit.h"

#include <stdio.h>

#include "unacked.h"

static struct unacked_batches batches;

/* A batch of a message for each topic, of 'samples' samples; it ends at 'seq'. */
static void add_batch(struct unacked *topics, unsigned samples, uint64_t seq)
{
	struct unacked_batch *batch = unacked_begin(&batches);
	struct message message = {
		.topic = "t", .key = "k", .bytes = "abc", .size = 3, .samples_len = samples
	};

	snprintf(message.stream, sizeof(message.stream), "s/1");
	snprintf(message.number, sizeof(message.number), "%d", (int)seq);
	for (size_t i = 0; i < batches.topics_len; i++)
		unacked_add(&topics[i], batch, &message);
	batch->whole = true;
	batch->recorded = true;
	batch->end.seq = seq;
	batch->samples = samples;
}

static struct unacked_message *send_next(struct unacked *unacked)
{
	struct unacked_message *message = unacked->unsent;

	unacked_sent(unacked);
	return message;
}

/* The offset moves with the oldest batch that is not done, whatever is answered first. */
static void test_offset_follows_the_oldest(void **state)
{
	struct unacked topic = { 0 };
	struct unacked_message *messages[3];
	struct unacked_result result = { 0 };

	(void)state;
	batches = (struct unacked_batches){ .topics_len = 1 };
	for (unsigned i = 0; i < 3; i++)
		add_batch(&topic, i + 1, i + 10);
	for (unsigned i = 0; i < 3; i++)
		messages[i] = send_next(&topic);
	assert_null(topic.unsent);
	assert_string_equal(messages[1]->number, "11");
	assert_string_equal(messages[1]->topic, "t");
	assert_memory_equal(messages[1]->bytes, "abc", 3);
	unacked_done(&topic, messages[1], false);
	unacked_settle(&batches, &result);
	assert_false(result.recorded);
	unacked_done(&topic, messages[0], false);
	unacked_settle(&batches, &result);
	assert_true(result.recorded);
	assert_int_equal(result.end.seq, 11);
	assert_int_equal(result.samples, 3);
	unacked_done(&topic, messages[2], false);
	unacked_settle(&batches, &result);
	assert_int_equal(result.end.seq, 12);
	assert_int_equal(result.samples, 6);
	assert_null(topic.first);
	assert_null(batches.first);
}

/* After a failure what is not done is sent again, in the same order. */
static void test_again(void **state)
{
	struct unacked topic = { 0 };
	struct unacked_message *messages[3];

	(void)state;
	batches = (struct unacked_batches){ .topics_len = 1 };
	for (unsigned i = 0; i < 3; i++)
		add_batch(&topic, 1, i + 1);
	for (unsigned i = 0; i < 3; i++)
		messages[i] = send_next(&topic);
	unacked_done(&topic, messages[1], false);
	unacked_again(&topic);
	assert_ptr_equal(send_next(&topic), messages[0]);
	assert_ptr_equal(send_next(&topic), messages[2]);
	assert_null(topic.unsent);
	unacked_free(&topic);
	assert_int_equal(unacked_free_batches(&batches), 3);
}

/* Messages of a topic that takes none wait for it, in their order; the others do not. */
static void test_held(void **state)
{
	struct unacked topic = { 0 };
	struct tenant_topics tenants = { .len_max = 2, .patience = 60 * MC_SECOND };
	struct tenant_topic *red = tenant_topic_use(&tenants, "t.red");
	struct tenant_topic *blue = tenant_topic_use(&tenants, "t.blue");
	struct unacked_message *messages[4];
	struct unacked_result result = { 0 };

	(void)state;
	assert_ptr_equal(tenant_topic_use(&tenants, "t.red"), red);
	assert_null(tenant_topic_use(&tenants, "t.green"));
	batches = (struct unacked_batches){ .topics_len = 1 };
	for (unsigned i = 0; i < 4; i++) {
		add_batch(&topic, 1, i + 1);
		messages[i] = topic.last;
		messages[i]->tenant = i % 2 == 0 ? red : blue;
	}
	for (unsigned i = 0; i < 2; i++)
		send_next(&topic);
	tenant_topic_failed(&tenants, red, MC_SECOND);
	unacked_hold(&topic, messages[0]);
	unacked_hold(&topic, messages[2]); /* It was not sent yet. */
	assert_int_equal(topic.held_size, 6);
	assert_ptr_equal(send_next(&topic), messages[3]);
	unacked_done(&topic, messages[1], false);
	unacked_again(&topic); /* Others failed. */
	assert_ptr_equal(send_next(&topic), messages[3]);
	unacked_done(&topic, messages[3], false);
	unacked_settle(&batches, &result);
	assert_false(result.recorded); /* What waits stays in the journal. */
	unacked_release(&topic, red->again - 1);
	assert_null(topic.unsent);
	red->under_way = 1;
	unacked_release(&topic, red->again);
	assert_null(topic.unsent);
	red->under_way = 0;
	unacked_release(&topic, red->again);
	assert_int_equal(topic.held_size, 0);
	assert_ptr_equal(send_next(&topic), messages[0]);
	assert_ptr_equal(send_next(&topic), messages[2]);
	unacked_done(&topic, messages[2], true);
	unacked_done(&topic, messages[0], false);
	unacked_settle(&batches, &result);
	assert_int_equal(result.end.seq, 4);
	assert_int_equal(result.refused, 1);
	assert_null(topic.first);
	assert_null(topic.last);
	tenant_topic_free_all(&tenants);
}

/* The time runs from the first failure, until the topic takes a message. */
static void test_given_up(void **state)
{
	struct tenant_topics tenants = { .len_max = 1, .patience = 60 * MC_SECOND };
	struct tenant_topic *topic = tenant_topic_use(&tenants, "t");

	(void)state;
	assert_true(tenant_topic_is_due(topic, 1));
	assert_false(tenant_topic_is_given_up(&tenants, topic, MC_SECOND));
	tenant_topic_failed(&tenants, topic, MC_SECOND);
	assert_false(tenant_topic_is_due(topic, 2 * MC_SECOND));
	assert_true(tenant_topic_is_due(topic, 11 * MC_SECOND));
	tenant_topic_failed(&tenants, topic, 60 * MC_SECOND);
	assert_false(tenant_topic_is_given_up(&tenants, topic, 60 * MC_SECOND));
	assert_true(tenant_topic_is_given_up(&tenants, topic, 61 * MC_SECOND));
	assert_true(tenant_topic_waits(topic, 60 * MC_SECOND));
	assert_false(tenant_topic_waits(topic, 71 * MC_SECOND));
	tenant_topic_sent(topic, 71 * MC_SECOND);
	assert_true(tenant_topic_waits(topic, 71 * MC_SECOND)); /* One at a time. */
	assert_false(tenant_topic_is_stalled(&tenants, topic, 200 * MC_SECOND, 71 * MC_SECOND));
	assert_false(tenant_topic_is_stalled(&tenants, topic, 130 * MC_SECOND, 72 * MC_SECOND));
	assert_true(tenant_topic_is_stalled(&tenants, topic, 131 * MC_SECOND, 72 * MC_SECOND));
	tenant_topic_answered(topic, 131 * MC_SECOND);
	assert_false(tenant_topic_is_stalled(&tenants, topic, 200 * MC_SECOND, 132 * MC_SECOND));
	tenant_topic_works(topic);
	assert_false(tenant_topic_waits(topic, 131 * MC_SECOND));
	topic->held = 1; /* Those before it come first. */
	assert_true(tenant_topic_waits(topic, 131 * MC_SECOND));
	topic->held = 0;
	assert_false(tenant_topic_is_given_up(&tenants, topic, 61 * MC_SECOND));
	assert_true(tenant_topic_is_due(topic, 61 * MC_SECOND));
	tenant_topic_free_all(&tenants);
}

/* A sample that several topics refuse is one; a batch is done when all topics are. */
static void test_several_topics(void **state)
{
	struct unacked topics[] = { { .topic = 0 }, { .topic = 1 } };
	struct unacked_result result = { 0 };

	(void)state;
	batches = (struct unacked_batches){ .topics_len = 2 };
	add_batch(topics, 5, 1);
	unacked_done(&topics[0], send_next(&topics[0]), true);
	unacked_settle(&batches, &result);
	assert_int_equal(result.samples, 0);
	unacked_done(&topics[1], topics[1].unsent, true); /* It never could be sent. */
	unacked_settle(&batches, &result);
	assert_int_equal(result.samples, 5);
	assert_int_equal(result.refused, 5);
	assert_null(topics[1].unsent);
	assert_null(batches.first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offset_follows_the_oldest),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_given_up),
		cmocka_unit_test(test_several_topics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
