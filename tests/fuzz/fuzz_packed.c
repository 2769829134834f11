/* SPDX-License-Identifier: MIT */
/* Any bytes as packed samples: rows only grow, and what was read is written as the same samples
 * again.  The same bytes, as samples, come back as they were put. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kit/base/packed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_any(const uint8_t *data, size_t size, bool integer)
{
	size_t room = 4 * size + 64, samples = 0;
	uint8_t *again = malloc(room);
	struct packed_reader reader, check;
	struct packed written;

	if (again == NULL)
		abort();
	packed_begin(&written, again, room, integer);
	packed_open(&reader, data, 8 * size, integer);
	for (uint32_t row = 0; packed_next(&reader); row = reader.last.row) {
		assert(samples == 0 || reader.last.row > row);
		assert(reader.at <= 8 * size);
		if (!packed_put(&written, reader.last.row, reader.last.value))
			break;
		samples++;
	}
	packed_open(&reader, data, 8 * size, integer);
	packed_open(&check, again, written.bits, integer);
	for (; samples > 0; samples--) {
		assert(packed_next(&reader) && packed_next(&check));
		assert(reader.last.row == check.last.row && reader.last.value == check.last.value);
	}
	assert(!packed_next(&check) && !check.damaged);
	free(again);
}

/* Nine bytes each: how much later, and the value. */
static void put_any(const uint8_t *data, size_t size, bool integer)
{
	uint8_t bytes[256];
	struct packed packed;
	struct packed_reader reader;
	uint32_t row = 0;
	size_t len = 0;

	packed_begin(&packed, bytes, sizeof(bytes), integer);
	for (; (len + 1) * 9 <= size; len++) {
		uint64_t value;

		memcpy(&value, data + len * 9 + 1, sizeof(value));
		row += data[len * 9] + 1u;
		if (!packed_put(&packed, row, value))
			break;
	}
	row = 0;
	packed_open(&reader, bytes, packed.bits, integer);
	for (size_t i = 0; i < len; i++) {
		row += data[i * 9] + 1u;
		assert(packed_next(&reader) && reader.last.row == row);
		assert(memcmp(&reader.last.value, data + i * 9 + 1, 8) == 0);
	}
	assert(!packed_next(&reader) && !reader.damaged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0) {
		read_any(data + 1, size - 1, (*data & 1) != 0);
		put_any(data + 1, size - 1, (*data & 1) != 0);
	}
	return 0;
}
