/* SPDX-License-Identifier: MIT */
/* A read begins when it is due, and ends with values or a line in the log.  Facts:
 * curl_easy_setopt(3). */
#include "kit/net/scrape/scrape_page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <collector/serve.h>

#include "kit/net/http_client/http_connection.h"

#define HEAD_MAX ((size_t)256 * 1024) /* Bytes of all headers of an answer. */
#define BODY_KEPT 65536               /* Bytes of memory that are kept between reads. */

static const struct mc_http_protocol protocol = {
	.whole_urls = true, .redirects_max = 50, /* As collectd. */
};

/* --- What libcurl calls --------------------------------------------------- */

static size_t take_body(char *bytes, size_t one, size_t size, void *argument)
{
	struct scrape_page *page = argument;
	size_t most = (size_t)page->target->settings->size_max;

	(void)one;
	page->too_large = size > most - page->body.size;
	if (page->too_large)
		return CURL_WRITEFUNC_ERROR;
	mc_buffer_add(&page->body, bytes, size);
	return size;
}

/* libcurl limits one header, not their number. */
static size_t take_head(char *bytes, size_t one, size_t size, void *argument)
{
	struct scrape_page *page = argument;

	(void)bytes, (void)one;
	page->head_size += size;
	page->too_large = page->head_size > HEAD_MAX;
	return page->too_large ? CURL_WRITEFUNC_ERROR : size;
}

/* --- The end of a read ---------------------------------------------------- */

static const char *say_too_large(struct scrape_page *page)
{
	if (page->head_size > HEAD_MAX)
		return "its headers have more than 256 KiB";
	snprintf(page->why, sizeof(page->why), "it has more than the %lld bytes that are allowed",
		 (long long)page->target->settings->size_max);
	return page->why;
}

static void put_values(struct scrape_page *page)
{
	struct mc_ctx *ctx = page->transfers->loop->ctx;
	CURL *curl = page->transfer.curl;
	struct mc_batch *batch = mc_begin(ctx);
	struct mc_scrape_reply reply = {
		.took = mc_now() - page->began,
		.stamp = { .time = mc_wall(), .interval = page->every.period },
		.transfer = curl,
	};
	curl_off_t microseconds;

	reply.duration = reply.took;
	mc_buffer_add(&page->body, NULL, 0);
	reply.body = page->body.at;
	reply.size = page->body.size;
	if (curl != NULL) {
		curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &reply.status);
		if (curl_easy_getinfo(curl, CURLINFO_TOTAL_TIME_T, &microseconds) == CURLE_OK)
			reply.duration = microseconds * 1000;
	}
	page->why[0] = '\0';
	if (page->target->take(page->target->argument, &reply, batch, page->why))
		mc_works(ctx, &page->once, "'%s' can be read again", page->shown);
	else
		mc_complain(ctx, &page->once, 0, "'%s' %s", page->shown, page->why);
	mc_commit(batch);
}

static void put_failure(struct scrape_page *page)
{
	const struct mc_scrape_target *target = page->target;
	const struct mc_scrape_reply reply = {
		.body = "",
		.took = mc_now() - page->began,
		.stamp = { .time = mc_wall(), .interval = page->every.period },
	};
	struct mc_batch *batch;

	if (target->fail == NULL)
		return;
	batch = mc_begin(page->transfers->loop->ctx);
	target->fail(target->argument, &reply, batch);
	mc_commit(batch);
}

/* Ready for the next one; a large page keeps no memory.  'why' it failed, or NULL. */
static void end(struct scrape_page *page, const char *why)
{
	struct mc_loop *loop = page->transfers->loop;

	if (why == NULL) {
		put_values(page);
	} else {
		mc_complain(loop->ctx, &page->once, 0, "cannot read '%s': %s", page->shown, why);
		put_failure(page);
	}
	if (page->body.capacity > BODY_KEPT)
		mc_buffer_free(&page->body);
	mc_loop_set_timer(loop, &page->due, page->every.next);
}

static void on_transfer_end(void *argument, CURLcode result)
{
	struct scrape_page *page = argument;

	if (result == CURLE_OK) {
		end(page, NULL);
	} else if (page->too_large) {
		end(page, say_too_large(page));
	} else {
		mc_transfers_why(&page->transfer, result, page->why, sizeof(page->why));
		end(page, page->why);
	}
}

static void on_stream_end(void *argument, int result)
{
	struct scrape_page *page = argument;

	if (result == -EFBIG)
		end(page, say_too_large(page));
	else
		end(page, result < 0 ? strerror(-result) : NULL);
}

/* --- A read --------------------------------------------------------------- */

static void begin(struct scrape_page *page)
{
	mc_time timeout = page->timeout;

	page->began = mc_now();
	mc_every_done(&page->every, page->began);
	page->head_size = 0;
	page->too_large = false;
	mc_buffer_clear(&page->body);
	if (page->transfer.curl != NULL) {
		mc_transfers_begin(page->transfers, &page->transfer, timeout);
		return;
	}
	if (timeout > 0)
		mc_loop_set_timer(page->transfers->loop, &page->due, page->began + timeout);
	scrape_stream_start(&page->stream);
}

static void on_due(void *argument)
{
	struct scrape_page *page = argument;

	if (!scrape_stream_runs(&page->stream)) {
		begin(page);
		return;
	}
	scrape_stream_stop(&page->stream);
	snprintf(page->why, sizeof(page->why), "no whole answer within %g s",
		 (double)page->timeout / MC_SECOND);
	end(page, page->why);
}

/* --- Life ----------------------------------------------------------------- */

static mc_time timeout_of(const struct scrape_page *page)
{
	int64_t timeout_ms = page->target->settings->timeout_ms;

	return timeout_ms < 0 ? page->every.period : timeout_ms * MC_MILLISECOND;
}

static void add_header(struct scrape_page *page, const char *header)
{
	struct curl_slist *longer = curl_slist_append(page->headers, header);

	if (longer != NULL)
		page->headers = longer;
}

static void add_headers(struct scrape_page *page)
{
	const struct mc_scrape_settings *settings = page->target->settings;
	char accept[256];

	if (settings->accept != NULL) {
		snprintf(accept, sizeof(accept), "Accept: %s", settings->accept);
		add_header(page, accept);
	}
	for (size_t i = 0; i < settings->headers.len; i++)
		add_header(page, settings->headers.items[i]);
}

static void set_request(struct scrape_page *page)
{
	const struct mc_scrape_settings *settings = page->target->settings;
	CURL *curl = page->transfer.curl;

	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, page);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_head);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, page);
	curl_easy_setopt(curl, CURLOPT_URL, settings->url);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, page->headers);
	curl_easy_setopt(curl, CURLOPT_IPRESOLVE,
			 settings->family == MC_SCRAPE_IPV4   ? CURL_IPRESOLVE_V4
			 : settings->family == MC_SCRAPE_IPV6 ? CURL_IPRESOLVE_V6
							      : CURL_IPRESOLVE_WHATEVER);
	if (settings->digest)
		curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_DIGEST);
	if (settings->post != NULL)
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, settings->post);
	if (settings->unix_socket != NULL)
		curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, settings->unix_socket);
}

static bool open_transfer(struct scrape_page *page)
{
	const struct mc_scrape_settings *settings = page->target->settings;

	http_url_show(settings->url, page->shown);
	page->http = (struct mc_http_settings){
		.user = settings->user,
		.password = settings->password,
		.ca = settings->ca,
		.certificate = settings->certificate,
		.key = settings->key,
		.tls12 = true,
		.any_certificate = !settings->verify_peer,
		.any_host = !settings->verify_host,
	};
	page->transfer = (struct mc_transfer){ .curl = curl_easy_init(),
					       .ended = on_transfer_end,
					       .argument = page };
	if (page->transfer.curl == NULL)
		return false;
	http_connection_set(page->transfer.curl, &page->http, &protocol);
	add_headers(page);
	set_request(page);
	return true;
}

static void open_stream(struct scrape_page *page)
{
	const struct mc_scrape_settings *settings = page->target->settings;

	snprintf(page->shown, sizeof(page->shown), "unix:%s", settings->stream);
	page->stream = (struct scrape_stream){
		.path = settings->stream,
		.size_max = (size_t)settings->size_max,
		.loop = page->transfers->loop,
		.body = &page->body,
		.ended = on_stream_end,
		.argument = page,
	};
}

bool scrape_page_init(struct scrape_page *page, struct mc_transfers *transfers,
		      const struct mc_scrape_target *target)
{
	struct mc_loop *loop = transfers->loop;

	*page = (struct scrape_page){
		.transfers = transfers,
		.target = target,
		.every.period = target->interval > 0 ? target->interval : loop->ctx->interval,
		.due = { .expired = on_due, .argument = page },
	};
	page->timeout = timeout_of(page);
	mc_loop_set_timer(loop, &page->due, page->every.next);
	if (target->settings->stream == NULL)
		return open_transfer(page);
	open_stream(page);
	return true;
}

void scrape_page_done(struct scrape_page *page)
{
	mc_transfers_stop(&page->transfer);
	curl_easy_cleanup(page->transfer.curl);
	curl_slist_free_all(page->headers);
	scrape_stream_stop(&page->stream);
	mc_buffer_free(&page->body);
}
