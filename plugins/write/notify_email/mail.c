/* SPDX-License-Identifier: MIT */
#include "mail.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <collector/writer.h>

#define LINE_MAX_SIZE 990 /* RFC 5322 allows 998 bytes. */
#define WORD_SIZE 60      /* Encoded; RFC 2047 allows 75 with its frame. */

static void add_text(struct mc_buffer *out, const char *text)
{
	mc_buffer_add(out, text, strlen(text));
}

__attribute__((format(printf, 2, 3))) static void add(struct mc_buffer *out, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	add_text(out, text);
}

static bool continues(char c) /* A character of UTF-8. */
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* --- The subject ---------------------------------------------------------- */

bool mail_subject_is_right(const char *subject)
{
	unsigned places = 0;

	for (const char *c = strchr(subject, '%'); c != NULL; c = strchr(c + 2, '%')) {
		if (c[1] != 's')
			return false;
		places++;
	}
	return places == 2;
}

static const struct mc_notification *worst(const struct mail *mail)
{
	const struct mc_notification *found = mail->notifications[0];

	for (size_t i = 1; i < mail->len; i++)
		if (mail->notifications[i]->severity < found->severity)
			found = mail->notifications[i];
	return found;
}

static const char *host_of(const struct mc_notification *notification)
{
	return notification->id.host != NULL ? notification->id.host : "";
}

static const char *common_host(const struct mail *mail)
{
	const char *host = host_of(mail->notifications[0]);

	for (size_t i = 1; i < mail->len; i++)
		if (strcmp(host, host_of(mail->notifications[i])) != 0)
			return "several hosts";
	return host;
}

/* With the severity and the host at their places, and how many there are. */
static void fill_subject(const struct mail *mail, struct mc_buffer *out)
{
	const char *const words[] = { mc_severity_name(worst(mail)->severity), common_host(mail) };
	const char *at = mail->subject, *place;

	for (unsigned i = 0; i < 2 && (place = strstr(at, "%s")) != NULL; i++) {
		mc_buffer_add(out, at, (size_t)(place - at));
		add_text(out, words[i]);
		at = place + 2;
	}
	add_text(out, at);
	if (mail->len > 1)
		add(out, " (%zu notifications)", mail->len);
}

static bool is_plain(const char *text)
{
	for (; *text >= ' ' && *text <= '~'; text++)
		;
	return *text == '\0';
}

/* As words of RFC 2047, section 4.2, no character in two of them. */
static void add_encoded(struct mc_buffer *out, const char *text)
{
	size_t size = 0;

	add_text(out, "=?UTF-8?Q?");
	for (; *text != '\0'; text++) {
		if (size >= WORD_SIZE - 12 && !continues(*text)) {
			add_text(out, "?=\r\n =?UTF-8?Q?");
			size = 0;
		}
		add(out, "=%02X", (unsigned char)*text);
		size += 3;
	}
	add_text(out, "?=");
}

static void add_subject(const struct mail *mail, struct mc_buffer *out)
{
	struct mc_buffer subject = { 0 };

	fill_subject(mail, &subject);
	add_text(out, "Subject: ");
	if (is_plain(subject.at) && subject.size < LINE_MAX_SIZE / 2)
		add_text(out, subject.at);
	else
		add_encoded(out, subject.at);
	add_text(out, "\r\n");
	mc_buffer_free(&subject);
}

/* --- Headers -------------------------------------------------------------- */

static void add_date(struct mc_buffer *out, mc_time time)
{
	static const char *const days[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t seconds = (time_t)(time / MC_SECOND);
	struct tm at;

	if (gmtime_r(&seconds, &at) == NULL)
		return;
	add(out, "Date: %s, %02d %s %d %02d:%02d:%02d +0000\r\n", days[at.tm_wday], at.tm_mday,
	    months[at.tm_mon], at.tm_year + 1900, at.tm_hour, at.tm_min, at.tm_sec);
}

static void add_headers(const struct mail *mail, struct mc_buffer *out)
{
	add_date(out, mail->time);
	add_text(out, "From: ");
	add_text(out, mail->from);
	for (size_t i = 0; i < mail->recipients.len; i++) {
		add_text(out, i == 0 ? "\r\nTo: " : ",\r\n ");
		add_text(out, mail->recipients.items[i]);
	}
	add_text(out, "\r\n");
	add_subject(mail, out);
	add(out, "Message-ID: <%" PRId64 ".%" PRIx64 "@%s>\r\n", mail->time / MC_SECOND,
	    mail->number, is_plain(mail->host) ? mail->host : "localhost");
	add_text(out, "Auto-Submitted: auto-generated\r\n"
		      "MIME-Version: 1.0\r\n"
		      "Content-Type: text/plain; charset=\"UTF-8\"\r\n"
		      "Content-Transfer-Encoding: 8bit\r\n\r\n");
}

/* --- The body ------------------------------------------------------------- */

/* A line is broken where it is too long, between characters. */
static void add_lines(struct mc_buffer *out, const char *text)
{
	size_t left = strlen(text);

	while (left > LINE_MAX_SIZE) {
		size_t size = LINE_MAX_SIZE;

		while (size > LINE_MAX_SIZE - 4 && continues(text[size]))
			size--;
		mc_buffer_add(out, text, size);
		add_text(out, "\r\n");
		text += size;
		left -= size;
	}
	add_text(out, text);
	add_text(out, "\r\n");
}

static void add_notification(const struct mc_notification *notification, struct mc_buffer *out)
{
	time_t seconds = (time_t)(notification->time / MC_SECOND);
	char when[32] = "";
	struct tm at;

	if (localtime_r(&seconds, &at) != NULL)
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %z", &at);
	add(out, "%s - %s@%s\r\n\r\n", when, mc_severity_name(notification->severity),
	    host_of(notification));
	add_text(out, "Message: ");
	add_lines(out, notification->message != NULL ? notification->message : "");
}

void mail_write(const struct mail *mail, struct mc_buffer *out)
{
	add_headers(mail, out);
	for (size_t i = 0; i < mail->len; i++) {
		if (i > 0)
			add_text(out, "\r\n");
		add_notification(mail->notifications[i], out);
	}
}
