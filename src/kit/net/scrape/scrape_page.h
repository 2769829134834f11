/* SPDX-License-Identifier: MIT */
/* One page that is read again and again, by libcurl or from a stream. */
#pragma once

#include "kit/net/http_client/transfers.h"
#include <collector/kit/http_client.h>
#include <collector/kit/once.h>
#include <collector/kit/scrape.h>
#include <collector/kit/wait.h>

#include "kit/net/http_client/http_url.h"
#include "kit/net/scrape/scrape_stream.h"

struct scrape_page {
	struct mc_transfers *transfers;
	const struct mc_scrape_target *target;
	struct mc_every every;
	struct mc_loop_timer due; /* The next read; while a stream is read, the end of its time. */
	struct mc_once once;
	struct mc_buffer body;
	mc_time began, timeout;

	struct mc_transfer transfer;  /* Without a CURL: a stream. */
	struct mc_http_settings http; /* As the connection takes them. */
	struct curl_slist *headers;
	size_t head_size; /* Of the answer, so far. */
	bool too_large;

	struct scrape_stream stream;
	char shown[HTTP_URL_SIZE]; /* The URL, without a password. */
	char why[MC_SCRAPE_WHY_SIZE];
};

/* Reads the page in a loop from then on.  False: libcurl has no memory.  scrape_page_done()
 * follows in any case. */
bool scrape_page_init(struct scrape_page *, struct mc_transfers *, const struct mc_scrape_target *);
void scrape_page_done(struct scrape_page *);
