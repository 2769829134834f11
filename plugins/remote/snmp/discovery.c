/* SPDX-License-Identifier: MIT */
/* Facts: RFC 3412, 6 (SNMPv3Message), RFC 3414, 2.4 (security parameters),
 * X.690 (BER). */
#include "discovery.h"

#include <assert.h>
#include <string.h>

enum {
	TAG_INTEGER = 0x02,
	TAG_STRING = 0x04,
	TAG_SEQUENCE = 0x30,
	TAG_GET = 0xa0,
	TAG_REPORT = 0xa8,
};

#define USER_SECURITY_MODEL 3
#define FLAG_REPORTABLE 0x04

/* --- Writing, with lengths below 128 -------------------------------------- */

struct writer {
	uint8_t *out;
	size_t used;
};

static void write_bytes(struct writer *w, const uint8_t *bytes, size_t size)
{
	assert(w->used + size <= DISCOVERY_SIZE);
	memcpy(w->out + w->used, bytes, size);
	w->used += size;
}

/* Returns where its length is, for end(). */
static size_t begin(struct writer *w, uint8_t tag)
{
	write_bytes(w, (const uint8_t[]){ tag, 0 }, 2);
	return w->used - 1;
}

static void end(struct writer *w, size_t begun)
{
	w->out[begun] = (uint8_t)(w->used - begun - 1);
}

static void write_integer(struct writer *w, uint32_t value)
{
	write_bytes(w,
		    (const uint8_t[]){ TAG_INTEGER, 4, (uint8_t)(value >> 24),
				       (uint8_t)(value >> 16),
				       (uint8_t)(value >> 8), (uint8_t)value },
		    6);
}

static void write_small(struct writer *w, uint8_t value)
{
	write_bytes(w, (const uint8_t[]){ TAG_INTEGER, 1, value }, 3);
}

static void write_empty(struct writer *w, uint8_t tag)
{
	write_bytes(w, (const uint8_t[]){ tag, 0 }, 2);
}

size_t discovery_write(uint32_t number, uint8_t out[DISCOVERY_SIZE])
{
	struct writer w = { .out = out };
	size_t whole = begin(&w, TAG_SEQUENCE), part, inner;

	write_small(&w, 3);
	part = begin(&w, TAG_SEQUENCE);
	write_integer(&w, number);
	write_integer(&w, 65507);
	write_bytes(&w, (const uint8_t[]){ TAG_STRING, 1, FLAG_REPORTABLE }, 3);
	write_small(&w, USER_SECURITY_MODEL);
	end(&w, part);
	part = begin(&w, TAG_STRING);
	inner = begin(&w, TAG_SEQUENCE);
	write_empty(&w, TAG_STRING); /* Engine, */
	write_small(&w, 0);          /* boots, */
	write_small(&w, 0);          /* time, */
	write_empty(&w, TAG_STRING); /* user, */
	write_empty(&w, TAG_STRING); /* and what proves it, and hides. */
	write_empty(&w, TAG_STRING);
	end(&w, inner);
	end(&w, part);
	part = begin(&w, TAG_SEQUENCE);
	write_empty(&w, TAG_STRING); /* The context. */
	write_empty(&w, TAG_STRING);
	inner = begin(&w, TAG_GET);
	write_integer(&w, number);
	write_small(&w, 0);
	write_small(&w, 0);
	write_empty(&w, TAG_SEQUENCE);
	end(&w, inner);
	end(&w, part);
	end(&w, whole);
	return w.used;
}

/* --- Reading -------------------------------------------------------------- */

struct span {
	const uint8_t *at, *end;
};

/* Takes what begins at 'from', if it has that tag. */
static bool take(struct span *from, uint8_t tag, struct span *inside)
{
	size_t size, digits;

	if (from->end - from->at < 2 || from->at[0] != tag)
		return false;
	size = from->at[1];
	from->at += 2;
	if (size >= 0x80) {
		digits = size & 0x7f;
		size = 0;
		if (digits < 1 || digits > 3 ||
		    (size_t)(from->end - from->at) < digits)
			return false;
		for (; digits > 0; digits--)
			size = size << 8 | *from->at++;
	}
	if ((size_t)(from->end - from->at) < size)
		return false;
	*inside = (struct span){ from->at, from->at + size };
	from->at += size;
	return true;
}

/* One that is not negative. */
static bool take_integer(struct span *from, uint32_t *value)
{
	struct span inside;
	uint64_t sum = 0;

	if (!take(from, TAG_INTEGER, &inside) || inside.at == inside.end ||
	    inside.end - inside.at > 5 || (*inside.at & 0x80) != 0)
		return false;
	for (; inside.at < inside.end; inside.at++)
		sum = sum << 8 | *inside.at;
	if (sum > INT32_MAX)
		return false;
	*value = (uint32_t)sum;
	return true;
}

static bool take_header(struct span *message, uint32_t number)
{
	struct span header, flags;
	uint32_t version, id, size, model;

	return take_integer(message, &version) && version == 3 &&
	       take(message, TAG_SEQUENCE, &header) &&
	       take_integer(&header, &id) && id == number &&
	       take_integer(&header, &size) &&
	       take(&header, TAG_STRING, &flags) &&
	       take_integer(&header, &model) && model == USER_SECURITY_MODEL;
}

static bool take_engine(struct span *message, struct discovery_engine *engine)
{
	struct span text, security, id;

	if (!take(message, TAG_STRING, &text) ||
	    !take(&text, TAG_SEQUENCE, &security) ||
	    !take(&security, TAG_STRING, &id) ||
	    !take_integer(&security, &engine->boots) ||
	    !take_integer(&security, &engine->time))
		return false;
	engine->size = (size_t)(id.end - id.at);
	if (engine->size < 5 || engine->size > sizeof(engine->id))
		return false;
	memcpy(engine->id, id.at, engine->size);
	return true;
}

bool discovery_read(const uint8_t *bytes, size_t size, uint32_t number,
		    struct discovery_engine *engine)
{
	struct span datagram = { bytes, bytes + size }, message, scoped, inside;
	struct discovery_engine found = { 0 };

	if (!take(&datagram, TAG_SEQUENCE, &message) ||
	    !take_header(&message, number) || !take_engine(&message, &found) ||
	    !take(&message, TAG_SEQUENCE, &scoped) ||
	    !take(&scoped, TAG_STRING, &inside) ||
	    !take(&scoped, TAG_STRING, &inside) ||
	    !take(&scoped, TAG_REPORT, &inside))
		return false;
	*engine = found;
	return true;
}
