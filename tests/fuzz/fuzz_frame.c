/* SPDX-License-Identifier: MIT */
/* Any bytes as a segment of the journal.  What is taken for a frame must be
 * written back as the same bytes, and every step must get on. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/journal/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_frame(const struct frame_walk *walk, size_t from, const struct frame *frame)
{
	size_t whole = walk->at - from;
	uint8_t *out = malloc(whole);

	if (out == NULL)
		abort();
	assert(whole == frame_size(frame->size));
	assert(frame->payload + frame->size <= walk->data + walk->at);
	frame_write(out, frame, walk->epoch);
	assert(memcmp(out + 8, walk->data + from + 8, 32) == 0);
	assert(memcmp(out + FRAME_HEAD_SIZE, frame->payload, frame->size) == 0);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame_walk walk = { .data = data, .size = size };
	struct frame_segment head;
	struct frame frame;
	size_t from;

	if (frame_read_segment(data, size, &head) == 0) {
		walk.at = FRAME_SEGMENT_SIZE;
		walk.epoch = head.epoch;
		walk.last = head.first - 1;
	}
	for (;;) {
		uint64_t last = walk.last;
		enum frame_step step = frame_next(&walk, &frame, &from);

		if (step == FRAME_END)
			return 0;
		assert(walk.at > from && walk.at <= size);
		if (step == FRAME_RECORD) {
			struct frame_gap gap;

			assert(frame.seq > last && walk.last == frame.seq);
			check_frame(&walk, from, &frame);
			frame_read_gap(&frame, &gap);
		}
	}
}
