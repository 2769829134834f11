/* SPDX-License-Identifier: MIT */
/* Lines of collector-ipmi, as program/say.h has them. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

struct report {
	char letter;     /* Its kind. */
	unsigned id;     /* Of a sensor: of '+', '-', 'v', 'n', 'f'. */
	double value;    /* Of 'v'. */
	const char *why; /* Of 'f', 'd' and 'i'. */

	/* Of '+' and 'e': type and type instance; its name, or the message. */
	const char *type, *type_instance, *text;

	enum mc_severity severity; /* Of 'e', as the rest. */
	mc_time time;
	struct mc_field fields[MC_FIELDS_MAX];
	unsigned fields_len;
};

/* Cuts the line into pieces, which the report has pointers to.  False: it is not understood. */
bool report_read(char *line, struct report *report);
