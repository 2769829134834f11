/* SPDX-License-Identifier: MIT */
#include "smtp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/writer.h>

#include <curl/curl.h>

#define STOP_PATIENCE (2 * MC_SECOND) /* For an answer after the stop. */

struct smtp {
	struct mc_ctx *ctx;
	CURL *curl;
	struct curl_slist *recipients;
	mc_time stopped;  /* When the stop was seen; 0: not yet. */
	const char *left; /* Of the mail. */
	size_t left_size;
	char refusal[SMTP_WHY_SIZE]; /* The server's last; "": none. */
	char error[CURL_ERROR_SIZE];
};

/* --- What libcurl calls --------------------------------------------------- */

static size_t give_mail(char *to, size_t one, size_t room, void *argument)
{
	struct smtp *smtp = argument;
	size_t size = one * room < smtp->left_size ? one * room : smtp->left_size;

	memcpy(to, smtp->left, size);
	smtp->left += size;
	smtp->left_size -= size;
	return size;
}

/* The server's lines, of which 4xx and 5xx are refusals. */
static size_t take_line(char *line, size_t one, size_t size, void *argument)
{
	struct smtp *smtp = argument;
	size_t shown = size;

	(void)one;
	if (size < 3 || (line[0] != '4' && line[0] != '5'))
		return size;
	while (shown > 0 && (line[shown - 1] == '\n' || line[shown - 1] == '\r'))
		shown--;
	snprintf(smtp->refusal, sizeof(smtp->refusal), "%.*s",
		 shown < sizeof(smtp->refusal) ? (int)shown : (int)sizeof(smtp->refusal), line);
	for (char *c = smtp->refusal; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return size;
}

/* Ends a transfer that would delay the end of the daemon. */
static int watch_stop(void *argument, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	struct smtp *smtp = argument;

	(void)a, (void)b, (void)c, (void)d;
	if (smtp->stopped == 0 && mc_stopping(smtp->ctx))
		smtp->stopped = mc_now();
	return smtp->stopped != 0 && mc_now() - smtp->stopped > STOP_PATIENCE;
}

/* --- Life ----------------------------------------------------------------- */

enum smtp_tls smtp_tls(const struct smtp_settings *settings)
{
	if (settings->tls == SMTP_AUTO && settings->user != NULL &&
	    !mc_check_is_local(settings->server))
		return SMTP_STARTTLS;
	return (enum smtp_tls)settings->tls;
}

static void set_tls(CURL *curl, const struct smtp_settings *settings)
{
	enum smtp_tls tls = smtp_tls(settings);
	bool verified = tls == SMTP_STARTTLS || tls == SMTP_IMPLICIT;
	long wanted = tls == SMTP_NONE   ? CURLUSESSL_NONE
		      : tls == SMTP_AUTO ? CURLUSESSL_TRY
					 : CURLUSESSL_ALL;

	curl_easy_setopt(curl, CURLOPT_USE_SSL, wanted);
	curl_easy_setopt(curl, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, verified ? 1L : 0L);
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, verified ? 2L : 0L);
	if (settings->ca != NULL)
		curl_easy_setopt(curl, CURLOPT_CAINFO, settings->ca);
}

static void set_url(CURL *curl, const struct smtp_settings *settings)
{
	bool numeric6 = strchr(settings->server, ':') != NULL;
	char *url = mc_alloc_printf(
		"%s://%s%s%s:%" PRId64, settings->tls == SMTP_IMPLICIT ? "smtps" : "smtp",
		numeric6 ? "[" : "", settings->server, numeric6 ? "]" : "", settings->port);

	curl_easy_setopt(curl, CURLOPT_URL, url);
	free(url);
}

static void set_options(struct smtp *smtp, const struct smtp_settings *settings)
{
	CURL *curl = smtp->curl;
	long timeout = (long)(settings->timeout / MC_MILLISECOND);

	set_url(curl, settings);
	set_tls(curl, settings);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	/* Else it waits for a name server beyond all time limits. */
	curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, smtp->error);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, watch_stop);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, smtp);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, timeout);
	curl_easy_setopt(curl, CURLOPT_SERVER_RESPONSE_TIMEOUT, (timeout + 999) / 1000);
	curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
	curl_easy_setopt(curl, CURLOPT_MAIL_FROM, settings->from);
	curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, smtp->recipients);
	/* Those that are right get it. */
	curl_easy_setopt(curl, CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);
	curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_mail);
	curl_easy_setopt(curl, CURLOPT_READDATA, smtp);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_line);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, smtp);
	if (settings->user != NULL) {
		curl_easy_setopt(curl, CURLOPT_USERNAME, settings->user);
		curl_easy_setopt(curl, CURLOPT_PASSWORD,
				 settings->password != NULL ? settings->password : "");
	}
}

struct smtp *smtp_new(struct mc_ctx *ctx, const struct smtp_settings *settings)
{
	struct smtp *smtp = mc_alloc_zero(sizeof(*smtp));

	smtp->ctx = ctx;
	smtp->curl = curl_easy_init();
	for (size_t i = 0; i < settings->recipients.len; i++) {
		struct curl_slist *longer =
			curl_slist_append(smtp->recipients, settings->recipients.items[i]);

		if (longer != NULL)
			smtp->recipients = longer;
	}
	if (smtp->curl == NULL || smtp->recipients == NULL) {
		smtp_free(smtp);
		return NULL;
	}
	set_options(smtp, settings);
	return smtp;
}

void smtp_free(struct smtp *smtp)
{
	if (smtp == NULL)
		return;
	curl_easy_cleanup(smtp->curl);
	curl_slist_free_all(smtp->recipients);
	free(smtp);
}

/* --- Mails ---------------------------------------------------------------- */

/* A password may be corrected on either side; what the server says with 5xx
 * about the mail is its last word. */
static int verdict(const struct smtp *smtp, CURLcode code)
{
	if (code == CURLE_OK)
		return 0;
	if (code != CURLE_LOGIN_DENIED && smtp->refusal[0] == '5')
		return -EPROTO;
	return -EAGAIN;
}

int smtp_send(struct smtp *smtp, const char *mail, size_t size, char why[SMTP_WHY_SIZE])
{
	CURLcode code;

	smtp->left = mail;
	smtp->left_size = size;
	smtp->refusal[0] = smtp->error[0] = '\0';
	curl_easy_setopt(smtp->curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)size);
	code = curl_easy_perform(smtp->curl);
	if (code == CURLE_OK || smtp->refusal[0] != '\0')
		snprintf(why, SMTP_WHY_SIZE, "%s", smtp->refusal);
	else
		snprintf(why, SMTP_WHY_SIZE, "%s",
			 smtp->error[0] != '\0' ? smtp->error : curl_easy_strerror(code));
	return verdict(smtp, code);
}
