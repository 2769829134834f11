/* SPDX-License-Identifier: MIT */
/* Any bytes as a stream of ovsdb-server, and each message in it as an answer. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(const char *text, size_t size)
{
	struct answer answer;

	answer_read(&answer, text, size);
	for (size_t i = 0; i < ANSWER_TABLES; i++) {
		for (const struct answer_row *row = answer.rows[i]; row != NULL; row = row->next) {
			assert(row->name != NULL && row->name[0] != '\0');
			assert(answer_find(&answer, (enum answer_table)i, row->uuid) == row);
			assert((row->counters != NULL) == (i == ANSWER_INTERFACES));
		}
	}
	assert(answer.kind != ANSWER_ERROR || answer.why[0] != '\0');
	answer_free(&answer);
}

/* By pieces a message ends where it ends as a whole. */
static size_t look_by_pieces(const char *bytes, size_t size)
{
	struct frame frame = { 0 };
	size_t whole;

	for (size_t available = 0; available < size; available++)
		if (frame_look(&frame, bytes, available, &whole) != FRAME_PART)
			return available;
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = malloc(size + 1);
	struct frame frame = { 0 };
	size_t done = 0, whole;

	if (bytes == NULL)
		abort();
	if (size > 0)
		memcpy(bytes, data, size);
	while (frame_look(&frame, bytes + done, size - done, &whole) == FRAME_WHOLE) {
		assert(whole > 0 && whole <= size - done);
		if (size < 4096)
			assert(look_by_pieces(bytes + done, size - done) == whole);
		look_at(bytes + done, whole);
		done += whole;
	}
	look_at(bytes, size);
	free(bytes);
	return 0;
}
