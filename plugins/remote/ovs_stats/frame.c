/* SPDX-License-Identifier: MIT */
#include "frame.h"

#include <string.h>

#define DEPTH_MAX 64

/* Inside of a text only its end matters, and what does not end it. */
static void look_in_text(struct frame *frame, char byte)
{
	if (frame->escaped)
		frame->escaped = false;
	else if (byte == '\\')
		frame->escaped = true;
	else if (byte == '"')
		frame->in_text = false;
}

/* False: a message does not go on like this. */
static bool look_outside(struct frame *frame, char byte)
{
	if (frame->depth == 0 && byte != '{')
		return byte != '\0' && strchr(" \t\r\n", byte) != NULL;
	switch (byte) {
	case '"':
		frame->in_text = true;
		return true;
	case '{':
	case '[':
		return ++frame->depth <= DEPTH_MAX;
	case '}':
	case ']':
		frame->depth--;
		return true;
	default:
		return true;
	}
}

enum frame_state frame_look(struct frame *frame, const char *bytes, size_t available, size_t *size)
{
	while (frame->at < available) {
		char byte = bytes[frame->at++];
		unsigned before = frame->depth;

		if (frame->in_text)
			look_in_text(frame, byte);
		else if (!look_outside(frame, byte))
			return FRAME_BAD;
		if (before > 0 && frame->depth == 0) {
			*size = frame->at;
			*frame = (struct frame){ 0 };
			return FRAME_WHOLE;
		}
	}
	return FRAME_PART;
}
