/* SPDX-License-Identifier: MIT */
/* Changes topics of a Kafka, for tests/torture/kafka.
 *
 *   kafka_admin BROKERS create TOPIC PARTITIONS
 *   kafka_admin BROKERS grow TOPIC PARTITIONS
 *   kafka_admin BROKERS delete TOPIC
 *   kafka_admin BROKERS empty TOPIC PARTITION     removes its records
 *
 * Source: rdkafka.h, "Admin API". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <librdkafka/rdkafka.h>

#define WAIT_MS 60000

struct request {
	rd_kafka_t *handle;
	rd_kafka_queue_t *queue;
	const char *topic;
	int number;
};

static void create(const struct request *request)
{
	char why[256];
	rd_kafka_NewTopic_t *topic =
		rd_kafka_NewTopic_new(request->topic, request->number, 1, why, sizeof(why));

	rd_kafka_CreateTopics(request->handle, &topic, 1, NULL, request->queue);
	rd_kafka_NewTopic_destroy(topic);
}

static void grow(const struct request *request)
{
	char why[256];
	rd_kafka_NewPartitions_t *more = rd_kafka_NewPartitions_new(
		request->topic, (size_t)request->number, why, sizeof(why));

	rd_kafka_CreatePartitions(request->handle, &more, 1, NULL, request->queue);
	rd_kafka_NewPartitions_destroy(more);
}

static void delete (const struct request *request)
{
	rd_kafka_DeleteTopic_t *topic = rd_kafka_DeleteTopic_new(request->topic);

	rd_kafka_DeleteTopics(request->handle, &topic, 1, NULL, request->queue);
	rd_kafka_DeleteTopic_destroy(topic);
}

static void empty(const struct request *request)
{
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
	rd_kafka_DeleteRecords_t *records;

	rd_kafka_topic_partition_list_add(list, request->topic, request->number)->offset =
		RD_KAFKA_OFFSET_END;
	records = rd_kafka_DeleteRecords_new(list);
	rd_kafka_topic_partition_list_destroy(list);
	rd_kafka_DeleteRecords(request->handle, &records, 1, NULL, request->queue);
	rd_kafka_DeleteRecords_destroy(records);
}

static const struct {
	const char *name;
	void (*begin)(const struct request *);
} verbs[] = { { "create", create }, { "grow", grow }, { "delete", delete }, { "empty", empty } };

/* Whether the answer is good. */
static int finish(const struct request *request)
{
	rd_kafka_event_t *event = rd_kafka_queue_poll(request->queue, WAIT_MS);
	rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR__TIMED_OUT;

	if (event != NULL)
		error = rd_kafka_event_error(event);
	if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
		fprintf(stderr, "%s: %s\n", request->topic, rd_kafka_err2str(error));
	rd_kafka_event_destroy(event);
	return error == RD_KAFKA_RESP_ERR_NO_ERROR;
}

int main(int argc, char **argv)
{
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	struct request request;
	int good = 0;
	char why[256];

	if (argc < 4 || rd_kafka_conf_set(conf, "metadata.broker.list", argv[1], why,
					  sizeof(why)) != RD_KAFKA_CONF_OK)
		return 64;
	request.handle = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof(why));
	if (request.handle == NULL)
		return 1;
	request.queue = rd_kafka_queue_new(request.handle);
	request.topic = argv[3];
	request.number = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 0;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (strcmp(verbs[i].name, argv[2]) == 0) {
			verbs[i].begin(&request);
			good = finish(&request);
		}
	rd_kafka_queue_destroy(request.queue);
	rd_kafka_destroy(request.handle);
	return !good;
}
