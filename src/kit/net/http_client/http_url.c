/* SPDX-License-Identifier: MIT */
/* Facts: RFC 3986, "Authority". */
#include "kit/net/http_client/http_url.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool http_url_valid(const char *url, bool whole)
{
	size_t size = strlen(url);

	if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
		return false;
	if (size >= HTTP_URL_SIZE - 12 || strpbrk(url, " \t") != NULL)
		return false;
	return whole || (url[size - 1] != '/' && strpbrk(url, "?#") == NULL);
}

/* An invalid URL may have no scheme, or a '/' in its password: all up to the last '@' goes. */
void http_url_show(const char *url, char out[HTTP_URL_SIZE])
{
	const char *scheme = strstr(url, "://");
	const char *user = scheme != NULL ? scheme + 3 : url;
	const char *host = strrchr(user, '@');

	snprintf(out, HTTP_URL_SIZE, "%.*s%s", (int)(user - url), url,
		 host != NULL ? host + 1 : user);
}
