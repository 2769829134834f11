/* SPDX-License-Identifier: MIT */
#include "node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/once.h>

#include "formats/prometheus/refusal.h"

#include "kit/series/alert_json.h"

#define LONGEST (60 * MC_SECOND) /* Between two tries. */
#define AGAIN (3600 * MC_SECOND) /* Until a refusal is logged again. */
#define TIMEOUT (30 * MC_SECOND) /* Without the option. */

struct slot { /* Of a series: what each node keeps. */
	size_t len;
	struct texts *of[];
};

/* --- Life ------------------------------------------------------------------- */

/* A receiver that does not exist yet, or is misspelled: somebody has to do something. */
static enum mc_http_verdict verdict(long status)
{
	if (status >= 200 && status < 300)
		return MC_HTTP_DONE;
	return status == 400 || status == 413 || status == 422 ? MC_HTTP_NEVER : MC_HTTP_LATER;
}

static const struct mc_http_protocol protocol = { .whole_urls = true, .verdict = verdict };

static void add_word(struct node *node, char *text)
{
	node->words[node->http.header_words.len++] = text;
}

/* collectd has a header as one text, the client as two. */
static void add_header(struct node *node, const char *header)
{
	size_t name = strcspn(header, ":");
	const char *value = header + name;

	if (*value == ':')
		value++;
	value += strspn(value, " \t");
	add_word(node, mc_alloc_printf("%.*s", (int)name, header));
	add_word(node, mc_alloc_printf("%s", value));
}

static void set_headers(struct node *node)
{
	const struct mc_strings *headers = &node->options->headers;

	node->words = mc_alloc_zero(2 * (headers->len + 1) * sizeof(*node->words));
	for (size_t i = 0; i < headers->len; i++)
		add_header(node, headers->items[i]);
	if (node->options->token != NULL) {
		add_word(node, mc_alloc_printf("Authorization"));
		add_word(node, mc_alloc_printf("Token %s", node->options->token));
	}
	node->http.header_words.items = (const char *const *)node->words;
}

int node_init(struct node *node, struct mc_ctx *ctx, const struct node_options *options,
	      size_t refused_max)
{
	node->ctx = ctx;
	node->options = options;
	node->values.backoff.longest = node->notices.backoff.longest = LONGEST;
	node->http = options->http;
	if (node->http.urls.len == 0) /* Of an older <URL "http://..."> block. */
		node->http.urls = (struct mc_strings){ &options->name, 1 };
	node->http.timeout =
		options->timeout_ms > 0 ? options->timeout_ms * MC_MILLISECOND : TIMEOUT;
	node->http.any_certificate = !options->verify_peer;
	node->http.any_host = !options->verify_host;
	set_headers(node);
	mc_quarantine_init(&node->quarantine, ctx->name, ".request", refused_max);
	return mc_http_client_new(ctx, &node->http, &protocol, &node->client);
}

void node_done(struct node *node)
{
	if (node->ctx == NULL)
		return;
	mc_http_client_free(node->client);
	for (size_t i = 0; i < node->http.header_words.len; i++)
		free(node->words[i]);
	free(node->words);
	free(node->samples);
	mc_bisection_done(&node->bisection);
	mc_buffer_free(&node->body);
	mc_quarantine_done(&node->quarantine);
}

void node_renew(struct node *node)
{
	mc_http_client_renew(node->client);
}

void node_forget(void *slot)
{
	struct slot *kept = slot;

	for (size_t i = 0; i < kept->len; i++)
		free(kept->of[i]);
	free(kept);
}

/* --- Samples ------------------------------------------------------------------ */

void node_begin(struct node *node, const struct mc_batch *batch)
{
	node->samples_len = 0;
	MC_FOR_EACH_SAMPLE (sample, batch) {
		MC_ARRAY_GROW(node->samples, node->samples_len, node->samples_room);
		node->samples[node->samples_len++] = sample;
	}
	mc_bisection_clear(&node->bisection);
	mc_bisection_push(&node->bisection,
			  &(struct mc_bisection_range){ .len = node->samples_len });
}

static struct texts **kept_of(const struct node *node, const struct mc_sample *sample)
{
	void **slot = mc_slot(node->ctx, sample->series);
	struct slot *kept = *slot;

	if (kept == NULL) {
		*slot = kept = mc_alloc_zero(sizeof(*kept) + node->len * sizeof(kept->of[0]));
		kept->len = node->len;
	}
	return &kept->of[node->number];
}

static void add_sample(struct node *node, const struct mc_sample *sample, bool keeps)
{
	struct texts *made = NULL;

	texts_add(&node->body, &node->options->texts, sample,
		  keeps ? kept_of(node, sample) : &made);
	free(made);
}

/* Makes the body of the first samples of a range, as many as fit, and one at least.  Returns how
 * many. */
static size_t make_body(struct node *node, const struct mc_bisection_range *range, bool keeps)
{
	size_t len = 0;

	mc_buffer_clear(&node->body);
	while (len < range->len) {
		size_t before = node->body.size;

		add_sample(node, node->samples[range->from + len], keeps);
		if (len > 0 && node->body.size > (size_t)node->options->size_max) {
			node->body.size = before;
			break;
		}
		len++;
	}
	if (node->body.size > 0)
		texts_end(&node->body, &node->options->texts);
	return len;
}

/* --- Requests ------------------------------------------------------------------- */

static const char *keep(struct node *node)
{
	int rc = mc_quarantine_keep(&node->quarantine, mc_wall(), "write", node->body.at,
				    node->body.size);

	if (rc == 0)
		return ", kept in BaseDir, see RefusedRequests";
	return rc == -ENOENT ? "" : ", it cannot be kept";
}

/* The body has the samples of the range alone, and is refused. */
static void refuse(struct node *node, const struct mc_bisection_range *range)
{
	const struct mc_http_reply *reply = &node->values.reply;
	const struct mc_sample *sample = node->samples[range->from];
	const char *kept = keep(node);
	char text[MC_HTTP_WHY_SIZE];

	node->counts.refused += range->len;
	refusal_text(reply->body != NULL ? reply->body : "", text, sizeof(text));
	if (mc_once_in(&node->refusal_logged, mc_now(), AGAIN))
		mc_log(node->ctx, MC_WARN,
		       "'%s' refuses samples with status %ld, as of '%.160s': %s%s", reply->url,
		       reply->status, mc_name(sample->series), text, kept);
	if (node->len == 1)
		mc_drop(node->ctx, range->len, 0, "'%s' refuses samples", reply->url);
}

/* Of a range that is refused: its halves, or the end of it. */
static void divide(struct node *node, bool keeps)
{
	struct mc_bisection_range range = mc_bisection_pop(&node->bisection);

	if (range.len > 1 && mc_bisection_halve(&node->bisection, &range))
		return;
	make_body(node, &range, keeps);
	refuse(node, &range);
}

static enum mc_http_verdict send_body(struct node *node, struct mc_http_stream *stream)
{
	const struct mc_http_request request = {
		.content_type = texts_content_type(&node->options->texts),
		.body = node->body.at,
		.size = node->body.size,
	};

	node->counts.requests++;
	node->counts.bytes += request.size;
	return mc_http_send(node->client, stream, &request);
}

/* Sends the first samples of the range on top; false: it stays. */
static bool send_range(struct node *node, bool keeps)
{
	struct mc_bisection_range range = mc_bisection_pop(&node->bisection), rest = range;
	enum mc_http_verdict answer;

	range.len = make_body(node, &range, keeps);
	rest.from += range.len;
	rest.len -= range.len;
	rest.first = false;
	if (rest.len > 0)
		range.first = range.second = false;
	mc_bisection_push(&node->bisection, &rest);
	answer = node->body.size > 0 ? send_body(node, &node->values) : MC_HTTP_DONE;
	if (answer == MC_HTTP_DONE) {
		node->counts.sent += range.len;
		mc_bisection_taken(&node->bisection, &range);
	} else if (answer == MC_HTTP_NEVER) {
		mc_bisection_refused(&node->bisection, &range, 0);
	} else {
		mc_bisection_push(&node->bisection, &range);
		mc_bisection_wait(&node->bisection);
	}
	return answer != MC_HTTP_LATER;
}

bool node_go_on(struct node *node, bool keeps)
{
	const struct mc_bisection_range *next = mc_bisection_next(&node->bisection);

	if (next != NULL && !mc_http_ready(node->client, &node->values))
		return false;
	for (; next != NULL; next = mc_bisection_next(&node->bisection)) {
		if (next->refused)
			divide(node, keeps);
		else if (!send_range(node, keeps))
			return false;
	}
	return true;
}

bool node_notify(struct node *node, const struct mc_notification *notification)
{
	struct mc_buffer body = node->body;
	bool done;

	if (!mc_http_ready(node->client, &node->notices))
		return false;
	node->body = (struct mc_buffer){ 0 };
	mc_alert_json(&node->body, notification, mc_wall());
	done = send_body(node, &node->notices) == MC_HTTP_DONE;
	mc_buffer_free(&node->body);
	node->body = body;
	return done;
}

int node_fail(struct node *node, const struct mc_http_stream *stream, int errnum)
{
	const struct mc_http_reply *reply = &stream->reply;
	char text[MC_HTTP_WHY_SIZE];

	refusal_text(reply->body != NULL ? reply->body : "", text, sizeof(text));
	return mc_http_fail(node->ctx, errnum, reply, text);
}
