/* SPDX-License-Identifier: MIT */
/* /tags of Graphite's API: what Grafana's editor of seriesByTag() asks for. */
#pragma once

#include <collector/kit/http_server.h>

#define TAGS_ANSWER_PATH "/tags/" /* And the name of a tag. */

void tags_answer(struct mc_httpd_request *);     /* ?filter=REGEX&limit=N: the tags. */
void tags_answer_one(struct mc_httpd_request *); /* The same of the values of a tag. */

/* ?expr=EXPRESSION&expr=...: paths; the first tags or values after these, that begin with
 * tagPrefix, or, of 'tag', valuePrefix; limit. */
void tags_answer_find(struct mc_httpd_request *);
void tags_answer_complete_tags(struct mc_httpd_request *);
void tags_answer_complete_values(struct mc_httpd_request *);
