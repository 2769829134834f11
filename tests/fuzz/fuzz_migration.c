/* SPDX-License-Identifier: MIT */
/* Any bytes as a state file of migration, and after a good first line: what is read can be written
 * and read again, and values of the guest go on, also when it has moved; and as a stream, whose
 * values are then taken without a jump. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
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

/* What is stored of each source; the raw values are all 'value'. */
static void take_all(struct moves *moves, struct moves_sample *sample, uint64_t value)
{
	enum moves_verdict verdict;

	for (unsigned i = 0; i < sample->values_len; i++)
		sample->values[i].counter = value;
	verdict = moves_take(moves, sample);
	assert(verdict == MOVES_TAKEN);
}

static bool has_generation(const struct moves_guest *guest, const char *name)
{
	for (unsigned i = 0; i < MOVES_GENERATIONS; i++)
		if (strcmp(guest->generations[i].stream.generation, name) == 0)
			return true;
	return false;
}

/* A number that is the name of none. */
static unsigned new_generation(const struct moves_guest *guest)
{
	unsigned number = 0;
	char name[16];

	do
		snprintf(name, sizeof(name), "%u", ++number);
	while (has_generation(guest, name));
	return number;
}

static void go_on(struct moves *moves)
{
	const struct moves_guest *guest = moves_next(moves, NULL);
	const struct moves_series *series = guest != NULL ? moves_next_series(guest, NULL) : NULL;
	union mc_value values[MC_SOURCES_MAX], before[MC_SOURCES_MAX];
	char stream[4 * STREAM_PART_SIZE];
	struct moves_sample sample = {
		.stream = stream, .now = NOW, .time = NOW, .interval = MC_SECOND, .values = values
	};
	const struct stream *of;

	if (series == NULL)
		return;
	of = &guest->generations[guest->current].stream;
	sample.host = guest->host;
	sample.name = series->name;
	sample.values_len = series->len;
	sample.counters = UINT64_MAX >> (MC_SOURCES_MAX - series->len);
	snprintf(stream, sizeof(stream), "%s %s - %s", of->generation, of->uuid, of->hypervisor);
	take_all(moves, &sample, 10);
	memcpy(before, values, sizeof(before));
	snprintf(stream, sizeof(stream), "%u %s m elsewhere", new_generation(guest), of->uuid);
	sample.now = sample.time = NOW + 100 * MC_SECOND;
	take_all(moves, &sample, 1);
	for (unsigned i = 0; i < sample.values_len; i++)
		assert(values[i].counter == before[i].counter + 1);
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
	go_on(&moves);
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
