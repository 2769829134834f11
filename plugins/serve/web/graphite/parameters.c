/* SPDX-License-Identifier: MIT */
#include "parameters.h"

#include "answer.h"

bool parameters_init(struct parameters *parameters, struct mc_httpd_request *request)
{
	const unsigned char *bytes;
	const char *why;
	size_t size;
	unsigned status = mc_httpd_content(request, &bytes, &size, &why);

	*parameters = (struct parameters){ .request = request };
	if (status != 0) {
		answer_refuse(request, status, why);
		return false;
	}
	if (size > 0)
		form_read(&parameters->form, bytes, size);
	return true;
}

void parameters_done(struct parameters *parameters)
{
	form_done(&parameters->form);
}

const char *parameters_get(const struct parameters *parameters, const char *name, unsigned number)
{
	const char *value = form_value(&parameters->form, name, number);

	return value != NULL ? value : mc_httpd_query_at(parameters->request, name, number);
}
