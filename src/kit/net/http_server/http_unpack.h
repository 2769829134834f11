/* SPDX-License-Identifier: MIT */
/* The body of a request, inflated. */
#pragma once

struct mc_httpd_request;

/* Inflates it, if it is packed and has not been.  0, or the status of the refusal, and why. */
unsigned http_unpack(struct mc_httpd_request *, const char **why);
