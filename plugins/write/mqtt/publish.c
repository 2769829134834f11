/* SPDX-License-Identifier: MIT */
#include "publish.h"

#include <errno.h>
#include <string.h>

#include <collector/kit/condition.h>

#include "formats/collectd/value_list.h"
#include "kit/base/decimal.h"

#define WAITING_MAX 1000         /* Messages that the broker has not taken. */
#define PATIENCE (5 * MC_SECOND) /* That write() waits for it. */

int publish_open(struct publish *publish, struct mc_ctx *ctx, const struct publish_options *options,
		 const char *host)
{
	publish->options = options;
	return broker_open(&publish->broker, ctx,
			   &(struct broker_setup){ .options = &options->broker, .host = host });
}

void publish_close(struct publish *publish)
{
	broker_close(&publish->broker);
	mc_buffer_free(&publish->topic);
	mc_buffer_free(&publish->text);
}

static void make_topic(struct publish *publish, const struct mc_sample *sample)
{
	const char *prefix = publish->options->prefix, *name = mc_name(sample->series);

	mc_buffer_clear(&publish->topic);
	if (prefix != NULL && *prefix != '\0') {
		mc_buffer_add(&publish->topic, prefix, strlen(prefix));
		mc_buffer_add(&publish->topic, "/", 1);
	}
	mc_buffer_add(&publish->topic, name, strlen(name));
}

static void make_text(struct publish *publish, const struct mc_sample *sample)
{
	const struct mc_value_list list = {
		.type = mc_type(sample->series),
		.values = sample->values,
	};
	char time[MC_DECIMAL_SIZE];

	mc_buffer_clear(&publish->text);
	mc_buffer_add(&publish->text, time, mc_decimal_seconds(time, sample->time));
	for (unsigned i = 0; i < sample->values_len; i++) {
		mc_buffer_add(&publish->text, ":", 1);
		mc_value_list_number(&publish->text, &list, i, publish->options->store_rates);
	}
	mc_buffer_add(&publish->text, "", 1);
}

/* It would come back. */
static bool is_skipped(const struct publish *publish, const struct mc_strings *skip)
{
	bool matches = false;

	for (size_t i = 0; skip != NULL && i < skip->len && !matches; i++)
		mosquitto_topic_matches_sub(skip->items[i], publish->topic.at, &matches);
	return matches;
}

/* Waits until at most 'most' messages are with the library; false after a time, or if the
 * connection is lost. */
static bool wait_for(struct broker *broker, size_t most)
{
	struct timespec until = mc_condition_until(PATIENCE);
	bool good;
	int rc = 0;

	pthread_mutex_lock(&broker->lock);
	while (broker->connected && broker->waiting > most && rc != ETIMEDOUT &&
	       !mc_stopping(broker->ctx))
		rc = pthread_cond_timedwait(&broker->change, &broker->lock, &until);
	good = broker->connected && broker->waiting <= most;
	pthread_mutex_unlock(&broker->lock);
	return good;
}

/* Gives the library a message.  False: it does not take it now. */
static bool send_sample(struct publish *publish, const struct mc_sample *sample,
			const struct mc_strings *skip)
{
	struct broker *broker = &publish->broker;
	int rc;

	make_topic(publish, sample);
	if (is_skipped(publish, skip))
		return true;
	make_text(publish, sample);
	pthread_mutex_lock(&broker->lock);
	broker->waiting++;
	pthread_mutex_unlock(&broker->lock);
	rc = mosquitto_publish(broker->mosquitto, NULL, publish->topic.at, (int)publish->text.size,
			       publish->text.at, (int)broker->options->qos,
			       publish->options->retain);
	if (rc == MOSQ_ERR_SUCCESS)
		return true;
	pthread_mutex_lock(&broker->lock);
	if (broker->waiting > 0)
		broker->waiting--;
	pthread_mutex_unlock(&broker->lock);
	if (rc == MOSQ_ERR_INVAL || rc == MOSQ_ERR_MALFORMED_UTF8 || rc == MOSQ_ERR_PAYLOAD_SIZE ||
	    rc == MOSQ_ERR_OVERSIZE_PACKET) {
		mc_drop(broker->ctx, 1, 0, "MQTT cannot have the topic '%.100s': %s",
			publish->topic.at, mosquitto_strerror(rc));
		return true;
	}
	return false;
}

/* Without acknowledgement what was under way when the connection broke is sent again. */
bool publish_batch(struct publish *publish, const struct mc_batch *batch,
		   const struct mc_strings *skip)
{
	const struct mc_sample *next;

	if (publish->done)
		return true;
	if (!publish->begun || publish->broker.options->qos == 0 ||
	    mc_stopping(publish->broker.ctx))
		publish->last = NULL;
	publish->begun = true;
	while ((next = mc_next(batch, publish->last)) != NULL) {
		if (!wait_for(&publish->broker, WAITING_MAX - 1) ||
		    !send_sample(publish, next, skip))
			return false;
		publish->last = next;
	}
	publish->done = wait_for(&publish->broker, 0);
	return publish->done;
}
