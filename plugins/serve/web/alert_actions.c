/* SPDX-License-Identifier: MIT */
#include "alert_actions.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <collector/private/alerts.h>

#include "answer.h"
#include "kit/base/report.h"
#include "report_json.h"
#include "web.h"

#define TEXT_SIZE 512                         /* Of a pattern and of a reason. */
#define LASTING_MAX (366 * 86400 * MC_SECOND) /* Of a silence. */

struct act { /* The fields of a body. */
	char match[TEXT_SIZE], reason[TEXT_SIZE];
	double seconds;
	char *text; /* For the value of the last key; NULL: for none. */
	double *number;
	bool in_map;
};

bool alert_actions_allowed(const struct mc_httpd_request *request)
{
	const struct mc_httpd_listen *listen = mc_httpd_listener(request);

	return listen->passwords != NULL || listen->ca != NULL || listen->path != NULL;
}

/* --- Bodies ------------------------------------------------------------------- */

static bool on_key(void *argument, const char *text, size_t size)
{
	struct act *act = argument;

	act->text = NULL;
	act->number = NULL;
	if (size == strlen("match") && memcmp(text, "match", size) == 0)
		act->text = act->match;
	else if (size == strlen("reason") && memcmp(text, "reason", size) == 0)
		act->text = act->reason;
	else if (size == strlen("seconds") && memcmp(text, "seconds", size) == 0)
		act->number = &act->seconds;
	return act->text != NULL || act->number != NULL;
}

static bool on_string(void *argument, const char *text, size_t size)
{
	struct act *act = argument;

	if (act->text == NULL || size >= TEXT_SIZE || memchr(text, '\0', size) != NULL)
		return false;
	memcpy(act->text, text, size);
	act->text[size] = '\0';
	return true;
}

static bool on_number(void *argument, const char *text, size_t size)
{
	struct act *act = argument;
	char copy[64], *end;

	if (act->number == NULL || size >= sizeof(copy))
		return false;
	memcpy(copy, text, size);
	copy[size] = '\0';
	*act->number = strtod(copy, &end);
	return *end == '\0';
}

static bool on_map(void *argument)
{
	struct act *act = argument;
	bool first = !act->in_map;

	act->in_map = true;
	return first;
}

static bool refuse_value(void *argument)
{
	(void)argument;
	return false;
}

static bool refuse_boolean(void *argument, bool value)
{
	(void)argument;
	(void)value;
	return false;
}

static bool end_map(void *argument)
{
	(void)argument;
	return true;
}

/* False, after a refusal: the viewer may not, or it is invalid. */
static bool read_act(struct mc_httpd_request *request, struct act *act)
{
	static const struct mc_json_calls calls = {
		.null = refuse_value,
		.boolean = refuse_boolean,
		.number = on_number,
		.string = on_string,
		.key = on_key,
		.begin_map = on_map,
		.end_map = end_map,
		.begin_list = refuse_value,
		.end_list = refuse_value,
	};
	const unsigned char *bytes;
	const char *why;
	size_t size;
	unsigned status;

	*act = (struct act){ .in_map = false };
	if (!alert_actions_allowed(request)) {
		answer_refuse(request, 403,
			      "viewers without a password or a certificate may only look: see "
			      "PasswordFile in collector-web(5)");
		return false;
	}
	if (!mc_httpd_is_type(request, "application/json")) {
		answer_refuse(request, 415, "the body is not application/json");
		return false;
	}
	status = mc_httpd_content(request, &bytes, &size, &why);
	if (status != 0) {
		answer_refuse(request, status, why);
		return false;
	}
	if (mc_json_read(bytes, size, 2, &calls, act) == 0 && act->in_map && act->match[0] != '\0')
		return true;
	answer_refuse(request, 400, "the body is not an object with match, reason and seconds");
	return false;
}

/* --- Acts --------------------------------------------------------------------- */

void alert_actions_acknowledge(struct mc_httpd_request *request)
{
	struct mc_json *json;
	struct act act;
	size_t len;

	if (!read_act(request, &act))
		return;
	len = mc_acknowledge(web_ctx(request), act.match, act.reason);
	if (len == 0) {
		answer_refuse(request, 404, "there is no alert of that name");
		return;
	}
	json = answer_begin();
	mc_json_unsigned(json, "acknowledged", len);
	answer_json(request, json);
}

void alert_actions_silence(struct mc_httpd_request *request)
{
	struct mc_ctx *ctx = web_ctx(request);
	struct mc_json *json;
	struct act act;
	mc_time until;
	int rc;

	if (!read_act(request, &act))
		return;
	if (!(act.seconds > 0 && act.seconds <= (double)LASTING_MAX * 1e-9)) {
		answer_refuse(request, 400, "seconds is not a number above 0, of a year at most");
		return;
	}
	until = mc_wall() + (mc_time)(act.seconds * 1e9);
	rc = mc_silence(ctx, &(struct mc_silence){
				     .pattern = act.match, .until = until, .reason = act.reason });
	if (rc < 0) {
		answer_refuse(request, rc == -ENOSPC ? 409 : 400,
			      rc == -ENOSPC ? "there are too many silences"
					    : "the pattern is too long");
		return;
	}
	json = answer_begin();
	mc_json_seconds(json, "until", until);
	answer_json(request, json);
}

void alert_actions_unsilence(struct mc_httpd_request *request)
{
	struct act act;

	if (!read_act(request, &act))
		return;
	if (mc_unsilence(web_ctx(request), act.match) == 0)
		answer_json(request, answer_begin());
	else
		answer_refuse(request, 404, "there is no silence of that pattern");
}

void alert_actions_silences(struct mc_httpd_request *request)
{
	struct mc_json *json = answer_begin();
	struct report_json report = report_json(json);

	report_json_list(&report, "silences");
	mc_report_silences(web_ctx(request), &report.base);
	report_json_list_end(&report);
	answer_json(request, json);
}
