/* SPDX-License-Identifier: MIT */
/* notify_email - notifications as mails, those of a moment in one.  Facts:
 * collectd.conf(5), "Plugin notify_email". */
#include <collector/check.h>
#include <collector/kit/backoff.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mail.h"
#include "smtp.h"

#define LONGEST (60 * MC_SECOND) /* Between two tries. */

struct notify_email {
	struct smtp_settings smtp_settings;
	const char *subject;
	mc_time linger;
	int64_t notice_rate;

	struct smtp *smtp;
	struct mc_backoff backoff;
	struct mc_once recipients; /* Some were refused. */
	struct mc_buffer mail;
	uint64_t number; /* Of the last mail. */
	char why[SMTP_WHY_SIZE];
};

static const char *const tls_words[] = { "auto", "none", "starttls", "implicit", NULL };

static const struct mc_option options[] = {
	{ "SMTPServer", MC_OPT_STRING(struct notify_email, smtp_settings.server),
	  .default_value = "localhost", .help = "Host of the mail server." },
	{ "SMTPPort", MC_OPT_INT(struct notify_email, smtp_settings.port), .default_value = "25",
	  .help = "Port of the mail server.", .min = 1, .max = 65535 },
	{ "SMTPUser", MC_OPT_STRING(struct notify_email, smtp_settings.user),
	  .help = "User at the mail server; by default none.", .sample = "collector" },
	{ "SMTPPassword", MC_OPT_STRING(struct notify_email, smtp_settings.password),
	  .help = "Password of that user.", .secret = true, .sample = "secret" },
	{ "TLS", MC_OPT_WORD(struct notify_email, smtp_settings.tls), .default_value = "auto",
	  .words = tls_words,
	  .help = "Encryption; auto: as starttls with SMTPUser and a server on "
		  "another host, else STARTTLS if the server offers it, "
		  "without verifying the server; starttls: STARTTLS, or "
		  "nothing is sent; implicit: from the first byte, as on port "
		  "465." },
	{ "CACert", MC_OPT_STRING(struct notify_email, smtp_settings.ca),
	  .help = "File with the authorities that must have signed the "
		  "server's certificate; by default those of the system.",
	  .sample = "/etc/collector/ca.pem" },
	{ "From", MC_OPT_STRING(struct notify_email, smtp_settings.from),
	  .default_value = "root@localhost", .help = "Sender of mails." },
	{ "Recipient", MC_OPT_STRINGS(struct notify_email, smtp_settings.recipients),
	  .required = true, .help = "Address that mails go to.", .sample = "operator@example.org" },
	{ "Subject", MC_OPT_STRING(struct notify_email, subject),
	  .default_value = "Collectd notify: %s@%s",
	  .help = "Subject of mails, with two \"%s\", for the severity and the "
		  "host." },
	{ "BatchFlushTimeout", MC_OPT_TIME(struct notify_email, linger), .default_value = "5",
	  .help = "Seconds that notifications wait for others, to share a "
		  "mail; 0: they do not wait.",
	  .max = 3600 },
	{ "Timeout", MC_OPT_TIME(struct notify_email, smtp_settings.timeout), .default_value = "30",
	  .help = "Seconds that a mail may take.", .min = 0.1, .max = 600 },
	MC_NOTICE_RATE(struct notify_email, notice_rate),
	{ 0 },
};

/* --- Life ----------------------------------------------------------------- */

/* Neither the protocol nor a header ends within it. */
static void check_address(struct mc_ctx *ctx, const char *const *address)
{
	for (const char *c = *address; *c != '\0'; c++)
		if (*c < ' ' || *c == '\x7f') {
			mc_check_error(ctx, address, "has characters that no address has");
			return;
		}
}

static void email_check(struct mc_ctx *ctx)
{
	const struct notify_email *self = ctx->self;
	const struct smtp_settings *smtp = &self->smtp_settings;

	check_address(ctx, &smtp->from);
	for (size_t i = 0; i < smtp->recipients.len; i++) {
		check_address(ctx, &smtp->recipients.items[i]);
		if (strchr(smtp->recipients.items[i], '@') == NULL)
			mc_check_warn(ctx, &smtp->recipients.items[i],
				      "has no '@': it is a mailbox of the mail server");
	}
	if (!mail_subject_is_right(self->subject))
		mc_check_error(ctx, &self->subject, "must have \"%%s\" twice, and no '%%' besides");
	mc_check_file(ctx, &smtp->ca);
	mc_check_password(ctx, &smtp->password);
	if (smtp->password != NULL && smtp->user == NULL)
		mc_check_warn(ctx, &smtp->password, "is of no SMTPUser");
	if (smtp->user != NULL && smtp->tls == SMTP_NONE && !mc_check_is_local(smtp->server))
		mc_check_warn(ctx, &smtp->tls, "lets others read the password of SMTPUser");
}

static int email_start(struct mc_ctx *ctx)
{
	struct notify_email *self = ctx->self;

	self->backoff.longest = LONGEST;
	self->number = (uint64_t)mc_wall();
	mc_linger_notifications(ctx, self->linger);
	mc_limit_notifications(ctx, (uint64_t)self->notice_rate);
	return smtp_new(ctx, &self->smtp_settings, &self->smtp);
}

static void email_stop(struct mc_ctx *ctx)
{
	struct notify_email *self = ctx->self;

	smtp_free(self->smtp);
	mc_buffer_free(&self->mail);
}

/* --- Mails ---------------------------------------------------------------- */

static void write_mail(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct notify_email *self = ctx->self;
	const struct mc_notification *all[MAIL_NOTIFICATIONS_MAX];
	struct mail mail = {
		.from = self->smtp_settings.from,
		.subject = self->subject,
		.recipients = self->smtp_settings.recipients,
		.host = ctx->host,
		.number = ++self->number,
		.time = mc_wall(),
		.notifications = all,
	};

	while (notification != NULL) {
		all[mail.len++] = notification;
		notification = mail.len < MAIL_NOTIFICATIONS_MAX ? mc_next_notification(ctx) : NULL;
	}
	mc_buffer_clear(&self->mail);
	mail_write(&mail, &self->mail);
}

static int fail(struct mc_ctx *ctx, int errnum)
{
	const struct notify_email *self = ctx->self;
	const struct smtp_settings *smtp = &self->smtp_settings;

	return mc_fail(ctx, errnum, "cannot send by '%s' port %d: %s", smtp->server,
		       (int)smtp->port, self->why);
}

static int email_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct notify_email *self = ctx->self;
	int rc;

	if (mc_now() < self->backoff.until && !mc_stopping(ctx))
		return fail(ctx, EAGAIN);
	write_mail(ctx, notification);
	rc = smtp_send(self->smtp, self->mail.at, self->mail.size, self->why);
	if (rc == -EAGAIN) {
		mc_backoff_failed(&self->backoff, mc_now(), 0);
		return fail(ctx, EAGAIN);
	}
	mc_backoff_done(&self->backoff);
	if (rc < 0)
		return fail(ctx, 0);
	if (self->why[0] != '\0')
		mc_complain(ctx, &self->recipients, 0, "'%s' refuses recipients: %s",
			    self->smtp_settings.server, self->why);
	else
		mc_works(ctx, &self->recipients, "all recipients are accepted");
	return 0;
}

MC_PLUGIN(notify_email) = {
	MC_NAMED(notify_email),
	.help = "Sends notifications as mails.",
	.self_size = sizeof(struct notify_email),
	.options = options,
	.check = email_check,
	.start = email_start,
	.writer = &(const struct mc_writer){ .notify = email_notify },
	.stop = email_stop,
	.lenient = true,
};
