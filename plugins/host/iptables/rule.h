/* SPDX-License-Identifier: MIT */
/* rule: the series of a rule of a packet filter, in any kind of table. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Of one rule; iptables(8) takes several, further ones are passed over. */
#define RULE_COMMENTS_MAX 4

struct rule_text { /* Not ended by '\0'. */
	const char *text;
	size_t size;
};

struct rule {
	uint64_t bytes, packets;
	struct rule_text comments[RULE_COMMENTS_MAX];
	size_t comments_len;
};
