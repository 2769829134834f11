/* SPDX-License-Identifier: MIT */
/* Sends a mail by SMTP, with libcurl.  Facts: curl_easy_setopt(3), RFC 5321.  Thread: one at a
 * time. */
#pragma once

#include <collector/plugin.h>

enum smtp_tls {                /* The words of the option TLS, in this order. */
		SMTP_AUTO,     /* STARTTLS, where a user logs in elsewhere. */
		SMTP_NONE,     /* */
		SMTP_STARTTLS, /* Or no mail. */
		SMTP_IMPLICIT, /* From the first byte on. */
};

struct smtp_settings {
	const char *server, *user, *password, *from, *ca;
	int64_t port;
	struct mc_strings recipients;
	int tls; /* enum smtp_tls */
	mc_time timeout;
};

struct smtp;

/* Makes one in '*smtp'; settings must outlive it.  0, or what mc_fail() returned. */
int smtp_new(struct mc_ctx *, const struct smtp_settings *, struct smtp **smtp);
void smtp_free(struct smtp *); /* NULL is fine. */

/* Sends it to all recipients.  0; -EAGAIN: it may be taken later; -EPROTO: it never will.  'why' is
 * then the reason, and also after 0 if some recipients were refused, else "". */
#define SMTP_WHY_SIZE 256
int smtp_send(struct smtp *, const char *mail, size_t size, char why[SMTP_WHY_SIZE]);
