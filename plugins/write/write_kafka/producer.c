/* SPDX-License-Identifier: MIT */
#include "producer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void set_why(struct producer *producer, const char *why)
{
	snprintf(producer->why, sizeof(producer->why), "%s", why);
}

/* --- Answers -------------------------------------------------------------- */

/* Whether the message is at fault, not the way to the broker. */
static bool is_final(rd_kafka_resp_err_t error)
{
	return error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE ||
	       error == RD_KAFKA_RESP_ERR_INVALID_MSG ||
	       error == RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE ||
	       error == RD_KAFKA_RESP_ERR_INVALID_RECORD;
}

/* Whether the topic is at fault, not the way to the broker. */
static bool is_of_topic(rd_kafka_resp_err_t error)
{
	return error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
	       error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
	       error == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION ||
	       error == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC ||
	       error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

static enum producer_answer answer_of(rd_kafka_resp_err_t error)
{
	if (is_final(error))
		return PRODUCER_REFUSED;
	return is_of_topic(error) ? PRODUCER_NO_TOPIC : PRODUCER_FAILED;
}

static void on_answer(rd_kafka_t *handle, const rd_kafka_message_t *message, void *argument)
{
	struct producer *producer = argument;
	const struct producer_options *options = producer->options;
	enum producer_answer answer = PRODUCER_STORED;

	(void)handle;
	producer->waiting--;
	if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
		producer->why[0] = '\0';
	} else {
		if (message->err != RD_KAFKA_RESP_ERR__PURGE_QUEUE &&
		    message->err != RD_KAFKA_RESP_ERR__PURGE_INFLIGHT)
			set_why(producer, rd_kafka_err2str(message->err));
		answer = answer_of(message->err);
	}
	options->answered(options->argument, message->_private, answer);
}

static void on_error(rd_kafka_t *handle, int error, const char *reason, void *argument)
{
	struct producer *producer = argument;

	(void)handle;
	mc_kafka_reason(producer->why, error, reason);
}

/* --- Configuration -------------------------------------------------------- */

/* Nothing is given up before it is acknowledged; the journal keeps what the queue has no room for.
 * Where a message fails none that follows it is stored, so that they can be sent again in order.
 * A topic of a tenant that was missing is found soon after it is made.
 * Each request has a compressor of its own: at zstd's usual level its memory costs more than the
 * compression. */
static rd_kafka_conf_t *make_conf(struct producer *producer, const struct producer_options *options,
				  bool idempotent)
{
	rd_kafka_conf_t *conf = rd_kafka_conf_new();

	rd_kafka_conf_set_opaque(conf, producer);
	rd_kafka_conf_set_dr_msg_cb(conf, on_answer);
	rd_kafka_conf_set_error_cb(conf, on_error);
	mc_kafka_be_silent(conf);
	if (mc_kafka_set(conf, "message.timeout.ms", "0", producer->why) &&
	    mc_kafka_set(conf, "queue.buffering.max.kbytes", "65536", producer->why) &&
	    (options->topic != NULL ||
	     mc_kafka_set(conf, "topic.metadata.refresh.interval.ms", "10000", producer->why)) &&
	    (!idempotent ||
	     (mc_kafka_set(conf, "enable.idempotence", "true", producer->why) &&
	      mc_kafka_set(conf, "enable.gapless.guarantee", "true", producer->why))) &&
	    (!options->compress ||
	     (mc_kafka_set(conf, "compression.codec", "zstd", producer->why) &&
	      mc_kafka_set(conf, "compression.level", "1", producer->why))) &&
	    mc_kafka_set_all(conf, options->common, producer->why) &&
	    mc_kafka_set_all(conf, options->own, producer->why))
		return conf;
	rd_kafka_conf_destroy(conf);
	return NULL;
}

/* False, and the reason in producer->why. */
static bool make_handle(struct producer *producer, const struct producer_options *options,
			bool idempotent)
{
	rd_kafka_conf_t *conf = make_conf(producer, options, idempotent);

	if (conf == NULL)
		return false;
	producer->handle =
		rd_kafka_new(RD_KAFKA_PRODUCER, conf, producer->why, sizeof(producer->why));
	if (producer->handle == NULL)
		rd_kafka_conf_destroy(conf);
	return producer->handle != NULL;
}

/* --- Life ----------------------------------------------------------------- */

/* Properties such as "request.required.acks" 1 do not go with idempotence. */
int producer_open(struct producer *producer, const struct producer_options *options)
{
	producer->options = options;
	if (!make_handle(producer, options, true) && !make_handle(producer, options, false))
		return -EINVAL;
	if (options->topic != NULL)
		producer->topic = rd_kafka_topic_new(producer->handle, options->topic, NULL);
	if (options->topic != NULL && producer->topic == NULL) {
		set_why(producer, rd_kafka_err2str(rd_kafka_last_error()));
		return -EINVAL;
	}
	if (options->wake >= 0)
		mc_kafka_watch(rd_kafka_queue_get_main(producer->handle), options->wake);
	producer->why[0] = '\0';
	return 0;
}

void producer_give_up(struct producer *producer)
{
	if (producer->handle != NULL)
		rd_kafka_purge(producer->handle, RD_KAFKA_PURGE_F_QUEUE |
							 RD_KAFKA_PURGE_F_INFLIGHT |
							 RD_KAFKA_PURGE_F_NON_BLOCKING);
}

void producer_take_back(struct producer *producer)
{
	if (producer->handle != NULL)
		rd_kafka_purge(producer->handle,
			       RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_NON_BLOCKING);
}

void producer_close(struct producer *producer)
{
	if (producer->topic != NULL)
		rd_kafka_topic_destroy(producer->topic);
	if (producer->handle != NULL) {
		mc_kafka_watch(rd_kafka_queue_get_main(producer->handle), -1);
		producer_give_up(producer);
		rd_kafka_destroy(producer->handle);
	}
	producer->handle = NULL;
	producer->topic = NULL;
	producer->waiting = 0;
}

bool producer_is_broken(const struct producer *producer)
{
	char why[MC_KAFKA_WHY_SIZE];

	return producer->handle == NULL ||
	       rd_kafka_fatal_error(producer->handle, why, sizeof(why)) !=
		       RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* --- Sending -------------------------------------------------------------- */

static rd_kafka_headers_t *make_headers(const struct producer_message *message)
{
	rd_kafka_headers_t *headers;

	if (message->stream == NULL)
		return NULL;
	headers = rd_kafka_headers_new(2);
	rd_kafka_header_add(headers, "X-Stream", -1, message->stream, -1);
	rd_kafka_header_add(headers, "X-Seq", -1, message->number, -1);
	return headers;
}

int producer_send(struct producer *producer, const struct producer_message *message)
{
	const char *topic = message->topic != NULL ? message->topic : producer->options->topic;
	rd_kafka_headers_t *headers;
	rd_kafka_resp_err_t error;

	if (producer->handle == NULL)
		return -EAGAIN;
	headers = make_headers(message);
	error = rd_kafka_producev(producer->handle, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_MSGFLAGS(0),
				  RD_KAFKA_V_KEY((void *)message->key, message->key_size),
				  RD_KAFKA_V_VALUE((void *)message->bytes, message->size),
				  RD_KAFKA_V_OPAQUE(message->message), RD_KAFKA_V_HEADERS(headers),
				  RD_KAFKA_V_END);
	if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
		producer->waiting++;
		return 0;
	}
	if (headers != NULL)
		rd_kafka_headers_destroy(headers);
	if (error == RD_KAFKA_RESP_ERR__QUEUE_FULL)
		return -EAGAIN;
	set_why(producer, rd_kafka_err2str(error));
	switch (answer_of(error)) {
	case PRODUCER_REFUSED:
		return -EMSGSIZE;
	case PRODUCER_NO_TOPIC:
		return -ENOENT;
	default:
		return -EAGAIN;
	}
}

void producer_poll(struct producer *producer, int milliseconds)
{
	if (producer->handle != NULL)
		rd_kafka_poll(producer->handle, milliseconds);
}
