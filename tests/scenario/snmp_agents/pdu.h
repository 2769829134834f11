/* SPDX-License-Identifier: MIT */
/* GET, GETNEXT and GETBULK (RFC 3416, 4.2), as a device answers them. */
#pragma once

#include "formats/snmp/message.h"

#include "objects.h"

/* Answers the PDU of a message of version 'version' (RFC 1157's errors with 1) with one of 'room'
 * bytes at most, which ends at 'out' + 'out_size'; where it begins, or NULL if it is invalid. */
uint8_t *pdu_answer(const struct objects_device *, const struct mc_ber *pdu,
		    enum mc_snmp_version version, size_t room, uint8_t *out, size_t out_size);
