/* SPDX-License-Identifier: MIT */
/* Where to send to, and what may be seen of that. */
#ifndef FORWARD_URL_H
#define FORWARD_URL_H

#include <stdbool.h>
#include <stddef.h>

#define URL_SIZE 512

/* Whether it is a URL of HTTP that "/v1/metrics" can be appended to. */
bool url_valid(const char *url);

/* The URL without the name and password of a user.  Any text. */
void url_show(const char *url, char out[URL_SIZE]);

#endif
