/* SPDX-License-Identifier: MIT */
/* Requests as questions for pages that plugins offer to each other. */
#include <stdlib.h>

#include <collector/kit/alloc.h>
#include <collector/kit/http_server.h>
#include <collector/serve.h>

static const char *header_of(void *request, const char *name)
{
	return mc_httpd_header(request, name);
}

static const char *parameter_of(void *request, const char *name, unsigned number)
{
	return mc_httpd_query_at(request, name, number);
}

struct mc_page_question mc_httpd_question(struct mc_httpd_request *request)
{
	return (struct mc_page_question){ .path = mc_httpd_path(request),
					  .header = header_of,
					  .parameter = parameter_of,
					  .argument = request };
}

void mc_httpd_answer_page(struct mc_httpd_request *request, struct mc_page *page)
{
	char *why;

	if (page->status == 200) {
		mc_httpd_answer_packed(request, page->type, page->size > 0 ? page->bytes : "",
				       page->size);
	} else {
		why = mc_alloc_printf("%.*s", (int)page->size, (const char *)page->bytes);
		mc_httpd_refuse(request, page->status, why);
		free(why);
	}
	free(page->bytes);
}
