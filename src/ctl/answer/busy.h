/* SPDX-License-Identifier: MIT */
/* Which series are the busiest: fed from the stream, asked by top. */
#pragma once

#include "ctl/answer/stream.h"
#include "ctl/print/amount.h"

#define BUSY_MAX 65536 /* Series beyond it are not followed. */

struct busy_series {
	char *name;
	const struct mc_type *type;
	mc_time time;   /* Time of the last sample. */
	double value;   /* Raw, of the first source. */
	double rate;    /* Value of the first source, as in GETVAL; or NaN. */
	double change;  /* How much the rate moved lately, as a share: 0 to 1. */
	double updates; /* Samples per second. */
};

struct busy {
	struct busy_series **slots; /* Hash table; empty ones are NULL. */
	size_t slots_len, len;
};

enum busy_order {
	BUSY_BY_CHANGE,
	BUSY_BY_VALUE, /* As amount_compare() has it. */
	BUSY_BY_UPDATES,
	BUSY_BY_NAME,
	BUSY_GUESTS, /* The processors of virtual machines only, by value. */
	BUSY_STEAL,  /* Only what guests suffer because of others, by value. */
};
#define BUSY_ORDERS 6

/* Name of an order, on the command line and the screen. */
extern const char *const busy_order_names[BUSY_ORDERS];

/* The rate as it is shown. */
struct amount busy_amount(const struct busy_series *);

void busy_init(struct busy *);
void busy_done(struct busy *);

/* Takes in a sample. */
void busy_add(struct busy *, const struct stream_event *);

/* The first 'len' series in that order; returns how many there were. */
size_t busy_first(const struct busy *, enum busy_order, const struct busy_series **first,
		  size_t len);
