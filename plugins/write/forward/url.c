/* SPDX-License-Identifier: MIT */
/* Facts: RFC 3986, "Authority". */
#include "url.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool url_valid(const char *url)
{
	size_t size = strlen(url);

	return (strncasecmp(url, "http://", 7) == 0 ||
		strncasecmp(url, "https://", 8) == 0) &&
	       size < URL_SIZE - 12 && url[size - 1] != '/' &&
	       strpbrk(url, "?# \t") == NULL;
}

/* What is wrong may have no scheme, or a '/' in its password: all up to the
 * last '@' goes. */
void url_show(const char *url, char out[URL_SIZE])
{
	const char *scheme = strstr(url, "://");
	const char *user = scheme != NULL ? scheme + 3 : url;
	const char *host = strrchr(user, '@');

	snprintf(out, URL_SIZE, "%.*s%s", (int)(user - url), url,
		 host != NULL ? host + 1 : user);
}
