/* SPDX-License-Identifier: MIT */
/* Control messages of NTP, mode 6 (RFC 9327): questions, and answers in parts.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTROL_QUESTION_MAX ((size_t)480) /* Bytes of a packet that servers take. */
#define CONTROL_ANSWER_MAX ((size_t)65535)
#define CONTROL_PARTS_MAX 256

enum control_opcode {
	CONTROL_STATUS = 1,    /* Associations: two numbers of 16 bits each. */
	CONTROL_VARIABLES = 2, /* Text. */
};

struct control_question {
	enum control_opcode opcode;
	uint16_t sequence;    /* Identifies the answer. */
	uint16_t association; /* 0: the server itself. */
	const char *names;    /* Of variables; "": those that the server likes. */
};

struct control_answer {
	uint8_t bytes[CONTROL_ANSWER_MAX + 1]; /* Ends with '\0'. */
	size_t size;                           /* When it is whole. */
	struct control_part {
		size_t offset, size;
	} parts[CONTROL_PARTS_MAX];
	unsigned parts_len;
	size_t taken;   /* Bytes of all parts. */
	bool has_end;   /* The last part has come: */
	size_t end;     /* it ends here. */
	unsigned error; /* Of CONTROL_REFUSED: RFC 9327, 3.4. */
};

enum control_kind {
	CONTROL_OTHER,   /* It does not belong to the question. */
	CONTROL_REFUSED, /* As 'error' says. */
	CONTROL_PART,    /* More is to come. */
	CONTROL_WHOLE,
	CONTROL_BAD, /* Its parts do not fit together. */
};

#define CONTROL_NO_ASSOCIATION 4 /* Errors. */
#define CONTROL_NO_VARIABLE 5

/* The size of the packet. */
size_t control_write(const struct control_question *, uint8_t bytes[CONTROL_QUESTION_MAX]);

void control_begin(struct control_answer *);

/* Adds a packet that has come. */
enum control_kind control_add(struct control_answer *, const struct control_question *,
			      const uint8_t *bytes, size_t size);
