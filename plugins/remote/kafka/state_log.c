/* SPDX-License-Identifier: MIT */
/* Source: rdkafka.h, "Simple Consumer API". */
#include "state_log.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <collector/writer.h>

#define ASK_MS 2000
#define STEP_MS 50

static int64_t real_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void fail(struct state_logs *logs, const struct state_log *log, const char *why)
{
	if (logs->why[0] == '\0')
		snprintf(logs->why, sizeof(logs->why), "topic '%.100s', partition %d: %s",
			 log->topic, log->number, why);
}

/* Whether there is something to read. */
static bool begin(rd_kafka_t *reader, struct state_logs *logs, struct state_log *log,
		  rd_kafka_queue_t *queue)
{
	int64_t low, high;
	rd_kafka_resp_err_t error = rd_kafka_query_watermark_offsets(
		reader, log->topic, log->number, &low, &high, ASK_MS);

	if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
		fail(logs, log, rd_kafka_err2str(error));
		return false;
	}
	log->end = high;
	if (low >= high)
		return false;
	log->handle = rd_kafka_topic_new(reader, log->topic, NULL);
	if (log->handle == NULL ||
	    rd_kafka_consume_start_queue(log->handle, log->number, low, queue) < 0) {
		fail(logs, log, rd_kafka_err2str(rd_kafka_last_error()));
		return false;
	}
	return log->open = true;
}

static void finish(struct state_log *log)
{
	if (log->open)
		rd_kafka_consume_stop(log->handle, log->number);
	if (log->handle != NULL)
		rd_kafka_topic_destroy(log->handle);
	log->open = false;
	log->handle = NULL;
}

static struct state_log *find(const struct state_logs *logs, const rd_kafka_message_t *message)
{
	const char *topic = message->rkt != NULL ? rd_kafka_topic_name(message->rkt) : "";

	for (size_t i = 0; i < logs->len; i++)
		if (logs->items[i].open && logs->items[i].number == message->partition &&
		    strcmp(logs->items[i].topic, topic) == 0)
			return &logs->items[i];
	return NULL;
}

/* Returns whether a partition is at its end.  Offsets of records that were compacted away are
 * missing, so the end comes as an event, too. */
static bool take(struct state_logs *logs, const rd_kafka_message_t *message, state_log_show *show,
		 void *argument)
{
	struct state_log *log = find(logs, message);

	if (log == NULL)
		return false;
	if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
		show(argument, log, message);
		if (message->offset + 1 < log->end)
			return false;
	} else if (message->err != RD_KAFKA_RESP_ERR__PARTITION_EOF) {
		fail(logs, log, rd_kafka_message_errstr(message));
	}
	finish(log);
	return true;
}

bool state_log_read(rd_kafka_t *reader, struct state_logs *logs, state_log_show *show,
		    void *argument)
{
	rd_kafka_queue_t *queue = rd_kafka_queue_new(reader);
	int64_t end = real_ms() + logs->milliseconds;
	size_t open = 0;

	logs->why[0] = '\0';
	for (size_t i = 0; i < logs->len && real_ms() < end && !mc_stopping(logs->ctx); i++)
		open += begin(reader, logs, &logs->items[i], queue);
	while (open > 0 && real_ms() < end && !mc_stopping(logs->ctx)) {
		rd_kafka_message_t *message = rd_kafka_consume_queue(queue, STEP_MS);

		if (message == NULL)
			continue;
		open -= take(logs, message, show, argument);
		rd_kafka_message_destroy(message);
	}
	for (size_t i = 0; i < logs->len; i++) {
		if (logs->items[i].open)
			fail(logs, &logs->items[i], "it takes too long");
		finish(&logs->items[i]);
	}
	rd_kafka_queue_destroy(queue);
	return logs->why[0] == '\0';
}

int state_log_partitions(rd_kafka_t *reader, const char *topic, char why[MC_KAFKA_WHY_SIZE])
{
	rd_kafka_topic_t *handle = rd_kafka_topic_new(reader, topic, NULL);
	const struct rd_kafka_metadata *metadata;
	rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR__INVALID_ARG;
	int len = -1;

	if (handle != NULL)
		error = rd_kafka_metadata(reader, 0, handle, &metadata, ASK_MS);
	if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
		if (metadata->topic_cnt == 1)
			error = metadata->topics[0].err;
		if (metadata->topic_cnt == 1 && error == RD_KAFKA_RESP_ERR_NO_ERROR)
			len = metadata->topics[0].partition_cnt;
		rd_kafka_metadata_destroy(metadata);
	}
	if (len < 0)
		snprintf(why, MC_KAFKA_WHY_SIZE, "topic '%.100s': %s", topic,
			 rd_kafka_err2str(error));
	if (handle != NULL)
		rd_kafka_topic_destroy(handle);
	return len;
}
