/* SPDX-License-Identifier: MIT */
/* Any bytes as packets of an answer of ntpd, each after a byte of its size, and as its text. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "names.h"
#include "variables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at_text(const char *text)
{
	const char *at = text, *before = text;
	struct variable variable;

	while (variables_next(&at, &variable)) {
		int unit;

		assert(at > before && at <= text + strlen(text));
		assert(variable.name[0] != '\0' && strchr(variable.name, ',') == NULL);
		before = at;
		variables_seconds(variable.value);
		variables_is_odd(variable.value);
		names_of_driver(names_driver(variable.value, &unit));
	}
	assert(*at == '\0');
}

/* A packet of its own, so that no byte beyond it is read. */
static enum control_kind add(struct control_answer *answer, const struct control_question *question,
			     const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size > 0 ? size : 1);
	enum control_kind kind;

	if (copy == NULL)
		abort();
	if (size > 0)
		memcpy(copy, bytes, size);
	kind = control_add(answer, question, copy, size);
	free(copy);
	return kind;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct control_answer answer;
	const struct control_question question = { .opcode = CONTROL_VARIABLES,
						   .sequence = 7,
						   .names = "" };
	enum control_kind kind = CONTROL_PART;
	char *text = calloc(1, size + 1);

	if (text == NULL)
		abort();
	memcpy(text, data, size);
	look_at_text(text);
	free(text);
	control_begin(&answer);
	while (size > 0 && (kind == CONTROL_PART || kind == CONTROL_OTHER)) {
		size_t one = data[0] < size - 1 ? data[0] : size - 1;

		kind = add(&answer, &question, data + 1, one);
		data += 1 + one;
		size -= 1 + one;
	}
	if (kind == CONTROL_WHOLE) {
		assert(answer.size <= CONTROL_ANSWER_MAX && answer.bytes[answer.size] == '\0');
		look_at_text((const char *)answer.bytes);
	}
	return 0;
}
