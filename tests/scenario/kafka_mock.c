/* SPDX-License-Identifier: MIT */
/* A Kafka for scenarios: librdkafka's mock cluster of one broker.  Arguments are topics, of one
 * partition each.  Prints its address; a line "down" or "up" on standard input takes the broker
 * away or back, and the end of that ends it.
 *
 * Source: rdkafka_mock.h. */
#include <stdio.h>
#include <string.h>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

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
		rd_kafka_mock_topic_create(cluster, argv[i], 1, 1);
	puts(rd_kafka_mock_cluster_bootstraps(cluster));
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		if (strcmp(line, "down\n") == 0)
			rd_kafka_mock_broker_set_down(cluster, 1);
		else if (strcmp(line, "up\n") == 0)
			rd_kafka_mock_broker_set_up(cluster, 1);
	}
	rd_kafka_mock_cluster_destroy(cluster);
	rd_kafka_destroy(handle);
	return 0;
}
