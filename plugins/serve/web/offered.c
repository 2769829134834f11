/* SPDX-License-Identifier: MIT */
#include "offered.h"

#include <collector/serve.h>

#include "answer.h"
#include "web.h"

void offered_answer(struct mc_httpd_request *request)
{
	const struct mc_page_question question = mc_httpd_question(request);
	struct mc_page page;

	if (mc_page(web_ctx(request), &question, &page) < 0) {
		answer_refuse(request, 404, "no plugin that offers this page is loaded");
		return;
	}
	if (page.status == 200)
		answer_headers(request, "no-store");
	mc_httpd_answer_page(request, &page);
}
