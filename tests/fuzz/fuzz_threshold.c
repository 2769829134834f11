/* SPDX-License-Identifier: MIT */
/* Any bytes as a state file of threshold, and after a good first line: records read can be written
 * and read again, and no bad one is taken. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "state_record.h"
#include "text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void keep(void *argument, const struct state_record *record)
{
	assert(record->state >= MC_STATE_OKAY && record->state <= MC_STATE_FAILURE);
	assert(strlen(record->source) < ALERT_SOURCE_SIZE);
	assert(record->id.host[0] != '\0' && record->id.plugin[0] != '\0' &&
	       record->id.type[0] != '\0');
	state_record_write(argument, record);
}

static void ignore(void *argument, const struct state_record *record)
{
	(void)record;
	++*(size_t *)argument;
}

static void read_as_file(const char *head, const uint8_t *data, size_t size)
{
	struct mc_buffer written = { 0 };
	size_t text_size;
	char *text = fuzz_text_after(head, data, size, &text_size);
	size_t len = 0;
	ssize_t damaged;

	mc_buffer_add(&written, STATE_RECORD_HEAD, strlen(STATE_RECORD_HEAD));
	damaged = state_record_read(text, text_size, keep, &written);
	assert(damaged <= (ssize_t)size + 1);
	assert(damaged >= 0 || *head == '\0');
	if (damaged >= 0) {
		damaged = state_record_read(written.at, written.size, ignore, &len);
		assert(damaged == 0);
	}
	mc_buffer_free(&written);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_as_file("", data, size);
	read_as_file(STATE_RECORD_HEAD, data, size);
	return 0;
}
