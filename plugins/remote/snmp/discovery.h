/* SPDX-License-Identifier: MIT */
/* Asking a device for its engine (RFC 3414, 4), beside net-snmp: the library waits for the answer,
 * and meanwhile nobody else would be polled.  Pure functions; whatever a device sends is given. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/snmp/message.h"

#define DISCOVERY_SIZE 80
#define DISCOVERY_ENGINE_MIN 5 /* Bytes (RFC 3411, SnmpEngineID). */

struct discovery_engine {
	uint8_t id[MC_SNMP_ENGINE_MAX];
	size_t size;
};

/* Writes the question; its size.  'number' identifies its answer, and is less than 2^31. */
size_t discovery_write(uint32_t number, uint8_t out[DISCOVERY_SIZE]);

/* Reads the answer to question 'number'.  False for another message. */
bool discovery_read(uint8_t *bytes, size_t size, uint32_t number, struct discovery_engine *engine);
