/* SPDX-License-Identifier: MIT */
/* Facts: RFC 3412, 6 (SNMPv3Message), RFC 3414, 2.4 (security parameters). */
#include "formats/snmp/message.h"

#define SECURITY_USM 3

/* --- Reading -------------------------------------------------------------- */

static bool take_flags(struct mc_ber *header, struct mc_snmp_message *message)
{
	struct mc_ber flags;
	uint32_t security;

	if (!mc_ber_take(header, MC_BER_OCTETS, &flags, NULL) || flags.size != 1 ||
	    !mc_ber_take_number(header, &security) || security != SECURITY_USM)
		return false;
	message->flags = flags.at[0];
	return (message->flags & (MC_SNMP_AUTH | MC_SNMP_PRIV)) != MC_SNMP_PRIV;
}

static bool take_security(struct mc_ber *bytes, struct mc_snmp_message *message)
{
	struct mc_ber outer, inner;

	return mc_ber_take(bytes, MC_BER_OCTETS, &outer, NULL) &&
	       mc_ber_take(&outer, MC_BER_SEQUENCE, &inner, NULL) &&
	       mc_ber_take(&inner, MC_BER_OCTETS, &message->engine, NULL) &&
	       mc_ber_take_number(&inner, &message->boots) &&
	       mc_ber_take_number(&inner, &message->time) &&
	       mc_ber_take(&inner, MC_BER_OCTETS, &message->user, NULL) &&
	       mc_ber_take(&inner, MC_BER_OCTETS, &message->digest, NULL) &&
	       mc_ber_take(&inner, MC_BER_OCTETS, &message->salt, NULL) &&
	       message->engine.size <= MC_SNMP_ENGINE_MAX &&
	       message->user.size <= MC_SNMP_USER_MAX && message->digest.size <= MC_SNMP_AUTH_MAX;
}

/* The PDU is all that is left, whatever its tag. */
static bool take_pdu(struct mc_ber *from, struct mc_ber *pdu)
{
	struct mc_ber inner;

	return from->size > 0 && mc_ber_take(from, from->at[0], &inner, pdu);
}

bool mc_snmp_message_read_scoped(uint8_t *bytes, size_t size, struct mc_snmp_message *message)
{
	struct mc_ber from = { bytes, size }, scoped;

	/* A block cipher has filled up the last block. */
	return mc_ber_take(&from, MC_BER_SEQUENCE, &scoped, NULL) &&
	       mc_ber_take(&scoped, MC_BER_OCTETS, &message->context_engine, NULL) &&
	       mc_ber_take(&scoped, MC_BER_OCTETS, &message->context, NULL) &&
	       take_pdu(&scoped, &message->pdu);
}

static bool read_v3(struct mc_ber *from, struct mc_snmp_message *message)
{
	struct mc_ber header;

	if (!mc_ber_take(from, MC_BER_SEQUENCE, &header, NULL) ||
	    !mc_ber_take_number(&header, &message->id) ||
	    !mc_ber_take_number(&header, &message->max_size) || !take_flags(&header, message) ||
	    !take_security(from, message))
		return false;
	if (message->flags & MC_SNMP_PRIV)
		return mc_ber_take(from, MC_BER_OCTETS, &message->pdu, NULL);
	return mc_snmp_message_read_scoped(from->at, from->size, message);
}

bool mc_snmp_message_read(uint8_t *bytes, size_t size, struct mc_snmp_message *message)
{
	struct mc_ber all = { bytes, size }, from;
	uint32_t version;

	*message = (struct mc_snmp_message){ 0 };
	if (!mc_ber_take(&all, MC_BER_SEQUENCE, &from, NULL) ||
	    !mc_ber_take_number(&from, &version))
		return false;
	message->version = (enum mc_snmp_version)version;
	switch (message->version) {
	case MC_SNMP_V1:
	case MC_SNMP_V2C:
		return mc_ber_take(&from, MC_BER_OCTETS, &message->community, NULL) &&
		       take_pdu(&from, &message->pdu);
	case MC_SNMP_V3:
		return read_v3(&from, message);
	}
	return false;
}

uint32_t mc_snmp_message_request(const struct mc_ber *pdu)
{
	struct mc_ber from = *pdu, inner;
	uint32_t number;

	if (from.size == 0 || !mc_ber_take(&from, from.at[0], &inner, NULL) ||
	    !mc_ber_take_number(&inner, &number))
		return 0;
	return number;
}

/* --- Writing -------------------------------------------------------------- */

static void put_octets(struct mc_ber_writer *writer, const struct mc_ber *bytes)
{
	mc_ber_put_octets(writer, MC_BER_OCTETS, bytes->at, bytes->size);
}

static void put_scoped(struct mc_ber_writer *writer, const struct mc_snmp_message *message)
{
	const uint8_t *end = writer->at;

	mc_ber_put(writer, message->pdu.at, message->pdu.size);
	put_octets(writer, &message->context);
	put_octets(writer, &message->context_engine);
	mc_ber_close(writer, MC_BER_SEQUENCE, end);
}

uint8_t *mc_snmp_message_write_scoped(const struct mc_snmp_message *message, uint8_t *out,
				      size_t out_size)
{
	struct mc_ber_writer writer = { out, out + out_size };

	put_scoped(&writer, message);
	return writer.at;
}

static void put_security(struct mc_ber_writer *writer, const struct mc_snmp_message *message,
			 uint8_t **digest)
{
	static const uint8_t zero[MC_SNMP_AUTH_MAX];
	const uint8_t *end = writer->at;

	put_octets(writer, &message->salt);
	mc_ber_put(writer, zero, message->digest.size);
	*digest = writer->at;
	mc_ber_put_head(writer, MC_BER_OCTETS, message->digest.size);
	put_octets(writer, &message->user);
	mc_ber_put_number(writer, MC_BER_INTEGER, message->time);
	mc_ber_put_number(writer, MC_BER_INTEGER, message->boots);
	put_octets(writer, &message->engine);
	mc_ber_close(writer, MC_BER_SEQUENCE, end);
	mc_ber_close(writer, MC_BER_OCTETS, end);
}

static void put_header(struct mc_ber_writer *writer, const struct mc_snmp_message *message)
{
	uint8_t flags = (uint8_t)message->flags;
	const uint8_t *end = writer->at;

	mc_ber_put_number(writer, MC_BER_INTEGER, SECURITY_USM);
	mc_ber_put_octets(writer, MC_BER_OCTETS, &flags, 1);
	mc_ber_put_number(writer, MC_BER_INTEGER, MC_SNMP_MESSAGE_SIZE);
	mc_ber_put_number(writer, MC_BER_INTEGER, message->id);
	mc_ber_close(writer, MC_BER_SEQUENCE, end);
}

uint8_t *mc_snmp_message_write(const struct mc_snmp_message *message, uint8_t *out, size_t out_size,
			       uint8_t **digest)
{
	struct mc_ber_writer writer = { out, out + out_size };
	const uint8_t *end = writer.at;

	if (message->flags & MC_SNMP_PRIV)
		put_octets(&writer, &message->pdu);
	else
		put_scoped(&writer, message);
	put_security(&writer, message, digest);
	put_header(&writer, message);
	mc_ber_put_number(&writer, MC_BER_INTEGER, MC_SNMP_V3);
	mc_ber_close(&writer, MC_BER_SEQUENCE, end);
	return writer.at;
}

uint8_t *mc_snmp_message_write_report(uint32_t request, unsigned counter, uint32_t value,
				      uint8_t *out, size_t out_size)
{
	const uint8_t id[] = { 0x2b, 6, 1, 6, 3, 15, 1, 1, (uint8_t)counter, 0 };
	struct mc_ber_writer writer = { out, out + out_size };
	const uint8_t *end = writer.at;

	mc_ber_put_number(&writer, MC_BER_COUNTER, value);
	mc_ber_put(&writer, id, sizeof(id));
	mc_ber_put_head(&writer, MC_BER_OBJECT_ID, sizeof(id));
	mc_ber_close(&writer, MC_BER_SEQUENCE, end);
	mc_ber_close(&writer, MC_BER_SEQUENCE, end);
	mc_ber_put_number(&writer, MC_BER_INTEGER, 0);
	mc_ber_put_number(&writer, MC_BER_INTEGER, 0);
	mc_ber_put_number(&writer, MC_BER_INTEGER, request);
	mc_ber_close(&writer, MC_SNMP_REPORT, end);
	return writer.at;
}
