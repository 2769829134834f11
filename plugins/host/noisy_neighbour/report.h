/* SPDX-License-Identifier: MIT */
/* Reports the causes of the wait of a guest: as series, and in words. */
#pragma once

#include <collector/plugin.h>

#include "blame.h"
#include "groups.h"
#include "guests.h"
#include "sentences.h"

#define REPORT_TEXT_SIZE 512

struct report { /* Of a read. */
	struct mc_ctx *ctx;
	const struct guests *guests;
	const struct groups *groups;
	const struct verdict_rule *rule;
	struct sentences *sentences;
	bool guests_are_hosts;
};

/* Takes the read of a guest; 'answer' is NULL if nobody was looked for, else its share 'cpu' is
 * that of the virtual CPU that waited longest. */
void report_guest(const struct report *, struct guest *guest, const struct blame_answer *answer,
		  struct mc_batch *out);

/* The sentence: "web1 waits 38 % of the time for CPU 3: 31 % 'backup7', 5 % control group
 * system.slice/apt.service".  Pure. */
void report_sentence(const struct report *, const struct guest *guest,
		     const struct blame_answer *answer, char out[REPORT_TEXT_SIZE]);
