/* SPDX-License-Identifier: MIT */
#include "kit/series/sql_answers.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define NO_TEXT SIZE_MAX

void sql_answers_init(struct sql_answers *answers, size_t len)
{
	*answers = (struct sql_answers){
		.items = mc_alloc_array(len, sizeof(*answers->items)),
		.len = len,
	};
}

void sql_answers_clear(struct sql_answers *answers)
{
	mc_buffer_clear(&answers->texts);
	answers->cells_len = 0;
	for (size_t i = 0; i < answers->len; i++) {
		free(answers->items[i].error);
		answers->items[i] = (struct sql_answer){ 0 };
	}
}

void sql_answers_done(struct sql_answers *answers)
{
	sql_answers_clear(answers);
	mc_buffer_free(&answers->texts);
	free(answers->cells);
	free(answers->items);
	*answers = (struct sql_answers){ 0 };
}

bool sql_answers_add(struct sql_answers *answers, const char *text)
{
	size_t size = text != NULL ? strlen(text) + 1 : 0;

	if (answers->texts.size + size + answers->cells_len * sizeof(size_t) > SQL_ANSWERS_SIZE_MAX)
		return false;
	if (answers->cells_len == answers->cells_capacity) {
		answers->cells_capacity =
			answers->cells_capacity > 0 ? 2 * answers->cells_capacity : 256;
		answers->cells =
			mc_alloc_resize(answers->cells, answers->cells_capacity, sizeof(size_t));
	}
	answers->cells[answers->cells_len++] = text != NULL ? answers->texts.size : NO_TEXT;
	mc_buffer_add(&answers->texts, text, size);
	return true;
}

const char *sql_answers_cell(const struct sql_answers *answers, const struct sql_answer *answer,
			     size_t row, size_t column)
{
	size_t at = answers->cells[answer->first + row * answer->columns + column];

	return at != NO_TEXT ? answers->texts.at + at : NULL;
}
