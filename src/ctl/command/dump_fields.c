/* SPDX-License-Identifier: MIT */
/* Facts: zlib.h: other bytes than gzip are read as they are.  Fields at the top of a dump are
 * messages, so each has its size in front; see formats/protobuf.h. */
#include "ctl/command/dump_fields.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "formats/protobuf.h"

#define HEAD_MAX 20 /* Two numbers. */
#define FIELD_MAX ((size_t)1 << 28)
#define ROOM_MIN ((size_t)1 << 18)

struct dump_fields {
	gzFile file;
	unsigned char *bytes;
	size_t at, len, room;
	bool broken;
};

struct dump_fields *dump_fields_open(const char *path)
{
	gzFile file = gzopen(path, "rbe");
	struct dump_fields *fields;

	if (file == NULL)
		return NULL;
	gzbuffer(file, ROOM_MIN);
	fields = alloc_zero(sizeof(*fields));
	fields->file = file;
	return fields;
}

void dump_fields_close(struct dump_fields *fields)
{
	gzclose(fields->file);
	free(fields->bytes);
	free(fields);
}

/* Has that many bytes at hand, or as many as there are. */
static size_t fill(struct dump_fields *fields, size_t wanted)
{
	size_t have = fields->len - fields->at;
	int got;

	if (have >= wanted)
		return have;
	if (have > 0)
		memmove(fields->bytes, fields->bytes + fields->at, have);
	fields->at = 0;
	fields->len = have;
	if (fields->room < wanted) {
		fields->room = wanted > ROOM_MIN ? wanted : ROOM_MIN;
		fields->bytes = alloc_resize(fields->bytes, fields->room, 1);
	}
	got = gzread(fields->file, fields->bytes + have, (unsigned)(fields->room - have));
	if (got < 0)
		fields->broken = true;
	else
		fields->len += (size_t)got;
	return fields->len;
}

/* The size of a field with its head; 0: it is no message. */
static size_t field_size(const unsigned char *bytes, size_t size)
{
	struct mc_otlp_span head = { bytes, bytes + (size < HEAD_MAX ? size : HEAD_MAX) };
	uint64_t tag, content;

	if (!protobuf_take_varint(&head, &tag) || (tag & 7) != PROTOBUF_BYTES ||
	    !protobuf_take_varint(&head, &content) || content > FIELD_MAX)
		return 0;
	return (size_t)(head.at - bytes) + (size_t)content;
}

bool dump_fields_next(struct dump_fields *fields, struct mc_otlp_span *field)
{
	size_t have = fill(fields, HEAD_MAX), size;

	if (fields->broken || have == 0)
		return false;
	size = field_size(fields->bytes + fields->at, have);
	if (size == 0 || fill(fields, size) < size) {
		fields->broken = true;
		return false;
	}
	field->at = fields->bytes + fields->at;
	field->end = field->at + size;
	fields->at += size;
	return true;
}

bool dump_fields_are_whole(const struct dump_fields *fields)
{
	int error;

	gzerror(fields->file, &error);
	return !fields->broken && error == Z_OK;
}
