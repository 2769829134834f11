/* SPDX-License-Identifier: MIT */
#include "kit/net/kafka_handle.h"

#include <stdio.h>
#include <string.h>

#include <collector/check.h>

bool mc_kafka_set(rd_kafka_conf_t *conf, const char *name, const char *value,
		  char why[MC_KAFKA_WHY_SIZE])
{
	return rd_kafka_conf_set(conf, name, value, why, MC_KAFKA_WHY_SIZE) == RD_KAFKA_CONF_OK;
}

bool mc_kafka_set_all(rd_kafka_conf_t *conf, const struct mc_strings *words,
		      char why[MC_KAFKA_WHY_SIZE])
{
	for (size_t i = 0; i + 1 < words->len; i += 2)
		if (!mc_kafka_set(conf, words->items[i], words->items[i + 1], why))
			return false;
	return true;
}

void mc_kafka_check(struct mc_ctx *ctx, const struct mc_strings *words)
{
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	char why[MC_KAFKA_WHY_SIZE];

	if (words->len % 2 != 0)
		mc_check_error(ctx, words, "needs a name and a value");
	for (size_t i = 0; i + 1 < words->len; i += 2)
		if (!mc_kafka_set(conf, words->items[i], words->items[i + 1], why))
			mc_check_error(ctx, &words->items[i], "is invalid: %s", why);
	rd_kafka_conf_destroy(conf);
}

void mc_kafka_reason(char why[MC_KAFKA_WHY_SIZE], int error, const char *reason)
{
	char *end;

	if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN && why[0] != '\0')
		return;
	snprintf(why, MC_KAFKA_WHY_SIZE, "%s", reason);
	end = strstr(why, " (after ");
	if (end != NULL)
		*end = '\0';
}

void mc_kafka_watch(rd_kafka_queue_t *queue, int wake)
{
	static const uint64_t one = 1;

	rd_kafka_queue_io_event_enable(queue, wake, wake < 0 ? NULL : &one,
				       wake < 0 ? 0 : sizeof(one));
	rd_kafka_queue_destroy(queue);
}

static void ignore(const rd_kafka_t *handle, int level, const char *facility, const char *text)
{
	(void)handle;
	(void)level;
	(void)facility;
	(void)text;
}

void mc_kafka_be_silent(rd_kafka_conf_t *conf)
{
	rd_kafka_conf_set_log_cb(conf, ignore);
}
