/* SPDX-License-Identifier: MIT */
#include "kit/net/certificate.h"
#include <collector/kit/http_client.h>

#include <string.h>
#include <strings.h>

#include "kit/net/http_client/http_url.h"

static void check_url(struct mc_ctx *ctx, const char *const *url, bool whole)
{
	if (!mc_check_url(ctx, url) || http_url_valid(*url, whole))
		return;
	if ((*url)[strlen(*url) - 1] == '/')
		mc_check_error(ctx, url, "must not end with '/': a path is appended");
	else
		mc_check_error(ctx, url, "is no URL that a path can be appended to");
}

void mc_http_check(struct mc_ctx *ctx, const struct mc_http_settings *settings,
		   const struct mc_http_protocol *protocol)
{
	const struct mc_strings *urls = &settings->urls;
	bool https = false;

	for (size_t i = 0; i < urls->len; i++) {
		https |= strncasecmp(urls->items[i], "https://", 8) == 0;
		check_url(ctx, &urls->items[i], protocol->whole_urls);
	}
	if (settings->key != NULL && settings->certificate == NULL)
		mc_check_error(ctx, &settings->key, "is without ClientCert: it would not be used");
	if (!https && settings->ca != NULL)
		mc_check_warn(ctx, &settings->ca,
			      "has no effect without a URL that begins with 'https://'");
	if (!https && settings->certificate != NULL)
		mc_check_warn(ctx, &settings->certificate,
			      "has no effect without a URL that begins with 'https://'");
	if (settings->header_words.len % 2 != 0)
		mc_check_error(ctx, &settings->header_words.items[0], "takes a name and a value");
	mc_check_secret(ctx, &settings->header_file);
	mc_check_certificates(ctx, &settings->ca);
	mc_check_key_pair(ctx, &settings->certificate,
			  settings->key != NULL ? &settings->key : &settings->certificate);
}
