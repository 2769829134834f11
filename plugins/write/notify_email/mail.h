/* SPDX-License-Identifier: MIT */
/* Notifications as one mail.  Facts: RFC 5322, RFC 2047 (words that are not ASCII in a subject),
 * RFC 3834 (Auto-Submitted); the words are those of collectd's plugin.  Pure functions. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/plugin.h>

#define MAIL_NOTIFICATIONS_MAX 1000

struct mail {
	const char *from, *subject; /* The subject has two "%s". */
	struct mc_strings recipients;
	const char *host; /* Of the sender, in the id of the mail. */
	uint64_t number;  /* The same in no other mail of the host. */
	mc_time time;
	const struct mc_notification *const *notifications;
	size_t len; /* 1 to MAIL_NOTIFICATIONS_MAX. */
};

/* Whether it has exactly two "%s", and no '%' besides. */
bool mail_subject_is_right(const char *subject);

/* Appends the whole mail; lines end with "\r\n". */
void mail_write(const struct mail *, struct mc_buffer *out);
