/* SPDX-License-Identifier: MIT */
/* Any bytes as a disk's answers: attributes and thresholds, NVMe's health, SCSI's sense data. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "device.h"
#include "health.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_blocks(const uint8_t *blocks, uint64_t sectors)
{
	struct attributes attributes;
	struct health health;

	attributes_parse(blocks, blocks + ATTRIBUTES_SIZE, sectors, &attributes);
	assert(attributes.len <= ATTRIBUTES_MAX);
	for (size_t i = 0; i < attributes.len; i++) {
		const struct attribute *attribute = &attributes.items[i];

		assert(attribute->name[0] != '\0' && attribute->reading >= 0);
		assert(attribute->current >= 1 && attribute->worst >= 1);
	}
	assert(isnan(attributes.temperature) || attributes.temperature <= 100);
	assert(isnan(attributes.bad_sectors) || attributes.bad_sectors >= 0);
	health_parse(blocks, &health);
	assert(health.len <= HEALTH_VALUES_MAX);
	for (size_t i = 0; i < health.len; i++)
		assert(health.values[i].number >= -273);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t blocks_size = 2 * ATTRIBUTES_SIZE;
	uint8_t *bytes = calloc(1, blocks_size);
	uint8_t count, *sense = malloc(size > 0 ? size : 1);

	if (bytes == NULL || sense == NULL)
		abort();
	if (size > 0) {
		memcpy(sense, data, size);
		memcpy(bytes, data, size < blocks_size ? size : blocks_size);
	}
	device_sense_count(sense, size, &count);
	parse_blocks(bytes, size);
	free(sense);
	free(bytes);
	return 0;
}
