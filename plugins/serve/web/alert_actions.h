/* SPDX-License-Identifier: MIT */
/* Actions on alerts: viewers acknowledge and silence them, by POST with an object of JSON,
 * which no form of another site can send; and only where viewers have a password or a certificate,
 * or come by the unix socket. */
#pragma once

#include <stdbool.h>

struct mc_httpd_request;

/* Whether the viewer may act. */
bool alert_actions_allowed(const struct mc_httpd_request *);

/* Handlers of routes: {"match":GLOB,"reason":TEXT}, with "seconds" {...}, and {"match":PATTERN}. */
void alert_actions_acknowledge(struct mc_httpd_request *);
void alert_actions_silence(struct mc_httpd_request *);
void alert_actions_unsilence(struct mc_httpd_request *);

/* GET: lists the silences. */
void alert_actions_silences(struct mc_httpd_request *);
