/* SPDX-License-Identifier: MIT */
/* Any bytes as a request of remote write, of the version that the first one says.  What can be read
 * is written again, in both versions, and reads the same. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/remote_write/remote_write.h"

#define SAMPLES_MAX 64
#define LABELS_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	struct symbols symbols;
	struct remote_write_sample samples[SAMPLES_MAX];
	size_t len;
};

static char *copy(struct remote_write_text text)
{
	char *made = malloc(text.size + 1);

	assert(made != NULL);
	if (text.size > 0)
		memcpy(made, text.at, text.size);
	made[text.size] = '\0';
	return made;
}

static void take(void *argument, const struct remote_write_read_sample *sample)
{
	struct seen *seen = argument;
	struct remote_write_label labels[LABELS_MAX];
	char *texts[2 * LABELS_MAX];
	size_t len = sample->labels_len;

	assert(len % 2 == 0);
	if (seen->len == SAMPLES_MAX || len > 2 * LABELS_MAX)
		return;
	for (size_t i = 0; i < len; i++)
		texts[i] = copy(sample->labels[i]);
	for (size_t i = 0; i < len / 2; i++)
		labels[i] = (struct remote_write_label){ texts[2 * i], texts[2 * i + 1] };
	seen->samples[seen->len++] = (struct remote_write_sample){
		.series = remote_write_series_new(
			&seen->symbols,
			&(struct remote_write_about){ .labels = labels, .labels_len = len / 2 }),
		.bits = sample->bits,
		.time = sample->time,
	};
	for (size_t i = 0; i < len; i++)
		free(texts[i]);
}

static void compare(void *argument, const struct remote_write_read_sample *sample)
{
	struct remote_write_sample **next = argument;
	const struct remote_write_series *series = (*next)->series;

	assert(sample->labels_len == 2 * (size_t)series->labels_len);
	for (size_t i = 0; i < sample->labels_len; i++) {
		assert(sample->labels[i].size == series->labels[i]->size);
		assert(sample->labels[i].size == 0 ||
		       memcmp(sample->labels[i].at, series->labels[i]->text,
			      sample->labels[i].size) == 0);
	}
	assert(sample->bits == (*next)->bits && sample->time == (*next)->time);
	++*next;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen seen = { .len = 0 };
	struct remote_write_buffer buffer = { 0 };

	if (size == 0)
		return 0;
	remote_write_read(data[0] & 1 ? REMOTE_WRITE_2 : REMOTE_WRITE_1, data + 1, size - 1, take,
			  &seen);
	for (int version = REMOTE_WRITE_1; version <= REMOTE_WRITE_2; version++) {
		struct remote_write_sample *next = seen.samples;
		struct remote_write_bytes bytes = remote_write_encode(
			&buffer, &seen.symbols, (enum remote_write_version)version, seen.samples,
			seen.len);

		assert(remote_write_read((enum remote_write_version)version, bytes.at, bytes.size,
					 compare, &next));
		assert(next == seen.samples + seen.len);
	}
	for (size_t i = 0; i < seen.len; i++)
		remote_write_series_free(&seen.symbols, seen.samples[i].series);
	symbols_done(&seen.symbols);
	remote_write_buffer_free(&buffer);
	return 0;
}
