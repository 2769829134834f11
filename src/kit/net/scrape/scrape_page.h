/* SPDX-License-Identifier: MIT */
/* One page that is read again and again, by libcurl or from a stream. */
#pragma once

#include <curl/curl.h>

#include <collector/kit/every.h>
#include <collector/kit/http_client.h>
#include <collector/kit/once.h>
#include <collector/kit/scrape.h>

#include "kit/net/http_client/http_url.h"
#include "kit/net/scrape/scrape_stream.h"

struct scrape_page {
	struct mc_ctx *ctx;
	const struct mc_scrape_target *target;
	struct mc_every every;
	struct mc_once once;
	bool running;
	struct mc_buffer body;
	mc_time began;

	CURL *curl;                   /* NULL: a stream. */
	struct mc_http_settings http; /* As the connection takes them. */
	struct curl_slist *headers;
	size_t head_size; /* Of the answer, so far. */
	bool too_large;
	char error[CURL_ERROR_SIZE];

	struct scrape_stream stream;
	mc_time timeout;
	char shown[HTTP_URL_SIZE]; /* The URL, without a password. */
	char why[MC_SCRAPE_WHY_SIZE];
};

/* False: libcurl has no memory. */
bool scrape_page_init(struct scrape_page *, struct mc_ctx *, const struct mc_scrape_target *);
void scrape_page_done(struct scrape_page *, CURLM *);

/* When something is to be done: it is due, or its time is over. */
mc_time scrape_page_due(const struct scrape_page *);

/* Before a read of it begins, and when it has ended: NULL, or why it failed. */
void scrape_page_begin(struct scrape_page *);
const char *scrape_page_ended(struct scrape_page *, CURLcode);
const char *scrape_page_stream_ended(struct scrape_page *, int result);

/* The end of a transfer: the plugin puts the values, or the log shows why not. */
void scrape_page_take(struct scrape_page *, struct mc_batch *);
void scrape_page_failed(struct scrape_page *, const char *why);
