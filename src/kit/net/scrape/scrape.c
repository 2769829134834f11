/* SPDX-License-Identifier: MIT */
/* Pages of one loop, and what plugins ask of them. */
#include <collector/kit/scrape.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include <collector/kit/alloc.h>

#include "kit/net/certificate.h"
#include "kit/net/scrape/scrape_page.h"

int mc_scrape_run(struct mc_ctx *ctx, const struct mc_scrape_target *targets, size_t len)
{
	struct scrape_page *pages = mc_alloc_array(len, sizeof(*pages));
	struct mc_loop loop = { .ctx = ctx };
	struct mc_transfers transfers = { 0 };
	size_t started = 0;
	int rc = mc_loop_init(&loop);

	if (rc == 0)
		rc = mc_transfers_init(&transfers, &loop, len);
	for (; rc == 0 && started < len; started++)
		if (!scrape_page_init(&pages[started], &transfers, &targets[started]))
			rc = mc_fail(ctx, ENOMEM, "cannot set libcurl up");
	if (rc == 0)
		rc = mc_loop_run(&loop);
	for (size_t i = 0; i < started; i++)
		scrape_page_done(&pages[i]);
	mc_transfers_done(&transfers);
	mc_loop_done(&loop);
	free(pages);
	return rc;
}

/* --- Answers -------------------------------------------------------------- */

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

/* --- Settings ------------------------------------------------------------- */

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
	if (settings->key != NULL && settings->certificate == NULL)
		mc_check_error(ctx, &settings->key, "is without ClientCert: it would not be used");
	mc_check_key_pair(ctx, &settings->certificate,
			  settings->key != NULL ? &settings->key : &settings->certificate);
	mc_check_password(ctx, &settings->password);
}
