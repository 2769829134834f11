/* SPDX-License-Identifier: MIT */
#include "target.h"

#include <inttypes.h>
#include <stdbool.h>

#include "formats/prometheus/refusal.h"

#define LOGS "/v1/logs"
#define LONGEST (60 * MC_SECOND) /* Between two tries. */

static const char *const reserved_headers[] = {
	"Collector-Gap", "X-Body-CRC32C", "X-Sender", "X-Seq", "X-Stream", NULL,
};

const struct mc_http_protocol target_protocol = { .reserved = reserved_headers };

int target_start(struct mc_ctx *ctx, struct target *target)
{
	target->values.path = TARGET_METRICS;
	target->notifications.path = LOGS;
	target->values.http.backoff.longest = target->notifications.http.backoff.longest = LONGEST;
	if (ctx->interval < LONGEST)
		target->notifications.http.backoff.longest = ctx->interval;
	return mc_http_client_new(ctx, &target->http, &target_protocol, &target->client);
}

/* --- Requests --------------------------------------------------------------- */

struct request {
	const char *sender;
	const struct number *number;
};

/* Whether the name of this host can be in a header as it is. */
static bool is_plain(const char *name)
{
	for (; *name > ' ' && *name <= '~'; name++)
		;
	return *name == '\0';
}

static void add_headers(void *argument, const void *body, size_t size,
			struct mc_http_headers *headers)
{
	const struct request *request = argument;
	const struct number *number = request->number;

	if (is_plain(request->sender))
		mc_http_header(headers, "X-Sender: %.127s", request->sender);
	mc_http_header(headers, "X-Body-CRC32C: %08" PRIx32, mc_otlp_crc(body, size));
	if (number->gap > 0)
		mc_http_header(headers, "Collector-Gap: %" PRIu64, number->gap);
	if (number->last == 0)
		return;
	mc_http_header(headers, "X-Stream: %s", number->stream);
	if (number->first == number->last)
		mc_http_header(headers, "X-Seq: %" PRIu64, number->last);
	else
		mc_http_header(headers, "X-Seq: %" PRIu64 "-%" PRIu64, number->first, number->last);
}

enum mc_http_verdict target_send(struct mc_ctx *ctx, struct target *target, struct stream *stream,
				 const struct mc_otlp_bytes *bytes, const struct number *number)
{
	struct request ours = { .sender = ctx->host, .number = number };
	const struct mc_http_request request = {
		.path = stream->path,
		.content_type = "application/x-protobuf",
		.body = bytes->at,
		.size = bytes->size,
		.add_headers = add_headers,
		.argument = &ours,
		.tenant = stream->tenant,
		.similar = stream == &target->values,
	};
	enum mc_http_verdict verdict = mc_http_send(target->client, &stream->http, &request);
	const struct mc_http_reply *reply = &stream->http.reply;

	stream->rejected = 0;
	stream->why[0] = '\0';
	if (reply->status != 0)
		mc_otlp_reply_read(reply->body, reply->size, reply->status == 200,
				   &stream->rejected, stream->why);
	if (stream->why[0] == '\0' && verdict != MC_HTTP_DONE && reply->body != NULL)
		refusal_text(reply->body, stream->why, sizeof(stream->why)); /* Plain text. */
	return verdict;
}

int target_fail(struct mc_ctx *ctx, const struct stream *stream, int errnum)
{
	return mc_http_fail(ctx, errnum, &stream->http.reply, stream->why);
}

void target_report(struct mc_ctx *ctx, struct target *first, const struct target *taker)
{
	const struct mc_http_reply *reply = &first->values.http.reply;

	if (taker == first)
		mc_works(ctx, &first->trouble, "'%s' gets the values of its hosts again",
			 mc_http_client_url(first->client));
	else if (reply->status == 0)
		mc_complain(ctx, &first->trouble, 0, "others get the values of '%s': %s",
			    mc_http_client_url(first->client), reply->why);
	else
		mc_complain(ctx, &first->trouble, 0, "others get the values of '%s': status %ld",
			    mc_http_client_url(first->client), reply->status);
}
