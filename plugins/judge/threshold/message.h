/* SPDX-License-Identifier: MIT */
/* Texts of notifications: collectd's texts and fields, which programs look for, or those of a
 * Message. */
#pragma once

#include <collector/control.h>

#include "verdict.h"

#define MESSAGE_SIZE 1024
#define MESSAGE_NUMBER_SIZE 32
#define MESSAGE_FIELDS 6

/* The subject of a notification about a series. */
struct story {
	struct mc_id id;
	enum mc_state state;
	const struct verdict *verdict;
	const char *source; /* Its name. */
	double current;     /* The rate of that source. */
	const char *unit;   /* Of its type. */

	/* Where the values of other series are; NULL: they are unknown. */
	struct mc_reading *reading;
};

/* "Host a, plugin b type c: Data source ...", or the Message of the rule. */
void message_write(const struct story *, char out[MESSAGE_SIZE]);

/* "Host a, plugin b type c: " and why its alert has ended, a sentence. */
void message_of_end(const struct mc_id *, const char *why, char out[MESSAGE_SIZE]);

/* The same for a state that changes too often. */
void message_of_flapping(const struct story *, char out[MESSAGE_SIZE]);

/* "load shortterm of load on web is 12, above 10", as an alert without a Message says it; without
 * a rule it is of before the start. */
void message_reason(const struct story *, char out[MESSAGE_SIZE]);

/* The same of a series without values. */
void message_missing(const struct story *, double seconds, char out[MESSAGE_SIZE]);

/* The Advice of the rule; "" without one. */
void message_advice(const struct story *, char out[MESSAGE_SIZE]);

/* DataSource, CurrentValue and the bounds, as programs of NotificationExec get them. */
struct message_fields {
	struct mc_field items[MESSAGE_FIELDS];
	char numbers[MESSAGE_FIELDS - 1][MESSAGE_NUMBER_SIZE];
};
void message_fields(const struct story *, struct message_fields *);
