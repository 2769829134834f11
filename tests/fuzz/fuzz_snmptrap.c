/* SPDX-License-Identifier: MIT */
/* Any bytes as a message of SNMP, and the trap in it. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/snmp/names.h"
#include "formats/snmp/variable.h"

#include "formats/snmp/message.h"
#include "formats/snmp/trap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_within(const struct mc_ber *part, const uint8_t *bytes, size_t size)
{
	return part->size == 0 || (part->at >= bytes && part->at + part->size <= bytes + size);
}

static void look_at_trap(const struct mc_ber *pdu)
{
	const netsnmp_variable_list *at;
	struct trap trap;

	if (trap_read(&trap, pdu)) {
		char text[MC_SNMP_TEXT_SIZE], name[256];

		assert(trap.id.len > 0 && trap.id.len <= MAX_OID_LEN + 2);
		mc_snmp_name_of(&trap.id, name, sizeof(name));
		for (at = trap.variables; at != NULL; at = at->next_variable)
			if (mc_snmp_variable_exists(at) && mc_snmp_variable_text(at, text))
				assert(memchr(text, '\0', sizeof(text)) != NULL);
	}
	trap_done(&trap);
}

/* What is written is read again. */
static void write_again(struct mc_snmp_message *message)
{
	static uint8_t out[2 * MC_SNMP_MESSAGE_SIZE];
	struct mc_snmp_message again;
	uint8_t *digest, *start = mc_snmp_message_write(message, out, sizeof(out), &digest);

	assert(start != NULL && digest >= start);
	assert(mc_snmp_message_read(start, (size_t)(out + sizeof(out) - start), &again));
	assert(again.flags == message->flags && again.id == message->id);
	assert(again.pdu.size == message->pdu.size &&
	       memcmp(again.pdu.at, message->pdu.at, again.pdu.size) == 0);
	assert(again.user.size == message->user.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size + 1); /* Exactly these, and one. */
	struct mc_snmp_message message;

	assert(bytes != NULL);
	if (size > 0)
		memcpy(bytes, data, size);
	if (size <= MC_SNMP_MESSAGE_SIZE && mc_snmp_message_read(bytes, size, &message)) {
		assert(is_within(&message.pdu, bytes, size));
		assert(is_within(&message.community, bytes, size));
		assert(is_within(&message.user, bytes, size));
		assert(is_within(&message.digest, bytes, size));
		mc_snmp_message_request(&message.pdu);
		if (message.version == MC_SNMP_V3)
			write_again(&message);
		if (!(message.flags & MC_SNMP_PRIV))
			look_at_trap(&message.pdu);
	}
	free(bytes);
	return 0;
}
