/* SPDX-License-Identifier: MIT */
/* Lines of upsd's answer to "LIST VAR ups". */
#pragma once

#include <stdbool.h>

enum answer_line {
	ANSWER_BAD,      /* It is no such line. */
	ANSWER_BEGIN,    /* The variables follow. */
	ANSWER_VARIABLE, /* '*variable' is filled. */
	ANSWER_END,
	ANSWER_ERROR, /* The name of the variable is what is wrong, "DATA-STALE". */
};

struct answer_variable {
	const char *name, *value; /* In the line. */
};

/* Reads a line about that UPS, and changes it. */
enum answer_line answer_read(char *line, const char *ups, struct answer_variable *variable);
