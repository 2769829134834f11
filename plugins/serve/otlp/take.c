/* SPDX-License-Identifier: MIT */
/* Facts: the OTLP specification, "OTLP/HTTP"; RFC 9110 for what a status means.
 */
#include "take.h"

#include <errno.h>
#include <stdlib.h>

#define SAFE_MAX (10 * MC_SECOND) /* For the journal to be on disk. */

struct content { /* Of a body, inflated. */
	const unsigned char *at;
	size_t size;
	const char *peer; /* Address of the sender. */
};

static unsigned take_metrics(struct server *server,
			     const struct content *content,
			     const struct mc_receipt *receipt,
			     struct mc_otlp_result *result)
{
	struct mc_stamp stamp = { mc_wall(), server->interval };
	struct mc_batch *batch = mc_begin(server->ctx);

	if (!mc_otlp_put(batch, stamp, content->peer, content->at,
			 content->size, result)) {
		mc_discard(batch);
		return 400;
	}
	if (receipt != NULL)
		mc_sign(batch, receipt);
	switch (mc_commit_safely(batch, SAFE_MAX)) {
	case 0:
	case -ENOTSUP: /* No journal is kept: its own affair of this site. */
		return 200;
	default: /* What comes again is not newer, and so counts once. */
		result->why = "cannot be kept safely now";
		return 503;
	}
}

static unsigned take_logs(struct server *server, const struct content *content,
			  struct mc_otlp_result *result)
{
	struct mc_otlp *otlp = malloc(sizeof(*otlp));
	enum mc_otlp_item item;

	*result = (struct mc_otlp_result){ .why = "no memory" };
	if (otlp == NULL)
		return 503;
	result->why = NULL;
	mc_otlp_open(otlp, content->at, content->size, true, content->peer);
	while ((item = mc_otlp_next(otlp)) != MC_OTLP_END) {
		if (item == MC_OTLP_NOTICE) {
			mc_notify(server->ctx, &otlp->notice);
			continue;
		}
		result->why = otlp->why;
		if (item == MC_OTLP_FAULT)
			break;
		result->rejected += otlp->rejected;
	}
	free(otlp);
	return item == MC_OTLP_FAULT ? 400 : 200;
}

static unsigned take_content(struct server *server, const struct take *take,
			     const struct mc_receipt *receipt,
			     struct mc_otlp_result *result)
{
	static const unsigned statuses[] = {
		[INFLATE_OKAY] = 200,
		[INFLATE_BROKEN] = 400,
		[INFLATE_TOO_BIG] = 413,
		[INFLATE_NO_MEMORY] = 503,
	};
	struct content content = { take->body, take->size,
				   take->peer->address };
	unsigned char *inflated = NULL;
	unsigned status = 200;

	if (take->form != INFLATE_NONE) {
		status = statuses[inflate_body(take->form, take->body,
					       take->size, server->inflated_max,
					       &inflated, &content.size)];
		content.at = inflated;
		result->why = "not in the form it says, or too large";
	}
	if (status == 200)
		status = take->logs ? take_logs(server, &content, result)
				    : take_metrics(server, &content, receipt,
						   result);
	free(inflated);
	return status;
}

/* --- Once ---------------------------------------------------------------- */

/* Who sent it is there, and what else is known of it by this request. */
static void hear(struct server *server, const struct take *take,
		 const struct mc_otlp_result *result, struct stream_gap gap)
{
	struct sender_news news = { .newest = result->newest,
				    .interval = result->interval,
				    .gap = gap };
	const char *count = take->gap;

	news.stated = count != NULL && stream_number(&count, &news.dropped);
	sender_heard(&server->senders, take->sender, &news);
}

/* Takes what may have come before. */
static unsigned take_numbered(struct server *server, const struct take *take,
			      struct mc_otlp_result *result)
{
	struct mc_receipt receipt;
	struct stream_gap gap;
	uint64_t first;
	unsigned status;

	if (!stream_parse(take->stream, take->numbers, &receipt, &first)) {
		result->why = "X-Stream or X-Seq is wrong";
		return 400;
	}
	switch (stream_begin(&server->streams, &receipt)) {
	case STREAM_DUPLICATE:
		sender_heard(&server->senders, take->sender,
			     &(struct sender_news){ 0 });
		return 200;
	case STREAM_BUSY:
		result->why = "that number is being taken";
		return 503;
	case STREAM_TAKE:
		break;
	}
	status = take_content(server, take, &receipt, result);
	gap = stream_end(&server->streams, &receipt, first, status == 200);
	if (status == 200)
		hear(server, take, result, gap);
	return status;
}

unsigned take_request(struct server *server, const struct take *take,
		      struct mc_otlp_result *result)
{
	unsigned status;

	*result = (struct mc_otlp_result){ 0 };
	if (take->stream != NULL && take->numbers != NULL)
		return take_numbered(server, take, result);
	status = take_content(server, take, NULL, result);
	if (status == 200)
		hear(server, take, result, (struct stream_gap){ 0 });
	return status;
}
