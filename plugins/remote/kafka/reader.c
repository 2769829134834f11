/* SPDX-License-Identifier: MIT */
#include "reader.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <collector/journal.h>
#include <collector/kit/alloc.h>
#include <collector/kit/wait.h>
#include <collector/serve.h>

#define OFFSETS_PAUSE (20 * MC_MILLISECOND) /* Between two commits of offsets. */
#define LOOK_PAUSE (1 * MC_SECOND)
#define ROUND_MAX 1000 /* Messages. */
#define CLOSE_MS 1500
#define ASK_LONGEST (30 * MC_SECOND) /* For an offset, of a partition without one. */
#define SETTLE_MS 1000
#define JUDGE_LIMIT (500 * MC_MILLISECOND)
#define FLUSH_MS 500

/* --- Topics and partitions ------------------------------------------------ */

static struct topic *find_topic(struct reader *reader, const char *name)
{
	for (size_t i = 0; i < reader->topics_len; i++)
		if (strcmp(reader->topics[i].options->name, name) == 0)
			return &reader->topics[i];
	return NULL;
}

static struct partition *find_partition(struct reader *reader, const char *topic, int32_t number)
{
	struct partition *last = reader->last;

	if (last != NULL && last->number == number && strcmp(last->topic, topic) == 0)
		return last;
	for (size_t i = 0; i < reader->partitions_len; i++)
		if (reader->partitions[i]->number == number &&
		    strcmp(reader->partitions[i]->topic, topic) == 0)
			return reader->partitions[i];
	return NULL;
}

/* --- Events --------------------------------------------------------------- */

/* The topic is gone: if it comes back it is another one, of the same name. */
static void forget(struct reader *reader, const char *topic)
{
	intake_commit(&reader->intake);
	for (size_t i = 0; i < reader->partitions_len; i++)
		if (strcmp(reader->partitions[i]->topic, topic) == 0)
			intake_forget(reader->partitions[i]);
}

/* librdkafka does not begin with partitions whose offsets it was refused, nor asks again.  It names
 * none of them if all were asked for together. */
static void find_anew(struct reader *reader, const rd_kafka_message_t *message,
		      const struct partition *partition)
{
	if (message->err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
	    (message->rkt != NULL && partition == NULL))
		return;
	for (size_t i = 0; i < reader->partitions_len; i++) {
		struct partition *one = reader->partitions[i];

		if (one->next == PARTITION_UNKNOWN && (partition == NULL || partition == one))
			one->reset = one->assigned;
	}
}

static void take_event(struct reader *reader, const rd_kafka_message_t *message)
{
	const char *name = message->rkt != NULL ? rd_kafka_topic_name(message->rkt) : "";
	struct partition *partition = find_partition(reader, name, message->partition);
	struct topic *topic = find_topic(reader, name);

	if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET && partition != NULL) {
		intake_commit(&reader->intake);
		partition->reset = true;
		return;
	}
	find_anew(reader, message, partition);
	if (topic != NULL) {
		if (message->err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
			forget(reader, name);
		mc_complain(reader->ctx, &topic->once, 0, "cannot read topic '%s': %s", name,
			    rd_kafka_err2str(message->err));
	} else {
		mc_complain(reader->ctx, &reader->once, 0, "cannot read: %s",
			    rd_kafka_message_errstr(message));
	}
}

static void take_message(struct reader *reader, const rd_kafka_message_t *message)
{
	const char *name;
	struct partition *partition;
	struct topic *topic;

	if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
		take_event(reader, message);
		return;
	}
	name = rd_kafka_topic_name(message->rkt);
	partition = find_partition(reader, name, message->partition);
	topic = find_topic(reader, name);
	if (partition == NULL || topic == NULL)
		return;
	reader->last = partition;
	reader->consumer.why[0] = '\0';
	mc_works(reader->ctx, &reader->once, "Kafka answers again");
	mc_works(reader->ctx, &topic->once, "topic '%s' can be read again", name);
	intake_take(&reader->intake, topic, partition, message);
}

/* --- Offsets -------------------------------------------------------------- */

/* The offset at which to go on where the next one is not known, or does not exist. */
static int64_t find_start(struct reader *reader, struct partition *partition,
			  const struct consumer_range *range)
{
	int64_t expected = partition->next >= 0 ? partition->next : range->committed;
	char what[400];

	if (expected < 0)
		expected = intake_known(&reader->intake, partition);
	snprintf(what, sizeof(what), "offset %" PRId64 " of topic '%s', partition %" PRId32,
		 expected, partition->topic, partition->number);
	if (expected < 0)
		return reader->options->from_latest ? range->high : range->low;
	if (expected > range->high) {
		intake_forget(partition);
		refused_count(&reader->intake.refused, REFUSED_GONE, 1, what,
			      "is after its end: the topic was made anew, and is read from its "
			      "begin");
		return range->low;
	}
	if (expected < range->low) {
		refused_count(&reader->intake.refused, REFUSED_GONE,
			      (uint64_t)(range->low - expected), what,
			      "does not exist any more: records were removed before they were "
			      "read");
		return range->low;
	}
	return expected;
}

/* Sets where it goes on if it must go elsewhere: before a piece that failed, when all that are
 * under way are settled, or where its next offset is not known, or does not exist.  False: Kafka
 * does not answer. */
static bool choose_start(struct reader *reader, struct partition *partition)
{
	struct consumer_range range;

	if (!partition->assigned || partition->first != NULL)
		return true;
	if (partition->again && reader->intake.pending == 0)
		partition->start = partition->safe;
	if (!partition->reset || mc_now() < partition->asked.until)
		return true;
	if (!consumer_range(&reader->consumer, partition->topic, partition->number, &range)) {
		mc_backoff_failed(&partition->asked, mc_now(), 0);
		return false;
	}
	mc_backoff_done(&partition->asked);
	partition->start = find_start(reader, partition, &range);
	return true;
}

/* librdkafka has no seek() for a partition without an offset: all are assigned anew. */
static void restart(struct reader *reader)
{
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(16);

	for (size_t i = 0; i < reader->partitions_len; i++) {
		struct partition *partition = reader->partitions[i];
		int64_t start = partition->start;

		if (!partition->assigned)
			continue;
		if (start == PARTITION_UNKNOWN)
			start = partition->next >= 0 ? partition->next : RD_KAFKA_OFFSET_STORED;
		rd_kafka_topic_partition_list_add(list, partition->topic, partition->number)
			->offset = start;
	}
	if (consumer_restart(&reader->consumer, list))
		for (size_t i = 0; i < reader->partitions_len; i++)
			if (reader->partitions[i]->start != PARTITION_UNKNOWN)
				partition_go_on(reader->partitions[i],
						reader->partitions[i]->start);
	rd_kafka_topic_partition_list_destroy(list);
}

static void mend_offsets(struct reader *reader)
{
	bool again = false, change = false, answers = true;

	if (mc_now() < reader->intake.backoff.until)
		return;
	for (size_t i = 0; i < reader->partitions_len; i++) {
		struct partition *partition = reader->partitions[i];

		partition->start = PARTITION_UNKNOWN;
		if (answers)
			answers = choose_start(reader, partition);
		again |= partition->again && partition->start != PARTITION_UNKNOWN;
		change |= partition->start != PARTITION_UNKNOWN;
	}
	if (again)
		dedup_take_back(&reader->intake.dedup);
	if (change)
		restart(reader);
}

static void commit_offsets(struct reader *reader)
{
	rd_kafka_topic_partition_list_t *list;

	if (reader->consumer.committing)
		return;
	list = rd_kafka_topic_partition_list_new(16);
	for (size_t i = 0; i < reader->partitions_len; i++) {
		const struct partition *partition = reader->partitions[i];

		if (partition->assigned && partition->safe > partition->told)
			rd_kafka_topic_partition_list_add(list, partition->topic, partition->number)
				->offset = partition->safe;
	}
	if (list->cnt > 0)
		consumer_commit(&reader->consumer, list);
	rd_kafka_topic_partition_list_destroy(list);
	reader->commit_due = mc_now() + OFFSETS_PAUSE;
}

/* --- Of the consumer ------------------------------------------------------ */

static void on_assign(void *argument, const char *topic, int32_t number)
{
	struct reader *reader = argument;
	struct partition *partition = find_partition(reader, topic, number);
	struct topic *known = find_topic(reader, topic);

	if (known == NULL)
		return;
	if (partition == NULL) {
		partition = mc_alloc_zero(sizeof(*partition));
		partition->topic = known->options->name;
		if (reader->options->shares)
			partition->state_topic = known->options->state_topic;
		partition->number = number;
		partition->asked.longest = ASK_LONGEST;
		MC_ARRAY_GROW(reader->partitions, reader->partitions_len, reader->partitions_room);
		reader->partitions[reader->partitions_len++] = partition;
	}
	partition_assign(partition);
	intake_expect_silence(&reader->intake, partition, false);
}

/* The states of a partition are those of the member that had it. */
static void on_prepare_assign(void *argument)
{
	struct reader *reader = argument;

	states_read(&reader->states, reader->partitions, reader->partitions_len,
		    &reader->intake.hosts);
}

/* Judges get values some time after the journal.  Where this member was away for too long, others
 * write already. */
static void flush_states(struct reader *reader)
{
	if (reader->states.ctx == NULL || rd_kafka_assignment_lost(reader->consumer.handle))
		return;
	mc_await_judges(reader->ctx, JUDGE_LIMIT);
	states_flush(&reader->states, FLUSH_MS);
}

/* Another member goes on at the offset of this one: pieces under way get some time. */
static void settle(struct reader *reader)
{
	intake_commit(&reader->intake);
	for (int i = 0; i < SETTLE_MS && reader->intake.pending > 0; i += 10) {
		poll(NULL, 0, 10);
		intake_settle(&reader->intake, reader->partitions, reader->partitions_len);
	}
	reader->consumer.committing = false;
	commit_offsets(reader);
	flush_states(reader);
}

static void on_prepare_revoke(void *argument)
{
	struct reader *reader = argument;

	if (!reader->ending) /* finish() has done it. */
		settle(reader);
}

static void on_revoke(void *argument, const char *topic, int32_t number)
{
	struct reader *reader = argument;
	struct partition *partition = find_partition(reader, topic, number);

	if (partition == NULL)
		return;
	partition->assigned = false;
	if (reader->ending)
		return;
	intake_expect_silence(&reader->intake, partition, true);
	states_leave(&reader->states, partition);
}

static void on_committed(void *argument, const char *topic, int32_t number, int64_t offset)
{
	struct partition *partition = find_partition(argument, topic, number);

	if (partition != NULL && offset > partition->told)
		partition->told = offset;
}

static const struct consumer_calls calls = {
	.assign = on_assign,
	.prepare_assign = on_prepare_assign,
	.prepare_revoke = on_prepare_revoke,
	.revoke = on_revoke,
	.committed = on_committed,
};

/* --- Life ----------------------------------------------------------------- */

static void know(void *dedup, const struct mc_dedup_id *id)
{
	dedup_store(dedup, id);
}

static int start_topic(struct reader *reader, const struct topic_options *options)
{
	struct topic *topic = &reader->topics[reader->topics_len];
	struct consumer_topic *wanted = &reader->wanted[reader->topics_len++];
	int rc = 0;

	*topic = (struct topic){ .options = options };
	*wanted = (struct consumer_topic){
		.name = options->name,
		.partitions = options->partitions.items,
		.partitions_len = options->partitions.len,
	};
	topic->quota = mc_quota_new(reader->ctx, MC_QUOTA_SOURCE, options->name, &options->limits);
	topic->paths = mc_paths_new(reader->ctx, &options->paths, &rc);
	return rc;
}

static int open_consumer(struct reader *reader)
{
	if (consumer_open(&reader->consumer, &reader->consumer_options) < 0)
		return mc_fail(reader->ctx, 0, "cannot make a consumer: %s", reader->consumer.why);
	reader->intake.handle = reader->consumer.handle;
	return 0;
}

static bool has_states(const struct reader_options *options)
{
	for (size_t i = 0; i < options->topics_len; i++)
		if (options->topics[i].state_topic != NULL)
			return true;
	return false;
}

static int start_states(struct reader *reader)
{
	reader->states_options = (struct states_options){
		.properties = &reader->options->properties,
		.group = reader->options->group,
		.wake = reader->wake,
		.hosts = &reader->intake.hosts,
		.refused = &reader->intake.refused,
	};
	return states_start(&reader->states, reader->ctx, &reader->states_options);
}

void reader_hear(struct reader *reader, const struct mc_judge_state *state)
{
	if (reader->states.ctx != NULL)
		states_hear(&reader->states, state);
}

int reader_start(struct reader *reader, struct mc_ctx *ctx, const struct reader_options *options)
{
	int rc = 0;

	reader->ctx = ctx;
	reader->options = options;
	reader->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (reader->wake < 0)
		return mc_fail(ctx, errno, "cannot make an eventfd");
	reader->intake = (struct intake){
		.ctx = ctx,
		.group = options->group,
		.size_max = (size_t)options->size_max,
		.refused_max = (size_t)options->refused_max,
		.template_bytes = (size_t)options->template_bytes,
		.shares = options->shares,
		.wake = reader->wake,
	};
	intake_init(&reader->intake);
	reader->topics = mc_alloc_array(options->topics_len, sizeof(*reader->topics));
	reader->wanted = mc_alloc_array(options->topics_len, sizeof(*reader->wanted));
	for (size_t i = 0; i < options->topics_len && rc == 0; i++)
		rc = start_topic(reader, &options->topics[i]);
	mc_each_dedup_id(ctx, know, &reader->intake.dedup);
	if (rc == 0 && options->shares && has_states(options))
		rc = start_states(reader);
	reader->consumer_options = (struct consumer_options){
		.properties = &options->properties,
		.group = options->group,
		.topics = reader->wanted,
		.topics_len = reader->topics_len,
		.wake = reader->wake,
		.calls = &calls,
		.argument = reader,
	};
	return rc < 0 ? rc : open_consumer(reader);
}

/* Takes messages as long as there are some, and room for them.  Whether there may be more. */
static bool take_messages(struct reader *reader)
{
	rd_kafka_message_t *message = NULL;

	for (unsigned i = 0; i < ROUND_MAX && intake_has_room(&reader->intake); i++) {
		message = consumer_poll(&reader->consumer);
		if (message == NULL)
			break;
		take_message(reader, message);
		rd_kafka_message_destroy(message);
	}
	intake_commit(&reader->intake);
	if (reader->consumer.why[0] != '\0')
		mc_complain(reader->ctx, &reader->once, 0, "cannot read: %s", reader->consumer.why);
	return message != NULL;
}

/* Records for which the journal has no room stay in Kafka. */
static void look(struct reader *reader)
{
	int64_t low, high, lag = 0;

	consumer_pause(&reader->consumer, !mc_journal_has_room(reader->ctx));
	for (size_t i = 0; i < reader->partitions_len; i++) {
		const struct partition *partition = reader->partitions[i];

		if (partition->assigned && partition->next >= 0 &&
		    rd_kafka_get_watermark_offsets(reader->consumer.handle, partition->topic,
						   partition->number, &low,
						   &high) == RD_KAFKA_RESP_ERR_NO_ERROR &&
		    high > partition->next)
			lag += high - partition->next;
	}
	atomic_store(&reader->lag, lag);
	for (size_t i = 0; i < reader->topics_len; i++)
		mc_paths_sweep(reader->topics[i].paths);
	mc_host_labels_forget(&reader->intake.records.labels);
}

/* One that cannot be used any more is made anew, as soon as that can be done; its partitions come
 * again.  Returns 0; -ECANCELED: the end came first. */
static int renew_consumer(struct reader *reader)
{
	int rc = 0;

	mc_complain(reader->ctx, &reader->once, 0, "begins anew: %s", reader->consumer.why);
	consumer_close(&reader->consumer, CLOSE_MS);
	for (size_t i = 0; i < reader->partitions_len; i++)
		reader->partitions[i]->assigned = false;
	reader->states.looked = false;
	while (rc == 0 && open_consumer(reader) < 0) {
		consumer_close(&reader->consumer, CLOSE_MS);
		rc = mc_wait(reader->ctx, NULL, 0, mc_now() + LOOK_PAUSE);
	}
	return rc;
}

static int wait_for_work(struct reader *reader, bool more)
{
	struct pollfd fd = { reader->wake, POLLIN, 0 };
	mc_time due = reader->look_due;
	uint64_t count;
	int rc;

	if (more && intake_has_room(&reader->intake))
		due = mc_now();
	else if (reader->commit_due > mc_now() && reader->commit_due < due)
		due = reader->commit_due;
	rc = mc_wait(reader->ctx, &fd, 1, due);
	if (rc > 0 && read(reader->wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return -errno;
	return rc < 0 ? rc : 0;
}

/* Some time for what is under way. */
static void finish(struct reader *reader)
{
	reader->ending = true;
	settle(reader);
	for (int i = 0; i < SETTLE_MS && reader->consumer.committing; i += 10) {
		rd_kafka_message_t *message = consumer_poll(&reader->consumer);

		if (message != NULL)
			rd_kafka_message_destroy(message);
		poll(NULL, 0, 10);
	}
	consumer_close(&reader->consumer, CLOSE_MS);
}

int reader_run(struct reader *reader)
{
	bool more = true;
	int rc = 0;

	while (rc == 0 && (rc = wait_for_work(reader, more)) == 0) {
		intake_settle(&reader->intake, reader->partitions, reader->partitions_len);
		states_write(&reader->states);
		mend_offsets(reader);
		more = take_messages(reader);
		if (mc_now() >= reader->commit_due)
			commit_offsets(reader);
		if (mc_now() < reader->look_due)
			continue;
		reader->look_due = mc_now() + LOOK_PAUSE;
		look(reader);
		if (consumer_is_broken(&reader->consumer))
			rc = renew_consumer(reader);
	}
	finish(reader);
	return rc == -ECANCELED ? 0 : mc_fail(reader->ctx, -rc, "cannot wait");
}

void reader_stop(struct reader *reader)
{
	if (reader->ctx == NULL || reader->wake < 0)
		return;
	consumer_close(&reader->consumer, CLOSE_MS);
	mc_commit_cancel(reader->ctx);
	intake_settle(&reader->intake, reader->partitions, reader->partitions_len);
	for (size_t i = 0; i < reader->partitions_len; i++)
		free(reader->partitions[i]);
	free(reader->partitions);
	for (size_t i = 0; i < reader->topics_len; i++) {
		mc_paths_free(reader->topics[i].paths);
		mc_quota_free(reader->topics[i].quota);
	}
	free(reader->topics);
	free(reader->wanted);
	states_stop(&reader->states);
	intake_done(&reader->intake);
	close(reader->wake);
}

void reader_report(struct reader *reader, struct mc_batch *batch)
{
	struct intake *intake = &reader->intake;
	const struct {
		const char *type, *name;
		uint64_t number;
	} rows[] = {
		{ "total_objects", "records", intake->records_len },
		{ "total_objects", "duplicates", intake->duplicates },
		{ "total_values", "accepted", intake->samples_len },
		{ "total_bytes", "received", intake->bytes },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		mc_put_derive(batch, (int64_t)rows[i].number, .type = rows[i].type,
			      .type_instance = rows[i].name);
	mc_put_gauge(batch, (double)reader->lag, .type = "queue_length", .type_instance = "lag");
	refused_report(&intake->refused, batch);
}
