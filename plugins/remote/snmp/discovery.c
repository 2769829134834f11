/* SPDX-License-Identifier: MIT */
/* Facts: RFC 3412, 6 (SNMPv3Message), RFC 3414, 4 (discovery). */
#include "discovery.h"

#include <string.h>

size_t discovery_write(uint32_t number, uint8_t out[DISCOVERY_SIZE])
{
	uint8_t bytes[DISCOVERY_SIZE], *digest, *start;
	struct mc_ber_writer pdu = { bytes, bytes + sizeof(bytes) };
	const uint8_t *end = pdu.at;
	struct mc_snmp_message message = {
		.version = MC_SNMP_V3,
		.id = number,
		.flags = MC_SNMP_REPORTABLE,
	};
	size_t size;

	mc_ber_put_octets(&pdu, MC_BER_SEQUENCE, NULL, 0);
	mc_ber_put_number(&pdu, MC_BER_INTEGER, 0);
	mc_ber_put_number(&pdu, MC_BER_INTEGER, 0);
	mc_ber_put_number(&pdu, MC_BER_INTEGER, number);
	mc_ber_close(&pdu, MC_SNMP_GET, end);
	message.pdu = (struct mc_ber){ pdu.at, (size_t)(end - pdu.at) };
	start = mc_snmp_message_write(&message, out, DISCOVERY_SIZE, &digest);
	size = (size_t)(out + DISCOVERY_SIZE - start);
	memmove(out, start, size);
	return size;
}

/* The question could come back as it is, but has no engine, nor a report. */
bool discovery_read(uint8_t *bytes, size_t size, uint32_t number, struct discovery_engine *engine)
{
	struct mc_snmp_message message;

	if (!mc_snmp_message_read(bytes, size, &message) || message.version != MC_SNMP_V3 ||
	    message.id != number || (message.flags & MC_SNMP_PRIV) != 0 ||
	    message.pdu.at[0] != MC_SNMP_REPORT || message.engine.size < DISCOVERY_ENGINE_MIN)
		return false;
	engine->size = message.engine.size;
	memcpy(engine->id, message.engine.at, message.engine.size);
	return true;
}
