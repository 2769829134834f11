/* SPDX-License-Identifier: MIT */
/* Facts: curl_easy_setopt(3). */
#include "kit/net/scrape/scrape_page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include <collector/certificate.h>

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

/* --- Life ----------------------------------------------------------------- */

static mc_time timeout_of(const struct scrape_page *page)
{
	int64_t timeout_ms = page->target->settings->timeout_ms;

	return timeout_ms < 0 ? page->every.period : timeout_ms * MC_MILLISECOND;
}

static void add_headers(struct scrape_page *page)
{
	const struct mc_strings *headers = &page->target->settings->headers;

	for (size_t i = 0; i < headers->len; i++) {
		struct curl_slist *longer = curl_slist_append(page->headers, headers->items[i]);

		if (longer != NULL)
			page->headers = longer;
	}
}

static void set_request(struct scrape_page *page)
{
	const struct mc_scrape_settings *settings = page->target->settings;
	CURL *curl = page->curl;

	curl_easy_setopt(curl, CURLOPT_PRIVATE, page);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, page->error);
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

bool scrape_page_init(struct scrape_page *page, struct mc_ctx *ctx,
		      const struct mc_scrape_target *target)
{
	const struct mc_scrape_settings *settings = target->settings;

	*page = (struct scrape_page){
		.ctx = ctx,
		.target = target,
		.every.period = target->interval > 0 ? target->interval : ctx->interval,
		.stream = { .path = settings->stream,
			    .size_max = (size_t)settings->size_max,
			    .fd = -1 },
	};
	page->timeout = timeout_of(page);
	if (settings->stream != NULL) {
		snprintf(page->shown, sizeof(page->shown), "unix:%s", settings->stream);
		return true;
	}
	http_url_show(settings->url, page->shown);
	page->http = (struct mc_http_settings){
		.user = settings->user,
		.password = settings->password,
		.ca = settings->ca,
		.tls12 = true,
		.any_certificate = !settings->verify_peer,
		.any_host = !settings->verify_host,
		.timeout = page->timeout,
	};
	page->curl = curl_easy_init();
	if (page->curl == NULL)
		return false;
	http_connection_set(page->curl, &page->http, &protocol);
	add_headers(page);
	set_request(page);
	return true;
}

void scrape_page_done(struct scrape_page *page, CURLM *multi)
{
	if (page->curl != NULL && page->running)
		curl_multi_remove_handle(multi, page->curl);
	curl_easy_cleanup(page->curl);
	curl_slist_free_all(page->headers);
	if (page->ctx != NULL)
		scrape_stream_stop(&page->stream);
	mc_buffer_free(&page->body);
}

/* --- A read --------------------------------------------------------------- */

mc_time scrape_page_due(const struct scrape_page *page)
{
	if (!page->running)
		return page->every.next;
	if (page->curl != NULL || page->timeout == 0)
		return INT64_MAX; /* libcurl watches that, or nobody. */
	return page->began + page->timeout;
}

void scrape_page_begin(struct scrape_page *page)
{
	page->running = true;
	page->began = mc_now();
	page->head_size = 0;
	page->too_large = false;
	page->error[0] = '\0';
	mc_buffer_clear(&page->body);
}

static const char *say_too_large(struct scrape_page *page)
{
	if (page->head_size > HEAD_MAX)
		return "its headers have more than 256 KiB";
	snprintf(page->why, sizeof(page->why), "it has more than the %lld bytes that are allowed",
		 (long long)page->target->settings->size_max);
	return page->why;
}

/* libcurl's words have how much has come until then, which differs. */
static const char *say_too_late(struct scrape_page *page)
{
	snprintf(page->why, sizeof(page->why), "no whole answer within %g s",
		 (double)page->timeout / MC_SECOND);
	return page->why;
}

const char *scrape_page_ended(struct scrape_page *page, CURLcode rc)
{
	if (rc == CURLE_OK)
		return NULL;
	if (page->too_large)
		return say_too_large(page);
	if (rc == CURLE_OPERATION_TIMEDOUT)
		return say_too_late(page);
	http_connection_why(page->curl, rc, page->error, page->why, sizeof(page->why));
	return page->why;
}

const char *scrape_page_stream_ended(struct scrape_page *page, int result)
{
	scrape_stream_stop(&page->stream);
	if (result == 0)
		return NULL;
	if (result == -EFBIG)
		return say_too_large(page);
	if (result == -ETIMEDOUT)
		return say_too_late(page);
	return strerror(-result);
}

/* Ready for the next one; a large page keeps no memory. */
static void end(struct scrape_page *page)
{
	page->running = false;
	if (page->body.capacity > BODY_KEPT)
		mc_buffer_free(&page->body);
}

void scrape_page_take(struct scrape_page *page, struct mc_batch *batch)
{
	struct mc_scrape_reply reply = {
		.duration = mc_now() - page->began,
		.stamp = { .time = mc_wall(), .interval = page->every.period },
		.transfer = page->curl,
	};
	curl_off_t microseconds;

	mc_buffer_add(&page->body, NULL, 0);
	reply.body = page->body.at;
	reply.size = page->body.size;
	if (page->curl != NULL) {
		curl_easy_getinfo(page->curl, CURLINFO_RESPONSE_CODE, &reply.status);
		if (curl_easy_getinfo(page->curl, CURLINFO_TOTAL_TIME_T, &microseconds) == CURLE_OK)
			reply.duration = microseconds * 1000;
	}
	page->why[0] = '\0';
	if (page->target->take(page->target->argument, &reply, batch, page->why))
		mc_works(page->ctx, &page->once, "'%s' can be read again", page->shown);
	else
		mc_complain(page->ctx, &page->once, 0, "'%s' %s", page->shown, page->why);
	end(page);
}

void scrape_page_failed(struct scrape_page *page, const char *why)
{
	mc_complain(page->ctx, &page->once, 0, "cannot read '%s': %s", page->shown, why);
	end(page);
}

/* --- For plugins ---------------------------------------------------------- */

bool mc_scrape_is_okay(const struct mc_scrape_reply *reply, char why[MC_SCRAPE_WHY_SIZE])
{
	if (reply->status == 0 || reply->status == 200)
		return true;
	snprintf(why, MC_SCRAPE_WHY_SIZE, "answers with status %ld", reply->status);
	return false;
}

const char *mc_scrape_header(const struct mc_scrape_reply *reply, const char *name)
{
	struct curl_header *header;

	if (reply->transfer == NULL ||
	    curl_easy_header(reply->transfer, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
		return NULL;
	return header->value;
}

static void check_header(struct mc_ctx *ctx, const char *const *header)
{
	const char *colon = strchr(*header, ':');

	if (colon == NULL || colon == *header || strpbrk(*header, "\r\n") != NULL)
		mc_check_error(ctx, header, "is not of the form Name: value");
}

static void check_path(struct mc_ctx *ctx, const char *const *path)
{
	const size_t size_max = sizeof(((struct sockaddr_un *)0)->sun_path);

	if (*path != NULL && strlen(*path) >= size_max)
		mc_check_error(ctx, path,
			       "is longer than the %zu bytes that the path of "
			       "a socket may have",
			       size_max - 1);
}

void mc_scrape_check(struct mc_ctx *ctx, const struct mc_scrape_settings *settings)
{
	check_path(ctx, &settings->stream);
	check_path(ctx, &settings->unix_socket);
	if (settings->url != NULL && mc_check_url(ctx, &settings->url) &&
	    !http_url_valid(settings->url, true))
		mc_check_error(ctx, &settings->url, "is no URL of HTTP");
	for (size_t i = 0; i < settings->headers.len; i++)
		check_header(ctx, &settings->headers.items[i]);
	mc_check_certificates(ctx, &settings->ca);
	mc_check_password(ctx, &settings->password);
}
