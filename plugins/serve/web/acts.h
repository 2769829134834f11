/* SPDX-License-Identifier: MIT */
/* Acts of people about alerts: they acknowledge and silence them, by POST with an object of JSON,
 * which no form of another site can send; and only where viewers have a password or a certificate,
 * or come by the unix socket. */
#pragma once

#include <stdbool.h>

struct mc_httpd_request;

/* Whether the viewer may act. */
bool acts_allowed(const struct mc_httpd_request *);

/* Handlers of routes: {"match":GLOB,"reason":TEXT}, with "seconds" {...}, and {"match":PATTERN}. */
void acts_acknowledge(struct mc_httpd_request *);
void acts_silence(struct mc_httpd_request *);
void acts_unsilence(struct mc_httpd_request *);

/* GET: lists the silences. */
void acts_silences(struct mc_httpd_request *);
