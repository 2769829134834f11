/* SPDX-License-Identifier: MIT */
/* A Kafka for scenarios: librdkafka's mock cluster of one broker.  Arguments are topics, of one
 * partition each, or of more: "metrics:4".  Prints its address; a line on standard input takes the
 * broker away or back ("down", "up") has it answer late or at once ("slow", "fast") or after some
 * milliseconds ("rtt 20"), or refuses the next request to store messages for good or for now
 * ("large", "denied"), has no topic of some name, forbids it, or has it again ("missing NAME",
 * "forbidden NAME", "found NAME"), or refuses the next one for the offsets of a group ("moved"),
 * and the end of that ends it.
 *
 * Source: rdkafka_mock.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#define PRODUCE 0 /* Numbers of Kafka's protocol. */
#define OFFSET_FETCH 9

static void make_topic(rd_kafka_mock_cluster_t *cluster, char *name)
{
	char *partitions = strchr(name, ':');

	if (partitions != NULL)
		*partitions++ = '\0';
	rd_kafka_mock_topic_create(cluster, name,
				   partitions != NULL ? (int)strtol(partitions, NULL, 10) : 1, 1);
}

/* Whether the line says what becomes of a topic. */
static int obey_of_topic(rd_kafka_mock_cluster_t *cluster, const char *line)
{
	static const struct {
		const char *word;
		rd_kafka_resp_err_t error;
	} states[] = { { "missing ", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART },
		       { "forbidden ", RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED },
		       { "found ", RD_KAFKA_RESP_ERR_NO_ERROR } };

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		size_t size = strlen(states[i].word);

		if (strncmp(line, states[i].word, size) != 0)
			continue;
		rd_kafka_mock_topic_set_error(cluster, line + size, states[i].error);
		return 1;
	}
	return 0;
}

static void obey(rd_kafka_mock_cluster_t *cluster, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (obey_of_topic(cluster, line))
		return;
	if (strcmp(line, "down") == 0)
		rd_kafka_mock_broker_set_down(cluster, 1);
	else if (strcmp(line, "up") == 0)
		rd_kafka_mock_broker_set_up(cluster, 1);
	else if (strcmp(line, "slow") == 0)
		rd_kafka_mock_broker_set_rtt(cluster, 1, 2000);
	else if (strcmp(line, "fast") == 0)
		rd_kafka_mock_broker_set_rtt(cluster, 1, 0);
	else if (strncmp(line, "rtt ", 4) == 0)
		rd_kafka_mock_broker_set_rtt(cluster, 1, (int)strtol(line + 4, NULL, 10));
	else if (strcmp(line, "large") == 0)
		rd_kafka_mock_push_request_errors(cluster, PRODUCE, 1,
						  RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
	else if (strcmp(line, "denied") == 0)
		rd_kafka_mock_push_request_errors(cluster, PRODUCE, 1,
						  RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
	else if (strcmp(line, "moved") == 0)
		rd_kafka_mock_push_request_errors(cluster, OFFSET_FETCH, 1,
						  RD_KAFKA_RESP_ERR_NOT_COORDINATOR);
}

int main(int argc, char **argv)
{
	char line[64];
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	rd_kafka_t *handle;
	rd_kafka_mock_cluster_t *cluster;

	handle = rd_kafka_new(RD_KAFKA_PRODUCER, conf, line, sizeof(line));
	if (handle == NULL)
		return 1;
	cluster = rd_kafka_mock_cluster_new(handle, 1);
	if (cluster == NULL)
		return 1;
	for (int i = 1; i < argc; i++)
		make_topic(cluster, argv[i]);
	puts(rd_kafka_mock_cluster_bootstraps(cluster));
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) != NULL)
		obey(cluster, line);
	rd_kafka_mock_cluster_destroy(cluster);
	rd_kafka_destroy(handle);
	return 0;
}
