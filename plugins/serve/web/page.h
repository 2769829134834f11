/* SPDX-License-Identifier: MIT */
/* The page: one HTML, and what that asks for.  All is part of the program,
 * packed when it is built. */
#pragma once

#include <collector/kit/http_server.h>

/* The root, host/NAME, series/NAME, ...: the same page, which looks at its own
 * address; on other paths browsers get it with 404, and programs are refused. */
void page_answer(struct mc_httpd_request *);

/* That it is there: the way in which a load balancer asks by default. */
void page_options(struct mc_httpd_request *);

/* The file of that path. */
void page_file(struct mc_httpd_request *);
