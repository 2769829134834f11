/* SPDX-License-Identifier: MIT */
/* Ranges of samples are halved where they are refused (kit/base/bisection.h), or refused as a whole
 * if the receiver says how many it has written of the others. */
#include "delivery.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <snappy-c.h>

#include <collector/kit/alloc.h>
#include <collector/kit/once.h>
#include <collector/writer.h>

#include "formats/prometheus/refusal.h"

#define LONGEST (60 * MC_SECOND) /* Between two tries. */
#define AGAIN (3600 * MC_SECOND) /* Until a refusal of the same kind is logged again. */
#define FEW 64        /* Refused samples that are looked for though their number is known. */
#define NAME_SIZE 160 /* Of a series in the log. */
#define DESCRIBE (60 * MC_SECOND) /* Between two descriptions of a metric, as Prometheus does. */

void delivery_init(struct delivery *delivery, struct mc_ctx *ctx,
		   const struct delivery_options *options, struct mc_http_client *client,
		   struct symbols *symbols)
{
	*delivery = (struct delivery){
		.ctx = ctx,
		.options = options,
		.client = client,
		.symbols = symbols,
		.stream.backoff.longest = LONGEST,
		.version = options->protocol == DELIVERY_1 ? REMOTE_WRITE_1 : REMOTE_WRITE_2,
		.start = mc_wall(),
	};
	delivery->parts = mc_alloc_zero((size_t)options->connections * sizeof(*delivery->parts));
	delivery->exchanges =
		mc_alloc_zero((size_t)options->connections * sizeof(*delivery->exchanges));
	mc_quarantine_init(&delivery->quarantine, ctx->name, ".snappy",
			   (size_t)options->refused_max);
}

void delivery_done(struct delivery *delivery)
{
	if (delivery->ctx == NULL)
		return;
	for (int64_t i = 0; i < delivery->options->connections; i++) {
		remote_write_buffer_free(&delivery->parts[i].buffer);
		free(delivery->parts[i].packed);
	}
	free(delivery->parts);
	free(delivery->exchanges);
	mc_bisection_done(&delivery->bisection);
	mc_quarantine_done(&delivery->quarantine);
}

/* --- Ranges ------------------------------------------------------------------ */

/* How many samples before 'end' make a request, none of them before 'begin', without a series of
 * which others are before. */
static size_t size_of_part(const struct delivery *delivery, size_t begin, size_t end)
{
	const struct remote_write_sample *samples = delivery->samples;
	size_t max = (size_t)delivery->options->samples_max;
	size_t from = end - begin > max ? end - max : begin;

	while (from > begin && from < end && samples[from].series == samples[from - 1].series)
		from++;
	if (from == end) /* One series has more: it is one request. */
		for (from = end - 1;
		     from > begin && samples[from].series == samples[from - 1].series;)
			from--;
	return end - from;
}

/* Where the samples of a tenant begin that are the last before 'end': at 'begin', if tenants make
 * no difference. */
static size_t begin_of_tenant(const struct delivery *delivery, size_t begin, size_t end)
{
	const struct remote_write_sample *samples = delivery->samples;

	if (samples[end - 1].series->tenant == NULL)
		return begin;
	for (end--; end > begin && samples[end].series->tenant == samples[end - 1].series->tenant;)
		end--;
	return end;
}

static void push_parts(struct delivery *delivery, size_t begin, size_t end, bool suspect)
{
	size_t of_tenant = end;

	while (end > begin) {
		size_t size;

		if (of_tenant == end)
			of_tenant = begin_of_tenant(delivery, begin, end);
		size = size_of_part(delivery, of_tenant, end);
		mc_bisection_push(&delivery->bisection,
				  &(struct mc_bisection_range){
					  .from = end - size, .len = size, .suspect = suspect });
		end -= size;
	}
}

void delivery_begin(struct delivery *delivery, const struct remote_write_sample *samples,
		    size_t len)
{
	size_t end = len;

	while (end > 0 && samples[end - 1].series->refused)
		end--;
	if (mc_once_in(&delivery->described, mc_now(), DESCRIBE))
		delivery->symbols->turn++;
	delivery->samples = samples;
	delivery->old = INT64_MIN;
	mc_bisection_clear(&delivery->bisection);
	push_parts(delivery, end, len, true);
	push_parts(delivery, 0, end, false);
}

/* --- Requests ------------------------------------------------------------------ */

static void add_headers(void *argument, const void *body, size_t size,
			struct mc_http_headers *headers)
{
	const struct delivery *delivery = argument;

	(void)body, (void)size;
	mc_http_header(headers, "Content-Encoding: snappy");
	mc_http_header(headers, "X-Prometheus-Remote-Write-Version: %s",
		       delivery->version == REMOTE_WRITE_1 ? "0.1.0" : "2.0.0");
}

static size_t pack(struct delivery_part *part, struct remote_write_bytes bytes)
{
	size_t size = snappy_max_compressed_length(bytes.size);

	if (part->packed_room < size) {
		free(part->packed);
		part->packed = mc_alloc(size);
		part->packed_room = size;
	}
	snappy_compress((const char *)bytes.at, bytes.size, part->packed, &size);
	return size;
}

static void make_request(struct delivery *delivery, size_t number)
{
	struct delivery_part *part = &delivery->parts[number];
	const struct mc_bisection_range *range = &part->range;
	const struct symbol *tenant = delivery->samples[range->from].series->tenant;
	struct remote_write_bytes bytes =
		remote_write_encode(&part->buffer, delivery->symbols, delivery->version,
				    delivery->samples + range->from, range->len);

	delivery->exchanges[number].request = (struct mc_http_request){
		.content_type = delivery->version == REMOTE_WRITE_1
					? "application/x-protobuf"
					: "application/x-protobuf;proto=io.prometheus.write.v2."
					  "Request",
		.body = part->packed,
		.size = pack(part, bytes),
		.add_headers = add_headers,
		.argument = delivery,
		.tenant = tenant != NULL ? tenant->text : NULL,
	};
	delivery->exchanges[number].request.body = part->packed;
}

static struct answer_reply reply_of(const struct mc_http_reply *reply)
{
	return (struct answer_reply){ reply->status, reply->body != NULL ? reply->body : "",
				      reply->header };
}

/* --- Refused samples ------------------------------------------------------------ */

/* Whether an earlier request with it may have been stored, so that this one is refused. */
static bool may_be_there(const struct delivery *delivery, const struct mc_bisection_range *range)
{
	const struct remote_write_sample *sample = &delivery->samples[range->from];

	return range->doubtful || sample->time < delivery->start / MC_MILLISECOND;
}

static const char *keep(struct delivery *delivery, const struct mc_bisection_range *range)
{
	struct delivery_part *part = &delivery->parts[0];
	const struct mc_http_request *request = &delivery->exchanges[0].request;
	int rc;

	part->range = *range;
	make_request(delivery, 0);
	rc = mc_quarantine_keep(&delivery->quarantine, mc_wall(), "write", request->body,
				request->size);
	if (rc == 0)
		return ", kept in BaseDir, see RefusedRequests";
	return rc == -ENOENT ? "" : ", it cannot be kept";
}

/* How many samples of the collector are in a range: the first value of each stands for it. */
static uint64_t count(const struct delivery *delivery, const struct mc_bisection_range *range)
{
	const struct remote_write_sample *sample = &delivery->samples[range->from];
	uint64_t len = 0;

	for (size_t i = 0; i < range->len; i++)
		len += sample[i].series->counts && sample[i].bits != REMOTE_WRITE_STALE;
	return len;
}

/* Has the series of a range in requests of their own from now on, or no more. */
static void mark(const struct delivery *delivery, const struct mc_bisection_range *range,
		 bool refused)
{
	for (size_t i = 0; i < range->len; i++)
		delivery->samples[range->from + i].series->refused = refused;
}

/* Counts that many samples of a range, nearly always the only one, as refused for good, and keeps
 * it. */
static void quarantine(struct delivery *delivery, const struct mc_bisection_range *range,
		       uint64_t refused)
{
	uint64_t ours = count(delivery, range);
	const struct mc_http_reply *reply = &delivery->stream.reply;
	const char *kept = keep(delivery, range);
	char name[NAME_SIZE], text[MC_HTTP_WHY_SIZE];

	if (mc_once_in(&delivery->refusal_logged, mc_now(), AGAIN) ||
	    range->why != delivery->refusal_why || delivery->refusal[0] == '\0') {
		remote_write_series_print(delivery->samples[range->from].series, name,
					  sizeof(name));
		refusal_text(reply->body != NULL ? reply->body : "", text, sizeof(text));
		snprintf(delivery->refusal, sizeof(delivery->refusal), "%.130s: %.110s", name,
			 text);
		delivery->refusal_why = range->why;
	}
	delivery->counts.refused += refused;
	mc_drop(delivery->ctx, refused < ours ? refused : ours, 0,
		"'%s' refuses samples with status %ld, as of %s%s", reply->url, reply->status,
		delivery->refusal, kept);
}

/* A sample was refused alone. */
static void settle_one(struct delivery *delivery, const struct mc_bisection_range *range)
{
	int64_t time = delivery->samples[range->from].time;

	if (range->why == REFUSAL_OLD && time > delivery->old)
		delivery->old = time;
	if (range->why == REFUSAL_THERE && may_be_there(delivery, range))
		return;
	mark(delivery, range, range->why != REFUSAL_OLD);
	quarantine(delivery, range, 1);
}

/* Refuses samples of the range that are not younger than one that was too old: a receiver has one
 * limit for all.  Those that stay are at its end. */
static void refuse_old(struct delivery *delivery, struct mc_bisection_range *range)
{
	while (range->len > 0 && delivery->samples[range->from].time <= delivery->old) {
		struct mc_bisection_range first = { .from = range->from,
						    .len = 1,
						    .why = REFUSAL_OLD };

		while (first.len < range->len &&
		       delivery->samples[range->from + first.len].time <= delivery->old)
			first.len++;
		quarantine(delivery, &first, first.len);
		range->from += first.len;
		range->len -= first.len;
	}
}

/* --- Answers ----------------------------------------------------------------------- */

/* Counts the samples that the receiver has not written, though it has taken the request. */
static void compare_written(struct delivery *delivery, const struct mc_bisection_range *range,
			    const struct mc_http_reply *reply)
{
	uint64_t written;

	if (delivery->version == REMOTE_WRITE_1 || range->doubtful ||
	    !answer_written(reply->header, &written) || written >= range->len)
		return;
	mc_drop(delivery->ctx, range->len - written, 0,
		"'%s' takes requests but does not write all of their samples", reply->url);
}

/* Refuses samples of which an answer to version 2.0 says the number, if that is not small: the
 * others are written.  False if they are to be looked for. */
static bool refuse_counted(struct delivery *delivery, const struct mc_bisection_range *range,
			   const struct mc_http_reply *reply)
{
	uint64_t written;

	if (delivery->version == REMOTE_WRITE_1 || may_be_there(delivery, range) ||
	    !answer_written(reply->header, &written) || written == 0 || written + FEW >= range->len)
		return false;
	quarantine(delivery, range, range->len - written);
	return true;
}

static void fall_back(struct delivery *delivery, const struct mc_http_reply *reply)
{
	if (delivery->version == REMOTE_WRITE_2)
		mc_log(delivery->ctx, MC_NOTE, "'%s' takes remote write 1.0, not 2.0", reply->url);
	delivery->version = REMOTE_WRITE_1;
}

/* False if it is to wait. */
static bool settle(struct delivery *delivery, const struct mc_bisection_range *sent,
		   const struct mc_http_reply *reply, enum answer answer)
{
	struct mc_bisection_range range = *sent;

	delivery->stream.reply = *reply;
	switch (answer) {
	case ANSWER_TAKEN:
		compare_written(delivery, sent, reply);
		delivery->counts.sent += sent->len;
		if (sent->suspect)
			mark(delivery, sent, false);
		mc_bisection_taken(&delivery->bisection, sent);
		return true;
	case ANSWER_REFUSED:
		range.why = refusal_why(reply->body != NULL ? reply->body : "");
		if (!refuse_counted(delivery, &range, reply))
			mc_bisection_refused(&delivery->bisection, sent, range.why);
		return true;
	case ANSWER_OLDER:
		mc_bisection_push(&delivery->bisection, &range);
		if (delivery->options->protocol == DELIVERY_2)
			return false;
		fall_back(delivery, reply);
		return true;
	case ANSWER_LATER:
		break;
	}
	range.doubtful |= refusal_may_be_stored(reply->status);
	mc_bisection_push(&delivery->bisection, &range);
	return false;
}

static int wait(struct delivery *delivery)
{
	const struct mc_http_reply *reply = &delivery->stream.reply;
	char text[MC_HTTP_WHY_SIZE];

	mc_bisection_wait(&delivery->bisection);
	if (mc_now() >= delivery->stream.backoff.until)
		mc_backoff_failed(&delivery->stream.backoff, mc_now(), reply->retry_after);
	refusal_text(reply->body != NULL ? reply->body : "", text, sizeof(text));
	return mc_http_fail(delivery->ctx, EAGAIN, reply, text);
}

/* --- Sending ------------------------------------------------------------------------ */

/* Takes ranges that are to be sent at once: those of other series, none of which is refused. */
static size_t take_ranges(struct delivery *delivery)
{
	size_t len = 0, max = (size_t)delivery->options->connections;
	const struct mc_bisection_range *range;

	while ((range = mc_bisection_next(&delivery->bisection)) != NULL && len < max) {
		bool half = range->first || range->second;

		if (range->refused || (half && len > 0))
			break;
		delivery->parts[len++].range = mc_bisection_pop(&delivery->bisection);
		if (half)
			break;
	}
	return len;
}

/* Sends ranges; false if some are to wait. */
static bool send_ranges(struct delivery *delivery, size_t len)
{
	struct mc_bisection_range *sent = mc_alloc_array(len, sizeof(*sent));
	enum remote_write_version version = delivery->version;
	bool goes_on = true;

	for (size_t i = 0; i < len; i++) {
		sent[i] = delivery->parts[i].range;
		make_request(delivery, i);
		delivery->counts.bytes += delivery->exchanges[i].request.size;
	}
	delivery->counts.requests += len;
	mc_http_send_all(delivery->client, &delivery->stream, delivery->exchanges, len);
	for (size_t i = len; i-- > 0;) {
		const struct mc_http_reply *reply = &delivery->exchanges[i].reply;
		struct answer_reply read = reply_of(reply);

		goes_on &= settle(delivery, &sent[i], reply, answer_read(version, &read));
	}
	free(sent);
	return goes_on;
}

/* It would take too long to find out which samples of the range are bad. */
static void refuse_all(struct delivery *delivery, const struct mc_bisection_range *range)
{
	if (range->why != REFUSAL_THERE || !may_be_there(delivery, range))
		quarantine(delivery, range, range->len);
}

/* The range on top is refused. */
static void divide(struct delivery *delivery)
{
	struct mc_bisection_range range = mc_bisection_pop(&delivery->bisection);

	refuse_old(delivery, &range);
	if (range.len == 1)
		settle_one(delivery, &range);
	else if (range.len > 0 && !mc_bisection_halve(&delivery->bisection, &range))
		refuse_all(delivery, &range);
}

int delivery_go_on(struct delivery *delivery)
{
	const struct mc_bisection_range *next;

	if (!mc_http_ready(delivery->client, &delivery->stream))
		return wait(delivery);
	while ((next = mc_bisection_next(&delivery->bisection)) != NULL) {
		if (next->refused)
			divide(delivery);
		else if (!send_ranges(delivery, take_ranges(delivery)))
			return wait(delivery);
	}
	return 0;
}
