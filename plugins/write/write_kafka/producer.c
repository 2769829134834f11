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

static void on_answer(rd_kafka_t *handle, const rd_kafka_message_t *message, void *argument)
{
	struct producer *producer = argument;

	(void)handle;
	producer->waiting--;
	if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
		producer->why[0] = '\0';
		return;
	}
	set_why(producer, rd_kafka_err2str(message->err));
	if (is_final(message->err))
		producer->refused += (uintptr_t)message->_private;
	else
		producer->failed = true;
}

/* The end of a reason is how long it took and how often it came: each time another. */
static void set_reason(struct producer *producer, const char *reason)
{
	char *end;

	set_why(producer, reason);
	end = strstr(producer->why, " (after ");
	if (end != NULL)
		*end = '\0';
}

/* That all brokers are away comes after the reason of each. */
static void on_error(rd_kafka_t *handle, int error, const char *reason, void *argument)
{
	struct producer *producer = argument;

	(void)handle;
	if (error != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || producer->why[0] == '\0')
		set_reason(producer, reason);
}

/* on_error() has what matters. */
static void on_log(const rd_kafka_t *handle, int level, const char *facility, const char *text)
{
	(void)handle;
	(void)level;
	(void)facility;
	(void)text;
}

/* --- Configuration -------------------------------------------------------- */

static bool set(rd_kafka_conf_t *conf, const char *name, const char *value,
		char why[PRODUCER_WHY_SIZE])
{
	return rd_kafka_conf_set(conf, name, value, why, PRODUCER_WHY_SIZE) == RD_KAFKA_CONF_OK;
}

bool producer_is_wrong(const char *name, const char *value, char why[PRODUCER_WHY_SIZE])
{
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	bool wrong = !set(conf, name, value, why);

	rd_kafka_conf_destroy(conf);
	return wrong;
}

static bool set_all(rd_kafka_conf_t *conf, const struct mc_strings *words,
		    char why[PRODUCER_WHY_SIZE])
{
	for (size_t i = 0; i + 1 < words->len; i += 2)
		if (!set(conf, words->items[i], words->items[i + 1], why))
			return false;
	return true;
}

/* Nothing is given up before it is acknowledged; the journal keeps what the queue has no room
 * for. */
static rd_kafka_conf_t *make_conf(struct producer *producer, const struct producer_options *options,
				  bool idempotent)
{
	rd_kafka_conf_t *conf = rd_kafka_conf_new();

	rd_kafka_conf_set_opaque(conf, producer);
	rd_kafka_conf_set_dr_msg_cb(conf, on_answer);
	rd_kafka_conf_set_error_cb(conf, on_error);
	rd_kafka_conf_set_log_cb(conf, on_log);
	if (set(conf, "message.timeout.ms", "0", producer->why) &&
	    set(conf, "queue.buffering.max.kbytes", "65536", producer->why) &&
	    (!idempotent || set(conf, "enable.idempotence", "true", producer->why)) &&
	    (!options->compress || set(conf, "compression.codec", "zstd", producer->why)) &&
	    set_all(conf, options->common, producer->why) &&
	    set_all(conf, options->own, producer->why))
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
	if (!make_handle(producer, options, true) && !make_handle(producer, options, false))
		return -EINVAL;
	producer->topic = rd_kafka_topic_new(producer->handle, options->topic, NULL);
	if (producer->topic == NULL) {
		set_why(producer, rd_kafka_err2str(rd_kafka_last_error()));
		return -EINVAL;
	}
	producer->why[0] = '\0';
	return 0;
}

void producer_close(struct producer *producer)
{
	if (producer->topic != NULL)
		rd_kafka_topic_destroy(producer->topic);
	if (producer->handle != NULL) {
		rd_kafka_purge(producer->handle, RD_KAFKA_PURGE_F_QUEUE |
							 RD_KAFKA_PURGE_F_INFLIGHT |
							 RD_KAFKA_PURGE_F_NON_BLOCKING);
		rd_kafka_destroy(producer->handle);
	}
	*producer = (struct producer){ 0 };
}

bool producer_is_broken(const struct producer *producer)
{
	char why[PRODUCER_WHY_SIZE];

	return rd_kafka_fatal_error(producer->handle, why, sizeof(why)) !=
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
	rd_kafka_headers_t *headers = make_headers(message);
	rd_kafka_resp_err_t error;

	error = rd_kafka_producev(producer->handle, RD_KAFKA_V_RKT(producer->topic),
				  RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
				  RD_KAFKA_V_KEY((void *)message->key, message->key_size),
				  RD_KAFKA_V_VALUE((void *)message->bytes, message->size),
				  RD_KAFKA_V_OPAQUE((void *)(uintptr_t)message->samples_len),
				  RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
	if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
		producer->waiting++;
		return 0;
	}
	if (headers != NULL)
		rd_kafka_headers_destroy(headers);
	if (error == RD_KAFKA_RESP_ERR__QUEUE_FULL)
		return -EAGAIN;
	set_why(producer, rd_kafka_err2str(error));
	return is_final(error) ? -EMSGSIZE : -EAGAIN;
}

void producer_poll(struct producer *producer, int milliseconds)
{
	rd_kafka_poll(producer->handle, milliseconds);
}
