/* SPDX-License-Identifier: MIT */
/* The basic encoding rules (X.690) as far as SNMP uses them: tags of one byte,
 * lengths that are given.  Messages are written from their end on, as a length
 * stands before what it is of. */
#include "message.h"

#include <string.h>

enum {
	INTEGER = 0x02,
	OCTETS = 0x04,
	OBJECT_ID = 0x06,
	SEQUENCE = 0x30,
	COUNTER = 0x41,
};

#define SECURITY_USM 3

/* --- Reading -------------------------------------------------------------- */

/* Takes an element from the front of 'from': what is in it.  'whole', which may
 * be NULL, has its tag and length, too. */
static bool take(struct message_bytes *from, unsigned tag,
		 struct message_bytes *out, struct message_bytes *whole)
{
	uint8_t *at = from->at;
	size_t left = from->size, length, head = 2;

	if (left < 2 || at[0] != tag)
		return false;
	length = at[1];
	if (length > 0x80 && length <= 0x84) {
		size_t digits = length - 0x80;

		length = 0;
		head += digits;
		if (left < head)
			return false;
		for (size_t i = 0; i < digits; i++)
			length = length << 8 | at[2 + i];
	} else if (length >= 0x80) {
		return false;
	}
	if (length > left - head)
		return false;
	*out = (struct message_bytes){ at + head, length };
	if (whole != NULL)
		*whole = (struct message_bytes){ at, head + length };
	from->at += head + length;
	from->size -= head + length;
	return true;
}

/* One that is not negative, and below 2^31. */
static bool take_number(struct message_bytes *from, uint32_t *number)
{
	struct message_bytes bytes;
	uint32_t sum = 0;

	if (!take(from, INTEGER, &bytes, NULL) || bytes.size == 0 ||
	    bytes.size > 4 || bytes.at[0] >= 0x80)
		return false;
	for (size_t i = 0; i < bytes.size; i++)
		sum = sum << 8 | bytes.at[i];
	*number = sum;
	return true;
}

static bool take_flags(struct message_bytes *header, struct message *message)
{
	struct message_bytes flags;
	uint32_t security;

	if (!take(header, OCTETS, &flags, NULL) || flags.size != 1 ||
	    !take_number(header, &security) || security != SECURITY_USM)
		return false;
	message->flags = flags.at[0];
	return (message->flags & (MESSAGE_AUTH | MESSAGE_PRIV)) != MESSAGE_PRIV;
}

static bool take_security(struct message_bytes *bytes, struct message *message)
{
	struct message_bytes outer, inner;

	return take(bytes, OCTETS, &outer, NULL) &&
	       take(&outer, SEQUENCE, &inner, NULL) &&
	       take(&inner, OCTETS, &message->engine, NULL) &&
	       take_number(&inner, &message->boots) &&
	       take_number(&inner, &message->time) &&
	       take(&inner, OCTETS, &message->user, NULL) &&
	       take(&inner, OCTETS, &message->digest, NULL) &&
	       take(&inner, OCTETS, &message->salt, NULL) &&
	       message->engine.size <= MESSAGE_ENGINE_MAX &&
	       message->user.size <= MESSAGE_USER_MAX &&
	       message->digest.size <= MESSAGE_AUTH_MAX;
}

/* The PDU is all that is left, whatever its tag. */
static bool take_pdu(struct message_bytes *from, struct message_bytes *pdu)
{
	struct message_bytes inner;

	return from->size > 0 && take(from, from->at[0], &inner, pdu);
}

bool message_read_scoped(uint8_t *bytes, size_t size, struct message *message)
{
	struct message_bytes from = { bytes, size }, scoped;

	/* A block cipher has filled up the last block. */
	return take(&from, SEQUENCE, &scoped, NULL) &&
	       take(&scoped, OCTETS, &message->context_engine, NULL) &&
	       take(&scoped, OCTETS, &message->context, NULL) &&
	       take_pdu(&scoped, &message->pdu);
}

static bool read_v3(struct message_bytes *from, struct message *message)
{
	struct message_bytes header;

	if (!take(from, SEQUENCE, &header, NULL) ||
	    !take_number(&header, &message->id) ||
	    !take_number(&header, &message->max_size) ||
	    !take_flags(&header, message) || !take_security(from, message))
		return false;
	if (message->flags & MESSAGE_PRIV)
		return take(from, OCTETS, &message->pdu, NULL);
	return message_read_scoped(from->at, from->size, message);
}

bool message_read(uint8_t *bytes, size_t size, struct message *message)
{
	struct message_bytes all = { bytes, size }, from;
	uint32_t version;

	*message = (struct message){ 0 };
	if (!take(&all, SEQUENCE, &from, NULL) || !take_number(&from, &version))
		return false;
	message->version = (enum message_version)version;
	switch (message->version) {
	case MESSAGE_V1:
	case MESSAGE_V2C:
		return take(&from, OCTETS, &message->community, NULL) &&
		       take_pdu(&from, &message->pdu);
	case MESSAGE_V3:
		return read_v3(&from, message);
	}
	return false;
}

uint32_t message_request(const struct message_bytes *pdu)
{
	struct message_bytes from = *pdu, inner;
	uint32_t number;

	if (from.size == 0 || !take(&from, from.at[0], &inner, NULL) ||
	    !take_number(&inner, &number))
		return 0;
	return number;
}

/* --- Writing -------------------------------------------------------------- */

struct writer {
	uint8_t *start, *at; /* NULL: there was no room. */
};

static void put(struct writer *writer, const void *bytes, size_t size)
{
	if (writer->at == NULL || (size_t)(writer->at - writer->start) < size) {
		writer->at = NULL;
		return;
	}
	writer->at -= size;
	if (size > 0)
		memcpy(writer->at, bytes, size);
}

static void put_byte(struct writer *writer, unsigned byte)
{
	uint8_t one = (uint8_t)byte;

	put(writer, &one, 1);
}

/* Tag and length of the 'size' bytes that were put last. */
static void put_head(struct writer *writer, unsigned tag, size_t size)
{
	if (size >= 0x80) {
		unsigned digits = 0;

		for (size_t left = size; left > 0; left >>= 8, digits++)
			put_byte(writer, left & 0xff);
		put_byte(writer, 0x80 | digits);
	} else {
		put_byte(writer, (unsigned)size);
	}
	put_byte(writer, tag);
}

static void put_number(struct writer *writer, unsigned tag, uint32_t number)
{
	size_t size = 0;
	uint32_t left = number;

	do {
		put_byte(writer, left & 0xff);
		left >>= 8;
		size++;
	} while (left > 0);
	if (writer->at != NULL && *writer->at >= 0x80) {
		put_byte(writer, 0);
		size++;
	}
	put_head(writer, tag, size);
}

static void put_octets(struct writer *writer, const struct message_bytes *bytes)
{
	put(writer, bytes->at, bytes->size);
	put_head(writer, OCTETS, bytes->size);
}

/* Closes what began at 'end', which is behind it. */
static void close_at(struct writer *writer, unsigned tag, const uint8_t *end)
{
	if (writer->at != NULL)
		put_head(writer, tag, (size_t)(end - writer->at));
}

static void put_scoped(struct writer *writer, const struct message *message)
{
	const uint8_t *end = writer->at;

	put(writer, message->pdu.at, message->pdu.size);
	put_octets(writer, &message->context);
	put_octets(writer, &message->context_engine);
	close_at(writer, SEQUENCE, end);
}

uint8_t *message_write_scoped(const struct message *message, uint8_t *out,
			      size_t out_size)
{
	struct writer writer = { out, out + out_size };

	put_scoped(&writer, message);
	return writer.at;
}

static void put_security(struct writer *writer, const struct message *message,
			 uint8_t **digest)
{
	static const uint8_t zero[MESSAGE_AUTH_MAX];
	const uint8_t *end = writer->at;

	put_octets(writer, &message->salt);
	put(writer, zero, message->digest.size);
	*digest = writer->at;
	put_head(writer, OCTETS, message->digest.size);
	put_octets(writer, &message->user);
	put_number(writer, INTEGER, message->time);
	put_number(writer, INTEGER, message->boots);
	put_octets(writer, &message->engine);
	close_at(writer, SEQUENCE, end);
	close_at(writer, OCTETS, end);
}

static void put_header(struct writer *writer, const struct message *message)
{
	const uint8_t *end = writer->at;

	put_number(writer, INTEGER, SECURITY_USM);
	put_byte(writer, message->flags);
	put_head(writer, OCTETS, 1);
	put_number(writer, INTEGER, MESSAGE_SIZE);
	put_number(writer, INTEGER, message->id);
	close_at(writer, SEQUENCE, end);
}

uint8_t *message_write(const struct message *message, uint8_t *out,
		       size_t out_size, uint8_t **digest)
{
	struct writer writer = { out, out + out_size };
	const uint8_t *end = writer.at;

	if (message->flags & MESSAGE_PRIV)
		put_octets(&writer, &message->pdu);
	else
		put_scoped(&writer, message);
	put_security(&writer, message, digest);
	put_header(&writer, message);
	put_number(&writer, INTEGER, MESSAGE_V3);
	close_at(&writer, SEQUENCE, end);
	return writer.at;
}

uint8_t *message_write_report(uint32_t request, unsigned counter,
			      uint32_t value, uint8_t *out, size_t out_size)
{
	const uint8_t id[] = {
		0x2b, 6, 1, 6, 3, 15, 1, 1, (uint8_t)counter, 0
	};
	struct writer writer = { out, out + out_size };
	const uint8_t *end = writer.at;

	put_number(&writer, COUNTER, value);
	put(&writer, id, sizeof(id));
	put_head(&writer, OBJECT_ID, sizeof(id));
	close_at(&writer, SEQUENCE, end);
	close_at(&writer, SEQUENCE, end);
	put_number(&writer, INTEGER, 0);
	put_number(&writer, INTEGER, 0);
	put_number(&writer, INTEGER, request);
	close_at(&writer, MESSAGE_REPORT, end);
	return writer.at;
}
