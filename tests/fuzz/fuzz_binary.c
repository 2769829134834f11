/* SPDX-License-Identifier: MIT */
/* Any bytes as a packet of the binary protocol.  What is read is used up, and
 * what is written from it must be read back the same. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <collector/serve.h>

#include "formats/binary/binary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

union any_type { /* A type with room for its sources. */
	struct mc_type type;
	char room[sizeof(struct mc_type) + MC_SOURCES_MAX * sizeof(struct mc_source)];
};

static void check_name(const struct mc_binary *binary)
{
	const struct mc_name_parts *name = &binary->name;
	size_t size = name->host_size + 1 + name->plugin_size + 1 + name->type_size;

	size += name->plugin_instance_size + (name->plugin_instance_size > 0);
	size += name->type_instance_size + (name->type_instance_size > 0);
	assert(strlen(name->name) == size && binary->name_size == size);
	assert(strncmp(name->name, binary->id.host, name->host_size) == 0);
	assert(name->name[name->host_size] == '/');
}

static void write_and_read(struct mc_binary *binary)
{
	struct mc_binary_series *series;
	unsigned char out[2048];
	struct mc_binary_packet packet;
	struct mc_binary again;
	union any_type any;

	any.type.sources_len = binary->values_len;
	for (unsigned i = 0; i < binary->values_len; i++)
		any.type.sources[i].kind = binary->kinds[i];
	assert(mc_binary_is(binary, &any.type));
	series = malloc(mc_binary_series_size(&binary->id, &any.type));
	if (series == NULL)
		abort();
	mc_binary_series_init(series, &binary->id, &any.type);
	mc_binary_start(&packet, out, sizeof(out));
	assert(mc_binary_put(&packet, series, binary->stamp, binary->values));
	mc_binary_open(&again, out, packet.size);
	assert(mc_binary_next(&again) == MC_BINARY_VALUES);
	assert(strcmp(again.name.name, binary->name.name) == 0);
	assert(again.stamp.time == binary->stamp.time);
	assert(again.stamp.interval == binary->stamp.interval);
	assert(mc_binary_is(&again, &any.type));
	assert(memcmp(again.values, binary->values, binary->values_len * sizeof(union mc_value)) ==
	       0);
	assert(mc_binary_next(&again) == MC_BINARY_END);
	free(series);
}

static void check_notification(const struct mc_binary *binary)
{
	unsigned char out[2048];
	size_t size = mc_binary_notification(out, sizeof(out), &binary->notification);
	struct mc_binary again;

	assert(size > 0);
	mc_binary_open(&again, out, size);
	assert(mc_binary_next(&again) == MC_BINARY_NOTICE);
	assert(again.notification.severity == binary->notification.severity);
	assert(strcmp(again.notification.id.host, binary->notification.id.host) == 0);
}

static void check_seal(const struct mc_binary *binary, const unsigned char *packet, size_t size)
{
	const struct mc_binary_envelope *envelope = &binary->envelope;

	assert(envelope->covered + envelope->covered_size == packet + size);
	assert(envelope->user_size > 0);
	assert((const unsigned char *)envelope->user + envelope->user_size <= packet + size);
	assert(envelope->code > packet && envelope->code < packet + size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *packet = malloc(size + 1);
	struct mc_binary binary;
	enum mc_binary_item item;

	if (packet == NULL)
		abort();
	memcpy(packet, data, size);
	mc_binary_open(&binary, packet, size);
	while ((item = mc_binary_next(&binary)) != MC_BINARY_END) {
		switch (item) {
		case MC_BINARY_VALUES:
			check_name(&binary);
			if (binary.stamp.time < INT64_MAX && binary.stamp.interval < INT64_MAX)
				write_and_read(&binary);
			break;
		case MC_BINARY_NOTICE:
			check_notification(&binary);
			break;
		case MC_BINARY_SIGNED:
		case MC_BINARY_ENCRYPTED:
			check_seal(&binary, packet, size);
			break;
		case MC_BINARY_FAULT:
			assert(binary.fault < MC_BINARY_FAULTS);
			break;
		case MC_BINARY_END:
			break;
		}
	}
	free(packet);
	return 0;
}
