/* SPDX-License-Identifier: MIT */
/* Lines of mcelog's answer to "dump all bios". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ANSWER_NAME_SIZE 128

struct answer_errors {
	int64_t total, recent;         /* -1: not there. */
	char period[ANSWER_NAME_SIZE]; /* Of the recent ones: "24h". */
};

struct answer_module {               /* Of memory. */
	char name[ANSWER_NAME_SIZE]; /* "SOCKET_0_CHANNEL_1_DIMM_0_DIMM_F1"; "": none. */
	struct answer_errors corrected, uncorrected;
	struct answer_errors *section; /* Of the lines to come; NULL: none. */
};

enum answer_line {
	ANSWER_PART,   /* Of a module, or of nothing. */
	ANSWER_MODULE, /* A module is complete. */
	ANSWER_DONE,   /* The same, if it has a name; and it was the last. */
	ANSWER_BAD,    /* Invalid. */
};

/* Before the first line, and after each module. */
void answer_begin(struct answer_module *);

enum answer_line answer_read(struct answer_module *, const char *line);
