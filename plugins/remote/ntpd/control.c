/* SPDX-License-Identifier: MIT */
#include "control.h"

#include <assert.h>
#include <string.h>

#define HEAD_SIZE ((size_t)12)
#define PROTOCOL 2 /* What ntpq(1) says; servers answer with the same. */
#define MODE 6

enum { IS_ANSWER = 0x80, IS_ERROR = 0x40, HAS_MORE = 0x20, OPCODE = 0x1f };

static void write_16(uint8_t *bytes, unsigned number)
{
	bytes[0] = (uint8_t)(number >> 8);
	bytes[1] = (uint8_t)number;
}

static unsigned read_16(const uint8_t *bytes)
{
	return (unsigned)bytes[0] << 8 | bytes[1];
}

size_t control_write(const struct control_question *question, uint8_t bytes[CONTROL_QUESTION_MAX])
{
	size_t size = strlen(question->names);

	assert(size <= CONTROL_QUESTION_MAX - HEAD_SIZE);
	memset(bytes, 0, CONTROL_QUESTION_MAX);
	bytes[0] = PROTOCOL << 3 | MODE;
	bytes[1] = (uint8_t)question->opcode;
	write_16(bytes + 2, question->sequence);
	write_16(bytes + 6, question->association);
	write_16(bytes + 10, (unsigned)size);
	memcpy(bytes + HEAD_SIZE, question->names, size);
	return HEAD_SIZE + (size + 3) / 4 * 4;
}

void control_begin(struct control_answer *answer)
{
	answer->parts_len = 0;
	answer->size = answer->taken = 0;
	answer->has_end = false;
	answer->error = 0;
}

/* Parts come in any order, and a packet may come twice. */
static enum control_kind add_part(struct control_answer *answer, struct control_part part,
				  const uint8_t *bytes, bool has_more)
{
	for (unsigned i = 0; i < answer->parts_len; i++) {
		const struct control_part *other = &answer->parts[i];

		if (part.offset == other->offset && part.size == other->size)
			return CONTROL_OTHER;
		if (part.offset < other->offset + other->size &&
		    other->offset < part.offset + part.size)
			return CONTROL_BAD;
	}
	if (answer->parts_len == CONTROL_PARTS_MAX ||
	    part.offset + part.size > CONTROL_ANSWER_MAX || (!has_more && answer->has_end))
		return CONTROL_BAD;
	memcpy(answer->bytes + part.offset, bytes, part.size);
	answer->parts[answer->parts_len++] = part;
	answer->taken += part.size;
	if (!has_more) {
		answer->has_end = true;
		answer->end = part.offset + part.size;
	}
	if (!answer->has_end || answer->taken < answer->end)
		return CONTROL_PART;
	if (answer->taken > answer->end)
		return CONTROL_BAD;
	answer->size = answer->end;
	answer->bytes[answer->size] = '\0';
	return CONTROL_WHOLE;
}

enum control_kind control_add(struct control_answer *answer,
			      const struct control_question *question, const uint8_t *bytes,
			      size_t size)
{
	struct control_part part;

	if (size < HEAD_SIZE || (bytes[0] & 7) != MODE || !(bytes[1] & IS_ANSWER) ||
	    (bytes[1] & OPCODE) != question->opcode || read_16(bytes + 2) != question->sequence)
		return CONTROL_OTHER;
	if (bytes[1] & IS_ERROR) {
		answer->error = bytes[4];
		return CONTROL_REFUSED;
	}
	if (read_16(bytes + 6) != question->association)
		return CONTROL_OTHER;
	part.offset = read_16(bytes + 8);
	part.size = read_16(bytes + 10);
	if (part.size > size - HEAD_SIZE)
		return CONTROL_BAD;
	return add_part(answer, part, bytes + HEAD_SIZE, bytes[1] & HAS_MORE);
}
