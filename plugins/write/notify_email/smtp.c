/* SPDX-License-Identifier: MIT */
#include "smtp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>

#include "kit/net/http_client/transfers.h"

#define QUIT_PATIENCE MC_SECOND

struct smtp {
	struct mc_loop loop;
	struct mc_transfers transfers;
	struct mc_transfer transfer;
	struct curl_slist *recipients;
	mc_time timeout;
	const char *left; /* Of the mail. */
	size_t left_size;
	char refusal[SMTP_WHY_SIZE]; /* The server's last; "": none. */
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

/* libcurl waits for the reply to QUIT, too, which does not matter any more. */
static void set_patience(struct smtp *smtp, mc_time time)
{
	curl_easy_setopt(smtp->transfer.curl, CURLOPT_SERVER_RESPONSE_TIMEOUT,
			 (long)((time + MC_SECOND - 1) / MC_SECOND));
}

/* The server's lines, of which 4xx and 5xx are refusals. */
static size_t take_line(char *line, size_t one, size_t size, void *argument)
{
	struct smtp *smtp = argument;
	size_t shown = size;

	(void)one;
	if (smtp->left_size == 0 && size > 3 && line[3] == ' ')
		set_patience(smtp, QUIT_PATIENCE);
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

/* --- Life ----------------------------------------------------------------- */

/* The effect of 'tls': SMTP_AUTO is SMTP_STARTTLS where a user logs in at a server that is not
 * this host; else STARTTLS if it is offered, without verification of the server. */
static enum smtp_tls effective_tls(const struct smtp_settings *settings)
{
	if (settings->tls == SMTP_AUTO && settings->user != NULL &&
	    !mc_check_is_local(settings->server))
		return SMTP_STARTTLS;
	return (enum smtp_tls)settings->tls;
}

static void set_tls(CURL *curl, const struct smtp_settings *settings)
{
	enum smtp_tls tls = effective_tls(settings);
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
	CURL *curl = smtp->transfer.curl;

	set_url(curl, settings);
	set_tls(curl, settings);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	/* Else it waits for a name server beyond all time limits. */
	curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
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

static void add_recipients(struct smtp *smtp, const struct mc_strings *recipients)
{
	for (size_t i = 0; i < recipients->len; i++) {
		struct curl_slist *longer =
			curl_slist_append(smtp->recipients, recipients->items[i]);

		if (longer != NULL)
			smtp->recipients = longer;
	}
}

int smtp_new(struct mc_ctx *ctx, const struct smtp_settings *settings, struct smtp **smtp)
{
	struct smtp *made = mc_alloc_zero(sizeof(*made));
	int rc;

	made->timeout = settings->timeout;
	made->loop.ctx = ctx;
	made->transfer.curl = curl_easy_init();
	add_recipients(made, &settings->recipients);
	rc = mc_loop_init(&made->loop);
	if (rc == 0)
		rc = mc_transfers_init(&made->transfers, &made->loop, 1);
	if (rc == 0 && (made->transfer.curl == NULL || made->recipients == NULL))
		rc = mc_fail(ctx, ENOMEM, "cannot set libcurl up");
	if (rc < 0) {
		smtp_free(made);
		return rc;
	}
	set_options(made, settings);
	*smtp = made;
	return 0;
}

void smtp_free(struct smtp *smtp)
{
	if (smtp == NULL)
		return;
	curl_easy_cleanup(smtp->transfer.curl);
	mc_transfers_done(&smtp->transfers);
	mc_loop_done(&smtp->loop);
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
	smtp->refusal[0] = '\0';
	set_patience(smtp, smtp->timeout);
	curl_easy_setopt(smtp->transfer.curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)size);
	code = mc_transfers_wait(&smtp->transfers, &smtp->transfer, smtp->timeout);
	if (code == CURLE_OK || smtp->refusal[0] != '\0')
		snprintf(why, SMTP_WHY_SIZE, "%s", smtp->refusal);
	else
		mc_transfers_why(&smtp->transfer, code, why, SMTP_WHY_SIZE);
	return verdict(smtp, code);
}
