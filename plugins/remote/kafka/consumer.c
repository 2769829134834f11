/* SPDX-License-Identifier: MIT */
#include "consumer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ASK_MS 1000
#define SESSION_MS "6000" /* The least that brokers allow by default. */

/* Partitions come without offsets: they are read from those that the group has committed on, and
 * where these do not exist, an event says so. */
static const struct {
	const char *name, *value;
} own_properties[] = {
	{ "enable.auto.commit", "false" },
	{ "enable.auto.offset.store", "false" },
	{ "auto.offset.reset", "error" },
};

bool consumer_owns(const char *property)
{
	for (size_t i = 0; i < sizeof(own_properties) / sizeof(*own_properties); i++)
		if (strcmp(property, own_properties[i].name) == 0)
			return true;
	return strcmp(property, "group.id") == 0;
}

/* --- Callbacks ------------------------------------------------------------ */

static void on_error(rd_kafka_t *handle, int error, const char *reason, void *argument)
{
	struct consumer *consumer = argument;

	(void)handle;
	mc_kafka_reason(consumer->why, error, reason);
}

static bool is_cooperative(rd_kafka_t *handle)
{
	return strcmp(rd_kafka_rebalance_protocol(handle), "COOPERATIVE") == 0;
}

/* Partitions that are assigned are not paused. */
static void keep_paused(struct consumer *consumer)
{
	if (!consumer->paused)
		return;
	consumer->paused = false;
	consumer_pause(consumer, true);
}

static void assign(struct consumer *consumer, const rd_kafka_topic_partition_list_t *list,
		   bool cooperative)
{
	const struct consumer_options *options = consumer->options;
	rd_kafka_error_t *error = NULL;

	for (int i = 0; i < list->cnt; i++)
		options->calls->assign(options->argument, list->elems[i].topic,
				       list->elems[i].partition);
	options->calls->prepare_assign(options->argument);
	if (cooperative)
		error = rd_kafka_incremental_assign(consumer->handle, list);
	else
		rd_kafka_assign(consumer->handle, list);
	rd_kafka_error_destroy(error);
	keep_paused(consumer);
}

static void revoke(struct consumer *consumer, const rd_kafka_topic_partition_list_t *list,
		   bool cooperative)
{
	const struct consumer_options *options = consumer->options;
	rd_kafka_error_t *error = NULL;

	options->calls->prepare_revoke(options->argument);
	for (int i = 0; i < list->cnt; i++)
		options->calls->revoke(options->argument, list->elems[i].topic,
				       list->elems[i].partition);
	if (cooperative)
		error = rd_kafka_incremental_unassign(consumer->handle, list);
	else
		rd_kafka_assign(consumer->handle, NULL);
	rd_kafka_error_destroy(error);
}

static void on_rebalance(rd_kafka_t *handle, rd_kafka_resp_err_t what,
			 rd_kafka_topic_partition_list_t *list, void *argument)
{
	struct consumer *consumer = argument;
	bool cooperative = is_cooperative(handle);

	if (what == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS)
		assign(consumer, list, cooperative);
	else
		revoke(consumer, list, cooperative);
}

static void on_commit(rd_kafka_t *handle, rd_kafka_resp_err_t error,
		      rd_kafka_topic_partition_list_t *list, void *argument)
{
	struct consumer *consumer = argument;
	const struct consumer_options *options = consumer->options;

	(void)handle;
	consumer->committing = false;
	if (error != RD_KAFKA_RESP_ERR_NO_ERROR || list == NULL)
		return;
	for (int i = 0; i < list->cnt; i++)
		if (list->elems[i].err == RD_KAFKA_RESP_ERR_NO_ERROR)
			options->calls->committed(options->argument, list->elems[i].topic,
						  list->elems[i].partition, list->elems[i].offset);
}

/* --- Life ----------------------------------------------------------------- */

static rd_kafka_conf_t *make_conf(struct consumer *consumer, const struct consumer_options *options)
{
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	bool good =
		mc_kafka_set(conf, "queued.max.messages.kbytes", "16384", consumer->why) &&
		mc_kafka_set(conf, "topic.metadata.refresh.interval.ms", "10000", consumer->why) &&
		mc_kafka_set(conf, "session.timeout.ms", SESSION_MS, consumer->why) &&
		mc_kafka_set(conf, "heartbeat.interval.ms", "1500", consumer->why) &&
		mc_kafka_set_all(conf, options->properties, consumer->why) &&
		mc_kafka_set(conf, "group.id", options->group, consumer->why);

	for (size_t i = 0; good && i < sizeof(own_properties) / sizeof(*own_properties); i++)
		good = mc_kafka_set(conf, own_properties[i].name, own_properties[i].value,
				    consumer->why);
	rd_kafka_conf_set_opaque(conf, consumer);
	rd_kafka_conf_set_error_cb(conf, on_error);
	rd_kafka_conf_set_rebalance_cb(conf, on_rebalance);
	rd_kafka_conf_set_offset_commit_cb(conf, on_commit);
	mc_kafka_be_silent(conf);
	if (good)
		return conf;
	rd_kafka_conf_destroy(conf);
	return NULL;
}

/* Partitions that are given need no group to be assigned. */
static rd_kafka_resp_err_t begin(struct consumer *consumer)
{
	const struct consumer_options *options = consumer->options;
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(16);
	rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
	bool group = false;

	for (size_t i = 0; i < options->topics_len; i++) {
		const struct consumer_topic *topic = &options->topics[i];

		group |= topic->partitions_len == 0;
		if (topic->partitions_len == 0)
			rd_kafka_topic_partition_list_add(list, topic->name, RD_KAFKA_PARTITION_UA);
		for (size_t k = 0; k < topic->partitions_len; k++)
			rd_kafka_topic_partition_list_add(list, topic->name,
							  (int32_t)topic->partitions[k]);
	}
	if (group)
		error = rd_kafka_subscribe(consumer->handle, list);
	else
		assign(consumer, list, false);
	rd_kafka_topic_partition_list_destroy(list);
	return error;
}

int consumer_open(struct consumer *consumer, const struct consumer_options *options)
{
	rd_kafka_conf_t *conf;
	rd_kafka_resp_err_t error;

	*consumer = (struct consumer){ .options = options };
	conf = make_conf(consumer, options);
	if (conf == NULL)
		return -EINVAL;
	consumer->handle =
		rd_kafka_new(RD_KAFKA_CONSUMER, conf, consumer->why, sizeof(consumer->why));
	if (consumer->handle == NULL) {
		rd_kafka_conf_destroy(conf);
		return -EINVAL;
	}
	rd_kafka_poll_set_consumer(consumer->handle);
	mc_kafka_watch(rd_kafka_queue_get_consumer(consumer->handle), options->wake);
	error = begin(consumer);
	snprintf(consumer->why, sizeof(consumer->why), "%s",
		 error != RD_KAFKA_RESP_ERR_NO_ERROR ? rd_kafka_err2str(error) : "");
	return error == RD_KAFKA_RESP_ERR_NO_ERROR ? 0 : -EINVAL;
}

static int64_t real_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void consumer_close(struct consumer *consumer, int milliseconds)
{
	int64_t end = real_ms() + milliseconds;
	rd_kafka_queue_t *queue;

	if (consumer->handle == NULL)
		return;
	queue = rd_kafka_queue_get_consumer(consumer->handle);
	rd_kafka_error_destroy(rd_kafka_consumer_close_queue(consumer->handle, queue));
	while (!rd_kafka_consumer_closed(consumer->handle) && real_ms() < end) {
		rd_kafka_message_t *message = rd_kafka_consumer_poll(consumer->handle, 20);

		if (message != NULL)
			rd_kafka_message_destroy(message);
	}
	rd_kafka_queue_destroy(queue);
	mc_kafka_watch(rd_kafka_queue_get_consumer(consumer->handle), -1);
	rd_kafka_destroy_flags(consumer->handle, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
	*consumer = (struct consumer){ .handle = NULL };
}

bool consumer_is_broken(const struct consumer *consumer)
{
	char why[MC_KAFKA_WHY_SIZE];

	return rd_kafka_fatal_error(consumer->handle, why, sizeof(why)) !=
	       RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* --- Reading -------------------------------------------------------------- */

rd_kafka_message_t *consumer_poll(struct consumer *consumer)
{
	return rd_kafka_consumer_poll(consumer->handle, 0);
}

void consumer_pause(struct consumer *consumer, bool pause)
{
	rd_kafka_topic_partition_list_t *list;

	if (consumer->paused == pause ||
	    rd_kafka_assignment(consumer->handle, &list) != RD_KAFKA_RESP_ERR_NO_ERROR)
		return;
	if (pause)
		rd_kafka_pause_partitions(consumer->handle, list);
	else
		rd_kafka_resume_partitions(consumer->handle, list);
	rd_kafka_topic_partition_list_destroy(list);
	consumer->paused = pause;
}

/* --- Offsets -------------------------------------------------------------- */

int consumer_commit(struct consumer *consumer, rd_kafka_topic_partition_list_t *list)
{
	if (consumer->committing ||
	    rd_kafka_commit(consumer->handle, list, 1) != RD_KAFKA_RESP_ERR_NO_ERROR)
		return -EAGAIN;
	consumer->committing = true;
	return 0;
}

bool consumer_range(struct consumer *consumer, const char *topic, int32_t partition,
		    struct consumer_range *range)
{
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
	struct consumer_range found;
	rd_kafka_resp_err_t error;

	rd_kafka_topic_partition_list_add(list, topic, partition);
	error = rd_kafka_committed(consumer->handle, list, ASK_MS);
	found.committed = list->elems[0].offset;
	if (error == RD_KAFKA_RESP_ERR_NO_ERROR)
		error = list->elems[0].err;
	rd_kafka_topic_partition_list_destroy(list);
	if (error == RD_KAFKA_RESP_ERR_NO_ERROR)
		error = rd_kafka_query_watermark_offsets(consumer->handle, topic, partition,
							 &found.low, &found.high, ASK_MS);
	if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
		return false;
	*range = found;
	return true;
}

bool consumer_restart(struct consumer *consumer, const rd_kafka_topic_partition_list_t *list)
{
	rd_kafka_error_t *error;
	bool good;

	if (!is_cooperative(consumer->handle)) {
		good = rd_kafka_assign(consumer->handle, list) == RD_KAFKA_RESP_ERR_NO_ERROR;
		keep_paused(consumer);
		return good;
	}
	error = rd_kafka_incremental_unassign(consumer->handle, list);
	if (error == NULL)
		error = rd_kafka_incremental_assign(consumer->handle, list);
	good = error == NULL;
	rd_kafka_error_destroy(error);
	keep_paused(consumer);
	return good;
}
