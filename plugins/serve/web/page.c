/* SPDX-License-Identifier: MIT */
#include "page.h"

#include <stdatomic.h>
#include <string.h>

#include <collector/kit/inflate.h>

#include "answer.h"
#include "asset.h"

#define PLAIN_MAX ((size_t)1 << 20) /* Bytes of a file, inflated. */

static const struct asset *find(const char *path)
{
	for (const struct asset *asset = asset_files; asset->path != NULL; asset++)
		if (strcmp(asset->path, path) == 0)
			return asset;
	return NULL;
}

/* For what takes no gzip, such as a check whether we answer: inflated each
 * time, and without a tag, which is that of the bytes in gzip. */
static void send_plain(struct mc_httpd_request *request, unsigned status, const struct asset *asset)
{
	atomic_size_t pool = 0;
	const struct mc_inflate_limits limits = { .size_max = PLAIN_MAX,
						  .pool = &pool,
						  .pool_max = 2 * PLAIN_MAX };
	struct mc_inflated plain;

	if (mc_inflate_body(MC_INFLATE_GZIP, asset->bytes, asset->size, &limits, &plain) !=
	    MC_INFLATE_OKAY) {
		answer_refuse(request, 500, "it cannot be inflated");
		return;
	}
	answer_headers(request, "no-cache");
	mc_httpd_answer(request, status, asset->type, plain.bytes, plain.size);
	mc_inflate_free(&limits, &plain);
}

static void send(struct mc_httpd_request *request, const struct asset *asset)
{
	const char *have = mc_httpd_header(request, "If-None-Match");

	mc_httpd_add_header(request, "Vary", "Accept-Encoding");
	if (!mc_httpd_takes_gzip(request)) {
		send_plain(request, 200, asset);
		return;
	}
	/* Asked for each time, and sent once: an upgrade is seen at once. */
	answer_headers(request, "no-cache");
	mc_httpd_add_header(request, "ETag", asset->tag);
	if (have != NULL && strcmp(have, asset->tag) == 0) {
		mc_httpd_answer(request, 304, asset->type, "", 0);
		return;
	}
	mc_httpd_add_header(request, "Content-Encoding", "gzip");
	mc_httpd_answer(request, 200, asset->type, asset->bytes, asset->size);
}

/* Somebody looks, no program. */
static bool is_browser(const struct mc_httpd_request *request)
{
	const char *accept = mc_httpd_header(request, "Accept");

	return accept != NULL && strstr(accept, "text/html") != NULL &&
	       strncmp(mc_httpd_path(request), "/api/", strlen("/api/")) != 0;
}

void page_answer(struct mc_httpd_request *request)
{
	static const char *const views[] = { "/host/",   "/hosts",   "/guest/", "/guests",
					     "/plugin/", "/series/", "/health", "/alerts",
					     "/dumps",   NULL };
	const char *path = mc_httpd_path(request);
	bool known = strcmp(path, "/") == 0;

	for (unsigned i = 0; views[i] != NULL; i++)
		known |= strncmp(path, views[i], strlen(views[i])) == 0;
	if (known)
		send(request, find("/"));
	else if (is_browser(request))
		send_plain(request, 404, find("/")); /* Which says so. */
	else
		answer_refuse(request, 404, "there is no such page");
}

void page_options(struct mc_httpd_request *request)
{
	answer_headers(request, "no-store");
	mc_httpd_add_header(request, "Allow", "GET, HEAD, OPTIONS");
	mc_httpd_answer(request, 204, "text/plain", "", 0);
}

void page_file(struct mc_httpd_request *request)
{
	send(request, find(mc_httpd_path(request)));
}
