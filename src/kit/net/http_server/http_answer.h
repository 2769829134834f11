/* SPDX-License-Identifier: MIT */
/* The answer to a request, once a plugin has given it. */
#pragma once

struct mc_httpd_request;

/* Queues the kept answer, if there is one.  Thread: the request's. */
void http_answer_send(struct mc_httpd_request *);

/* Drops the headers that were added to the answer.  Thread: the request's. */
void http_answer_free_headers(struct mc_httpd_request *);
