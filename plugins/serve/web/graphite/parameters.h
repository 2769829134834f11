/* SPDX-License-Identifier: MIT */
/* Parameters of a request, after '?' or in a form. */
#pragma once

#include <collector/kit/http_server.h>

#include "form.h"

struct parameters {
	const struct mc_httpd_request *request;
	struct form form; /* Of a POST. */
};

/* False, and refused: the form cannot be read. */
bool parameters_init(struct parameters *, struct mc_httpd_request *);
void parameters_done(struct parameters *);

/* See form_value(). */
const char *parameters_get(const struct parameters *, const char *name, unsigned number);
