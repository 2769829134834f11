/* SPDX-License-Identifier: MIT */
/* notify_icinga - notifications as passive results of service checks, by the API of Icinga 2.
 *
 * The API takes one result in a request; there is one request at a time. */
#include <collector/check.h>
#include <collector/kit/http_client.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include "formats/check_result.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "absent.h"
#include "check_json.h"

#define LONGEST (60 * MC_SECOND)     /* Between two tries. */
#define LOG_EVERY (3600 * MC_SECOND) /* Of services that Icinga lacks. */

struct notify_icinga {
	struct mc_http_settings http;
	int64_t notice_rate;
	struct mc_strings match;
	bool report_stats;

	struct mc_lru absent;          /* Services: only notify(). */
	_Atomic uint64_t absent_count; /* Results that were not sent, as there was no service. */
	mc_time absent_logged;
	struct mc_http_client *client;
	struct mc_http_stream stream;
};

static const char *const reserved_headers[] = { "Accept", NULL };
static const struct mc_http_protocol protocol = { .reserved = reserved_headers };

static const struct mc_option options[] = {
	{ "URL", MC_OPT_STRINGS(struct notify_icinga, http.urls), .required = true,
	  .help = "URL of the API, without /v1; of several URLs the first "
		  "that answers is used.",
	  .sample = "https://icinga.example.org:5665" },
	MC_HTTP_USER_OPTIONS(struct notify_icinga, http),
	MC_HTTP_PLAIN_OPTIONS(struct notify_icinga, http),
	MC_NOTICE_RATE(struct notify_icinga, notice_rate),
	MC_CHECK_RESULT_MATCH(struct notify_icinga, match),
	MC_CHECK_RESULT_STATS(struct notify_icinga, report_stats),
	{ 0 },
};

static void icinga_check(struct mc_ctx *ctx)
{
	const struct notify_icinga *self = ctx->self;

	mc_http_check(ctx, &self->http, &protocol);
	mc_check_password(ctx, &self->http.password);
}

static bool icinga_wants(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	const struct notify_icinga *self = ctx->self;

	return mc_check_result_wanted(&self->match, &notification->id, ctx->host);
}

static int icinga_start(struct mc_ctx *ctx)
{
	struct notify_icinga *self = ctx->self;

	self->stream.backoff.longest = LONGEST;
	mc_select_notifications(ctx, icinga_wants);
	mc_limit_notifications(ctx, (uint64_t)self->notice_rate);
	return mc_http_client_new(ctx, &self->http, &protocol, &self->client);
}

static int icinga_renew(struct mc_ctx *ctx)
{
	struct notify_icinga *self = ctx->self;

	mc_http_client_renew(self->client);
	return 0;
}

static void icinga_stop(struct mc_ctx *ctx)
{
	struct notify_icinga *self = ctx->self;

	mc_http_client_free(self->client);
	absent_done(&self->absent);
}

/* Without it Icinga answers 400. */
static void add_headers(void *argument, const void *body, size_t size,
			struct mc_http_headers *headers)
{
	(void)argument, (void)body, (void)size;
	mc_http_header(headers, "Accept: application/json");
}

static enum mc_http_verdict send_result(struct mc_ctx *ctx,
					const struct mc_notification *notification)
{
	struct notify_icinga *self = ctx->self;
	struct mc_json *json = check_json_new(notification, ctx->host);
	struct mc_http_request request = {
		.path = "/v1/actions/process-check-result",
		.content_type = "application/json",
		.add_headers = add_headers,
	};
	enum mc_http_verdict verdict;

	request.body = mc_json_bytes(json, &request.size);
	verdict = mc_http_send(self->client, &self->stream, &request);
	mc_json_free(json);
	return verdict;
}

/* There is no such service, or no host: other results for it would be refused, too. */
static int leave_out(struct mc_ctx *ctx, const char *service, bool answered)
{
	struct notify_icinga *self = ctx->self;

	if (answered) {
		absent_add(&self->absent, service, mc_now());
		if (mc_once_in(&self->absent_logged, mc_now(), LOG_EVERY))
			mc_log(ctx, MC_WARN,
			       "Icinga has no service '%s': such results are left out", service);
	}
	self->absent_count++;
	return 0;
}

static int send_known(struct mc_ctx *ctx, const struct mc_notification *notification,
		      const char *service)
{
	struct notify_icinga *self = ctx->self;
	const struct mc_http_reply *reply = &self->stream.reply;

	if (!mc_http_ready(self->client, &self->stream))
		return mc_http_fail(ctx, EAGAIN, reply, NULL);
	switch (send_result(ctx, notification)) {
	case MC_HTTP_LATER:
		return mc_http_fail(ctx, EAGAIN, reply, NULL);
	case MC_HTTP_NEVER:
		if (reply->status == 404)
			return leave_out(ctx, service, true);
		return mc_http_fail(ctx, EPROTO, reply, NULL);
	default:
		return 0;
	}
}

static int icinga_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct notify_icinga *self = ctx->self;
	char *service = check_json_service(notification, ctx->host);
	int rc = absent_has(&self->absent, service, mc_now())
			 ? leave_out(ctx, service, false)
			 : send_known(ctx, notification, service);

	free(service);
	return rc;
}

static int icinga_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct notify_icinga *self = ctx->self;

	if (self->report_stats)
		mc_put_derive(out, (int64_t)self->absent_count, .type = "derive",
			      .type_instance = "absent_services");
	return 0;
}

MC_PLUGIN(notify_icinga) = {
	MC_NAMED(notify_icinga),
	.help = "Sends notifications to the API of Icinga 2.",
	.self_size = sizeof(struct notify_icinga),
	.options = options,
	.check = icinga_check,
	.types = (const char *const[]){ "derive", NULL },
	.start = icinga_start,
	.read = icinga_read,
	.writer = &(const struct mc_writer){ .notify = icinga_notify },
	.renew = icinga_renew,
	.stop = icinga_stop,
};
