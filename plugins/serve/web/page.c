/* SPDX-License-Identifier: MIT */
#include "page.h"

#include <string.h>

#include "answer.h"
#include "asset.h"

static const struct asset *find(const char *path)
{
	for (const struct asset *asset = asset_files; asset->path != NULL;
	     asset++)
		if (strcmp(asset->path, path) == 0)
			return asset;
	return NULL;
}

static void send(struct mc_httpd_request *request, const struct asset *asset)
{
	const char *have = mc_httpd_header(request, "If-None-Match");

	if (!mc_httpd_takes_gzip(request)) {
		answer_refuse(request, 406, "it is there in gzip only");
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
	mc_httpd_add_header(request, "Vary", "Accept-Encoding");
	mc_httpd_answer(request, 200, asset->type, asset->bytes, asset->size);
}

void page_answer(struct mc_httpd_request *request)
{
	static const char *const views[] = { "/host/",  "/hosts",   "/guest/",
					     "/guests", "/plugin/", "/series/",
					     "/health", NULL };
	const char *path = mc_httpd_path(request);
	bool known = strcmp(path, "/") == 0;

	for (unsigned i = 0; views[i] != NULL; i++)
		known |= strncmp(path, views[i], strlen(views[i])) == 0;
	if (known)
		send(request, find("/"));
	else
		answer_refuse(request, 404, "there is no such page");
}

void page_file(struct mc_httpd_request *request)
{
	send(request, find(mc_httpd_path(request)));
}
