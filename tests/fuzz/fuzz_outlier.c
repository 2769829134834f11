/* SPDX-License-Identifier: MIT */
/* Any bytes as a state file of outlier, and after a good first line: what is read can be written
 * and read again, and a value beside it has a ratio. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "saved.h"
#include "text.h"

#define NOW (1700000000 * MC_SECOND)
#define LIMIT 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void drop_all(struct mc_map *means)
{
	for (struct saved_mean *at; (at = saved_next(means, NULL)) != NULL;)
		saved_drop(means, at);
	mc_map_done(means);
}

static void follow(struct saved_mean *mean)
{
	const struct deviation_rule rule = { .mads = 5, .factor = 2, .above = true, .weight = 0.1 };
	const struct deviation_peers peers = { .median = 1, .mad = 0.1F, .len = 10 };
	float ratio = deviation_ratio(&mean->own, 1);

	if (!isnan(ratio))
		deviation_follow(&mean->own, &rule, &peers, 1, ratio);
	assert(isfinite(mean->own.mean) && mean->own.spread >= 0);
}

static void write_again(struct mc_map *means)
{
	struct mc_buffer written = { 0 };
	struct mc_map again = { 0 };
	ptrdiff_t damaged;

	mc_buffer_add(&written, SAVED_HEAD, strlen(SAVED_HEAD));
	for (struct saved_mean *at = NULL; (at = saved_next(means, at)) != NULL;)
		saved_write(&written, at, at->key);
	damaged = saved_read(written.at, written.size, &again, LIMIT, NOW);
	assert(damaged == 0);
	assert(again.len == means->len);
	for (struct saved_mean *at = NULL; (at = saved_next(&again, at)) != NULL;)
		follow(at);
	drop_all(&again);
	mc_buffer_free(&written);
}

static void read_as_file(const char *head, const uint8_t *data, size_t size)
{
	size_t text_size;
	char *text = fuzz_text_after(head, data, size, &text_size);
	struct mc_map means = { 0 };
	ptrdiff_t damaged;

	damaged = saved_read(text, text_size, &means, LIMIT, NOW);
	assert(damaged <= (ptrdiff_t)size + 1 && means.len <= LIMIT);
	assert(damaged >= 0 || *head == '\0');
	write_again(&means);
	drop_all(&means);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_as_file("", data, size);
	read_as_file(SAVED_HEAD, data, size);
	return 0;
}
