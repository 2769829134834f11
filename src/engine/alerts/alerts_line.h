/* SPDX-License-Identifier: MIT */
/* A line of the file of alerts: its fields, between tabs.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALERTS_LINE_SIZE 4096      /* The longest, with '\0'. */
#define ALERTS_LINE_NAME_SIZE 1408 /* Of an owner and a series. */

enum alerts_line_kind {
	ALERTS_LINE_STATE,        /* Severity and begin; its reason and advice. */
	ALERTS_LINE_ACKNOWLEDGED, /* enum mc_state and time; the reason. */
	ALERTS_LINE_SILENCE,      /* Begin and end; the reason. */
	ALERTS_LINE_PAST,         /* Severity and time; the reason. */
};

struct alerts_line {
	enum alerts_line_kind kind;
	const char *name;
	int64_t first, second;   /* The first two of the above. */
	const char *text, *more; /* "" without one. */
};

/* Cuts a line without its newline into its fields, which point into it.  False: it is not one of
 * these, or has numbers that cannot be. */
bool alerts_line_parse(char *line, struct alerts_line *);

/* Writes it with a newline; its texts have no tab and no newline.  Returns its size, or 0: it is
 * too long. */
size_t alerts_line_print(const struct alerts_line *, char out[ALERTS_LINE_SIZE]);
