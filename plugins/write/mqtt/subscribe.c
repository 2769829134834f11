/* SPDX-License-Identifier: MIT */
#include "subscribe.h"

#include <string.h>

#include <collector/kit/once.h>
#include <collector/serve.h>

#define TEXT_MAX 4096            /* Bytes of a message. */
#define AGAIN (3600 * MC_SECOND) /* Until a refused message is logged again. */

static void refuse(struct subscribe *subscribe, const char *topic, const char *why)
{
	subscribe->refused++;
	if (mc_once_in(&subscribe->refusal_logged, mc_now(), AGAIN))
		mc_log(subscribe->broker.ctx, MC_WARN, "refuses a message of '%.100s': %s", topic,
		       why);
}

/* The last three parts: "host/plugin/type". */
static const char *series_of(const char *topic)
{
	const char *at = topic + strlen(topic);
	unsigned slashes = 0;

	while (at > topic && (at[-1] != '/' || ++slashes < 3))
		at--;
	return slashes == 3 || (slashes == 2 && at == topic) ? at : NULL;
}

/* Nothing that the protocol would take for more than one word. */
static bool is_word(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] <= ' ' || strchr("\"\\=", text[i]) != NULL)
			return false;
	return size > 0;
}

static void make_line(struct subscribe *subscribe, const char *series, const char *text,
		      size_t size)
{
	struct mc_buffer *line = &subscribe->line;

	mc_buffer_clear(line);
	mc_buffer_add(line, "PUTVAL \"", strlen("PUTVAL \""));
	for (; *series != '\0'; series++) {
		if (*series == '"' || *series == '\\')
			mc_buffer_add(line, "\\", 1);
		mc_buffer_add(line, series, 1);
	}
	mc_buffer_add(line, "\" ", 2);
	mc_buffer_add(line, text, size);
}

static void on_message(struct mosquitto *mosquitto, void *argument,
		       const struct mosquitto_message *message)
{
	struct subscribe *subscribe = argument;
	const char *series = series_of(message->topic), *text = message->payload, *why;
	size_t size = message->payloadlen > 0 ? (size_t)message->payloadlen : 0;
	struct mc_child_line line;

	(void)mosquitto;
	if (size > 0 && text[size - 1] == '\0') /* collectd sends it. */
		size--;
	if (series == NULL || size > TEXT_MAX || !is_word(text, size)) {
		refuse(subscribe, message->topic, "it is no list of values of a series");
		return;
	}
	make_line(subscribe, series, text, size);
	line = (struct mc_child_line){ .text = subscribe->line.at,
				       .size = subscribe->line.size,
				       .whole = true };
	mc_set_origin(mc_plain_input_batch(&subscribe->input), subscribe->broker.ctx);
	why = mc_plain_input_line(&subscribe->input, &line, subscribe->interval);
	if (why != NULL)
		refuse(subscribe, message->topic, why);
	mc_plain_input_end(&subscribe->input);
}

int subscribe_open(struct subscribe *subscribe, struct mc_ctx *ctx,
		   const struct subscribe_options *options, const char *host)
{
	subscribe->options = options;
	subscribe->interval = ctx->interval;
	mc_plain_input_init(&subscribe->input, ctx);
	return broker_open(&subscribe->broker, ctx,
			   &(struct broker_setup){ .options = &options->broker,
						   .host = host,
						   .subscription = options->topic,
						   .keeps_session = !options->clean_session,
						   .message = on_message });
}

void subscribe_close(struct subscribe *subscribe)
{
	if (subscribe->options == NULL)
		return;
	broker_close(&subscribe->broker);
	mc_plain_input_done(&subscribe->input);
	mc_buffer_free(&subscribe->line);
}
