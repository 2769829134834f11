/* SPDX-License-Identifier: MIT */
/* Where to send to, and what may be seen of that. */
#pragma once

#include <stdbool.h>

#define HTTP_URL_SIZE 512

/* Whether it is a URL of HTTP; unless it is 'whole', one that a path such as
 * "/v1/metrics" can be appended to. */
bool http_url_valid(const char *url, bool whole);

/* The URL without the name and password of a user.  Any text. */
void http_url_show(const char *url, char out[HTTP_URL_SIZE]);
