/* SPDX-License-Identifier: MIT */
/* notify_alertmanager - notifications as alerts of Prometheus's Alertmanager.
 *
 * notify() sends what is new, all that waits in one request.  run() sends what
 * fires again and again, over a connection of its own. */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/http_client.h>
#include <collector/kit/lock.h>
#include <collector/kit/once.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>
#include <collector/private/status.h>
#include <collector/writer.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alerts.h"

#define LONGEST (60 * MC_SECOND) /* Between two tries. */
#define ALERTS_MAX 1000          /* Notifications, or alerts, of a request. */

struct notify_alertmanager {
	struct mc_http_settings http;
	mc_time resend;
	int64_t limit;
	int64_t notice_rate;

	struct mc_http_client *client; /* Only notify(). */
	struct mc_http_stream stream;
	struct mc_once full; /* Only notify(): too many alerts. */

	pthread_mutex_t lock;
	struct alerts alerts MC_GUARDED_BY(lock);
};

/* Alertmanager answers 500 when it cannot take them now. */
static enum mc_http_verdict verdict(long status)
{
	return status == 500 ? MC_HTTP_LATER : mc_http_verdict(status);
}

static const struct mc_http_protocol protocol = { .verdict = verdict };

static const struct mc_option options[] = {
	{ "URL", MC_OPT_STRINGS(struct notify_alertmanager, http.urls), .required = true,
	  .help = "URL of Alertmanager, without /api/v2; of several URLs the "
		  "first that answers is used.",
	  .sample = "http://alertmanager.example.org:9093" },
	{ "ResendInterval", MC_OPT_TIME(struct notify_alertmanager, resend), .default_value = "60",
	  .help = "Seconds after which alerts that fire are sent again; four "
		  "times as long after the last time Alertmanager resolves "
		  "them.",
	  .min = 0.1, .max = 86400 },
	{ "AlertLimit", MC_OPT_INT(struct notify_alertmanager, limit), .default_value = "10000",
	  .help = "Largest number of alerts that are sent again.", .min = 1, .max = 1e6 },
	MC_HTTP_USER_OPTIONS(struct notify_alertmanager, http),
	MC_HTTP_PLAIN_OPTIONS(struct notify_alertmanager, http),
	MC_NOTICE_RATE(struct notify_alertmanager, notice_rate),
	{ 0 },
};

/* --- Life ----------------------------------------------------------------- */

static void alertmanager_check(struct mc_ctx *ctx)
{
	const struct notify_alertmanager *self = ctx->self;

	mc_http_check(ctx, &self->http, &protocol);
	mc_check_password(ctx, &self->http.password);
}

static int alertmanager_start(struct mc_ctx *ctx) MC_NO_LOCK
{
	struct notify_alertmanager *self = ctx->self;

	pthread_mutex_init(&self->lock, NULL);
	self->stream.backoff.longest = LONGEST;
	self->alerts.limit = (size_t)self->limit;
	self->alerts.resend = self->resend;
	mc_limit_notifications(ctx, (uint64_t)self->notice_rate);
	return mc_http_client_new(ctx, &self->http, &protocol, &self->client);
}

static int alertmanager_renew(struct mc_ctx *ctx)
{
	struct notify_alertmanager *self = ctx->self;

	mc_http_client_renew(self->client);
	return 0;
}

static void alertmanager_stop(struct mc_ctx *ctx) MC_NO_LOCK
{
	struct notify_alertmanager *self = ctx->self;

	mc_http_client_free(self->client);
	alerts_done(&self->alerts);
	pthread_mutex_destroy(&self->lock);
}

/* --- Requests ------------------------------------------------------------- */

/* Ends the list and sends it; frees it. */
static enum mc_http_verdict send_list(struct mc_http_client *client, struct mc_http_stream *stream,
				      struct mc_json *json)
{
	struct mc_http_request request = {
		.path = "/api/v2/alerts",
		.content_type = "application/json",
	};
	enum mc_http_verdict result;

	mc_json_list_end(json);
	request.body = mc_json_bytes(json, &request.size);
	result = mc_http_send(client, stream, &request);
	mc_json_free(json);
	return result;
}

/* --- What is new: the writer's thread ------------------------------------- */

/* All that waits, as far as there is room. */
static struct mc_json *take_all(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct notify_alertmanager *self = ctx->self;
	struct mc_json *json = mc_json_new(false);
	mc_time now = mc_wall();
	uint64_t refused;

	mc_json_list(json, NULL);
	for (size_t len = 1; notification != NULL; len++) {
		pthread_mutex_lock(&self->lock);
		alerts_take(&self->alerts, notification, now, json);
		pthread_mutex_unlock(&self->lock);
		notification = len < ALERTS_MAX ? mc_next_notification(ctx) : NULL;
	}
	pthread_mutex_lock(&self->lock);
	refused = self->alerts.refused;
	self->alerts.refused = 0;
	pthread_mutex_unlock(&self->lock);
	if (refused > 0)
		mc_complain(ctx, &self->full, 0,
			    "more alerts fire than AlertLimit: others are sent "
			    "only once");
	return json;
}

static int alertmanager_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct notify_alertmanager *self = ctx->self;
	const struct mc_http_reply *reply = &self->stream.reply;

	if (!mc_http_ready(self->client, &self->stream))
		return mc_http_fail(ctx, EAGAIN, reply, NULL);
	switch (send_list(self->client, &self->stream, take_all(ctx, notification))) {
	case MC_HTTP_LATER:
		return mc_http_fail(ctx, EAGAIN, reply, NULL);
	case MC_HTTP_NEVER:
		return mc_http_fail(ctx, EPROTO, reply, NULL);
	default:
		return 0;
	}
}

/* --- What stands: run() --------------------------------------------------- */

/* Cuts "host/plugin-instance/type-instance" into its parts. */
static void cut_name(char *name, struct mc_id *id)
{
	const char **parts[] = { &id->host, &id->plugin, &id->type };
	const char **instances[] = { NULL, &id->plugin_instance, &id->type_instance };

	for (unsigned i = 0; i < 3; i++) {
		char *part = strsep(&name, "/");

		if (part == NULL)
			return;
		if (instances[i] != NULL && strchr(part, '-') != NULL)
			*instances[i] = strchr(part, '-') + 1;
		*parts[i] = instances[i] != NULL ? strsep(&part, "-") : part;
	}
}

static void stand(void *argument, const char *judge, const struct mc_alert *alert)
{
	struct notify_alertmanager *self = argument;
	struct mc_notification news = {
		.severity = alert->state == MC_STATE_WARNING ? MC_WARNING : MC_FAILURE,
		.time = alert->since,
		.message = alert->reason,
	};
	char *name = mc_alloc_copy(alert->series);

	(void)judge;
	cut_name(name, &news.id);
	pthread_mutex_lock(&self->lock);
	alerts_stand(&self->alerts, &news);
	pthread_mutex_unlock(&self->lock);
	free(name);
}

/* Asks the judges, which remember their notifications over a restart. */
static void look_at_judges(struct mc_ctx *ctx)
{
	struct notify_alertmanager *self = ctx->self;

	pthread_mutex_lock(&self->lock);
	self->alerts.look++;
	pthread_mutex_unlock(&self->lock);
	mc_each_alert(ctx, stand, self);
}

/* --- What fires: run() ---------------------------------------------------- */

/* NULL: none after '*after'. */
static struct mc_json *next_list(struct notify_alertmanager *self, uint64_t *after)
{
	struct mc_json *json;

	pthread_mutex_lock(&self->lock);
	if (self->alerts.first == NULL) {
		pthread_mutex_unlock(&self->lock);
		*after = 0;
		return NULL;
	}
	json = mc_json_new(false);
	mc_json_list(json, NULL);
	alerts_write(&self->alerts, mc_wall(), ALERTS_MAX, after, json);
	pthread_mutex_unlock(&self->lock);
	return json;
}

/* A recovery that notify() has sent meanwhile may have been overtaken. */
static void send_ended(struct notify_alertmanager *self, struct mc_http_client *client,
		       struct mc_http_stream *stream)
{
	struct mc_json *json = mc_json_new(false);
	bool any;

	mc_json_list(json, NULL);
	pthread_mutex_lock(&self->lock);
	any = alerts_write_ended(&self->alerts, json);
	pthread_mutex_unlock(&self->lock);
	if (any)
		send_list(client, stream, json);
	else
		mc_json_free(json);
}

static void send_again(struct mc_ctx *ctx, struct mc_http_client *client,
		       struct mc_http_stream *stream, struct mc_once *once)
{
	enum mc_http_verdict result;
	struct mc_json *json;
	uint64_t after = 0;

	do {
		json = next_list(ctx->self, &after);
		if (json == NULL)
			return;
		result = send_list(client, stream, json);
		if (result != MC_HTTP_DONE)
			mc_complain(ctx, once, 0,
				    "alerts that fire are not sent again: '%s' "
				    "answers with status %ld%s%s",
				    stream->reply.url, stream->reply.status,
				    stream->reply.why[0] != '\0' ? ": " : "", stream->reply.why);
		send_ended(ctx->self, client, stream);
		if (result != MC_HTTP_DONE)
			return;
	} while (after != 0);
	mc_works(ctx, once, "alerts that fire are sent again");
}

static int alertmanager_run(struct mc_ctx *ctx)
{
	struct notify_alertmanager *self = ctx->self;
	struct mc_http_stream stream = { .backoff.longest = self->resend };
	struct mc_http_client *client = NULL;
	struct mc_once once = { 0 };
	mc_time due = mc_now() + self->resend;
	int rc = mc_http_client_new(ctx, &self->http, &protocol, &client);

	if (rc < 0)
		return rc;
	while (mc_wait(ctx, NULL, 0, due) == 0) {
		look_at_judges(ctx);
		send_again(ctx, client, &stream, &once);
		due = mc_now() + self->resend;
	}
	mc_http_client_free(client);
	return 0;
}

MC_PLUGIN(notify_alertmanager) = {
	MC_NAMED(notify_alertmanager),
	.help = "Sends notifications to Prometheus's Alertmanager, as alerts.",
	.self_size = sizeof(struct notify_alertmanager),
	.options = options,
	.check = alertmanager_check,
	.start = alertmanager_start,
	.writer = &(const struct mc_writer){ .notify = alertmanager_notify },
	.run = alertmanager_run,
	.renew = alertmanager_renew,
	.stop = alertmanager_stop,
};
