/* SPDX-License-Identifier: MIT */
/* Any bytes as a state file of migration, and after a good first line: what is read can be written
 * and read again; and as a stream, whose values are then taken without a jump. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "moves.h"
#include "record.h"
#include "text.h"

#define NOW (1000000 * MC_SECOND)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_again(struct moves *moves, const struct record_wait *waits)
{
	struct mc_buffer written = { 0 };
	struct moves again = { 0 };
	struct record_wait *waits_again;
	ptrdiff_t damaged, waits_len = 0;

	mc_buffer_add(&written, RECORD_HEAD, strlen(RECORD_HEAD));
	for (struct moves_guest *at = NULL; (at = moves_next(moves, at)) != NULL;)
		record_write(&written, at, NOW);
	for (const struct record_wait *at = waits; at != NULL; at = at->next)
		record_write_wait(&written, at);
	damaged = record_read(written.at, written.size, &again, NOW, &waits_again);
	assert(damaged == 0);
	for (; waits != NULL; waits = waits->next)
		waits_len++;
	for (const struct record_wait *at = waits_again; at != NULL; at = at->next)
		waits_len--;
	assert(waits_len == 0);
	record_free_waits(waits_again);
	assert(again.guests.len == moves->guests.len);
	moves_done(&again);
	mc_buffer_free(&written);
}

static void read_as_file(const char *head, const uint8_t *data, size_t size)
{
	size_t text_size;
	char *text = fuzz_text_after(head, data, size, &text_size);
	struct moves moves = { 0 };
	struct record_wait *waits;
	ptrdiff_t damaged;

	damaged = record_read(text, text_size, &moves, NOW, &waits);
	assert(damaged <= (ptrdiff_t)size + 1);
	assert(damaged >= 0 || *head == '\0');
	write_again(&moves, waits);
	record_free_waits(waits);
	moves_done(&moves);
	free(text);
}

static void take_as_stream(const uint8_t *data, size_t size)
{
	char text[MC_SOURCES_MAX * 4] = "";
	union mc_value value = { .counter = 10 };
	struct moves_sample sample = { .host = "h",
				       .name = "virt/a",
				       .stream = "g uuid - h",
				       .now = NOW,
				       .interval = MC_SECOND,
				       .counters = 1,
				       .values = &value,
				       .values_len = 1 };
	struct moves moves = { 0 };

	if (size >= sizeof(text))
		return;
	if (size > 0)
		memcpy(text, data, size);
	moves_take(&moves, &sample);
	value.counter = 1;
	sample.stream = text;
	if (moves_take(&moves, &sample) == MOVES_TAKEN)
		assert(value.counter == 1 || value.counter == 11);
	moves_done(&moves);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_as_file("", data, size);
	read_as_file(RECORD_HEAD, data, size);
	take_as_stream(data, size);
	return 0;
}
