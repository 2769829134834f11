/* SPDX-License-Identifier: MIT */
/* What is told: collectd's texts and fields, which programs look for, or those
 * of a Message.  Pure functions. */
#pragma once

#include "check.h"

#define TEXT_SIZE 1024
#define TEXT_NUMBER_SIZE 32
#define TEXT_FIELDS 6

/* What is told of a series. */
struct story {
	struct mc_id id;
	enum mc_state state;
	const struct verdict *verdict;
	const char *source; /* Its name. */
	double current;     /* The rate of that source. */
};

/* "Host a, plugin b type c: Data source ...", or the Message of the rule. */
void text_message(const struct story *, char out[TEXT_SIZE]);

/* "Host a, plugin b type c: " and why its alert has ended, a sentence. */
void text_end(const struct mc_id *, const char *why, char out[TEXT_SIZE]);

/* Likewise, that it changes its state too often. */
void text_flapping(const struct story *, char out[TEXT_SIZE]);

/* "shortterm is 12, above 10": for collectorctl. */
void text_reason(const struct rule *, enum mc_state, const char *source, double value,
		 char out[TEXT_SIZE]);

/* DataSource, CurrentValue and the bounds, as programs of NotificationExec get
 * them. */
struct text_fields {
	struct mc_field items[TEXT_FIELDS];
	char numbers[TEXT_FIELDS - 1][TEXT_NUMBER_SIZE];
};
void text_fields(const struct story *, struct text_fields *);
