/* SPDX-License-Identifier: MIT */
#include "objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define TICKS_FIRST 1000000 /* sysUpTime at the start: it is not a new device. */
#define PACKET_SIZE 500

enum { /* Columns of ifTable. */
       IF_INDEX = 1,
       IF_DESCR = 2,
       IF_TYPE = 3,
       IF_SPEED = 5,
       IF_ADMIN = 7,
       IF_STATE = 8,
       IF_IN_OCTETS = 10,
       IF_IN_PACKETS = 11,
       IF_IN_DISCARDS = 13,
       IF_IN_ERRORS = 14,
       IF_OUT_OCTETS = 16,
       IF_OUT_PACKETS = 17,
       IF_OUT_DISCARDS = 19,
       IF_OUT_ERRORS = 20,
};
enum { /* Of ifXTable. */
       IF_NAME = 1,
       IF_HC_IN_OCTETS = 6,
       IF_HC_IN_PACKETS = 7,
       IF_HC_OUT_OCTETS = 10,
       IF_HC_OUT_PACKETS = 11,
       IF_HIGH_SPEED = 15,
       IF_ALIAS = 18,
};
enum { SYS_DESCR = 1, SYS_UPTIME = 3, SYS_NAME = 5, LAST_CHANGE = 31 };

/* --- Which there are ------------------------------------------------------ */

static struct object *add(struct objects *objects, const uint32_t *ids, size_t len)
{
	struct object *object = &objects->items[objects->len++];

	*object = (struct object){ .len = (uint8_t)len };
	memcpy(object->ids, ids, len * sizeof(*ids));
	return object;
}

static void add_column(struct objects *objects, bool extended, uint8_t column, unsigned interfaces)
{
	static const uint32_t table[] = { 1, 3, 6, 1, 2, 1, 2, 2, 1 };
	static const uint32_t more[] = { 1, 3, 6, 1, 2, 1, 31, 1, 1, 1 };

	for (unsigned i = 1; i <= interfaces; i++) {
		struct object *object = extended ? add(objects, more, sizeof(more) / 4)
						 : add(objects, table, sizeof(table) / 4);

		object->extended = extended;
		object->column = column;
		object->interface = (uint16_t)i;
		object->ids[object->len++] = column;
		object->ids[object->len++] = i;
	}
}

void objects_init(struct objects *objects, unsigned interfaces)
{
	static const uint32_t system[] = { 1, 3, 6, 1, 2, 1, 1, 0, 0 };
	static const uint32_t change[] = { 1, 3, 6, 1, 2, 1, 31, 1, 5, 0 };
	static const uint8_t scalars[] = { SYS_DESCR, SYS_UPTIME, SYS_NAME };
	static const uint8_t table[] = {
		IF_INDEX,      IF_DESCR,       IF_TYPE,         IF_SPEED,       IF_ADMIN,
		IF_STATE,      IF_IN_OCTETS,   IF_IN_PACKETS,   IF_IN_DISCARDS, IF_IN_ERRORS,
		IF_OUT_OCTETS, IF_OUT_PACKETS, IF_OUT_DISCARDS, IF_OUT_ERRORS,
	};
	static const uint8_t more[] = {
		IF_NAME,           IF_HC_IN_OCTETS, IF_HC_IN_PACKETS, IF_HC_OUT_OCTETS,
		IF_HC_OUT_PACKETS, IF_HIGH_SPEED,   IF_ALIAS,
	};

	*objects = (struct objects){ 0 };
	objects->items = mc_alloc_array(4 + (sizeof(table) + sizeof(more)) * interfaces,
					sizeof(*objects->items));
	for (size_t i = 0; i < sizeof(scalars); i++) {
		struct object *object = add(objects, system, 9);

		object->column = scalars[i];
		object->ids[7] = scalars[i];
	}
	for (size_t i = 0; i < sizeof(table); i++)
		add_column(objects, false, table[i], interfaces);
	for (size_t i = 0; i < sizeof(more); i++)
		add_column(objects, true, more[i], interfaces);
	add(objects, change, sizeof(change) / 4)->column = LAST_CHANGE;
}

void objects_done(struct objects *objects)
{
	free(objects->items);
}

/* --- Finding -------------------------------------------------------------- */

static int compare(const struct object *object, const uint32_t *ids, size_t len)
{
	for (size_t i = 0; i < object->len && i < len; i++)
		if (object->ids[i] != ids[i])
			return object->ids[i] < ids[i] ? -1 : 1;
	return (int)object->len - (int)len;
}

size_t objects_find(const struct objects *objects, const uint32_t *ids, size_t len, bool behind)
{
	size_t low = 0, high = objects->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&objects->items[middle], ids, len) < behind)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool objects_is(const struct objects *objects, size_t number, const uint32_t *ids, size_t len)
{
	return number < objects->len && compare(&objects->items[number], ids, len) == 0;
}

/* --- Values --------------------------------------------------------------- */

static uint64_t octets(const struct objects_device *device, const struct object *object, bool out)
{
	return (uint64_t)device->number << 44 | (uint64_t)object->interface << 34 |
	       (uint64_t)out << 33 | device->milliseconds;
}

static void put_text(struct mc_ber_writer *writer, const char *format, unsigned number)
{
	char text[OBJECTS_VALUE_MAX];

	snprintf(text, sizeof(text), format, number);
	mc_ber_put_octets(writer, MC_BER_OCTETS, text, strlen(text));
}

static void put_single(const struct objects_device *device, const struct object *object,
		       struct mc_ber_writer *writer)
{
	switch (object->column) {
	case SYS_UPTIME:
		mc_ber_put_number(writer, MC_BER_TICKS, TICKS_FIRST + device->milliseconds / 10);
		break;
	case LAST_CHANGE:
		mc_ber_put_number(writer, MC_BER_TICKS, 1);
		break;
	case SYS_NAME:
		put_text(writer, "switch%u", device->number);
		break;
	default:
		put_text(writer, "Simulated switch %u", device->number);
		break;
	}
}

static void put_cell(const struct objects_device *device, const struct object *object,
		     struct mc_ber_writer *writer)
{
	switch (object->column) {
	case IF_DESCR:
		put_text(writer, "GigabitEthernet1/0/%u", object->interface);
		break;
	case IF_INDEX:
		mc_ber_put_number(writer, MC_BER_INTEGER, object->interface);
		break;
	case IF_TYPE:
		mc_ber_put_number(writer, MC_BER_INTEGER, 6);
		break;
	case IF_SPEED:
		mc_ber_put_number(writer, MC_BER_GAUGE, 1000000000);
		break;
	case IF_ADMIN:
	case IF_STATE:
		mc_ber_put_number(writer, MC_BER_INTEGER, 1);
		break;
	case IF_IN_OCTETS:
	case IF_OUT_OCTETS:
		mc_ber_put_number(
			writer, MC_BER_COUNTER,
			(uint32_t)octets(device, object, object->column == IF_OUT_OCTETS));
		break;
	default:
		mc_ber_put_number(writer, MC_BER_COUNTER,
				  (uint32_t)(device->milliseconds / PACKET_SIZE));
		break;
	}
}

static void put_more(const struct objects_device *device, const struct object *object,
		     struct mc_ber_writer *writer)
{
	switch (object->column) {
	case IF_NAME:
		put_text(writer, "Gi1/0/%u", object->interface);
		break;
	case IF_ALIAS:
		put_text(writer, "uplink %u", object->interface);
		break;
	case IF_HIGH_SPEED:
		mc_ber_put_number(writer, MC_BER_GAUGE, 1000);
		break;
	case IF_HC_IN_OCTETS:
	case IF_HC_OUT_OCTETS:
		mc_ber_put_number(writer, MC_BER_COUNTER64,
				  octets(device, object, object->column == IF_HC_OUT_OCTETS));
		break;
	default:
		mc_ber_put_number(writer, MC_BER_COUNTER64, device->milliseconds / PACKET_SIZE);
		break;
	}
}

void objects_put(const struct objects_device *device, const struct object *object,
		 struct mc_ber_writer *writer)
{
	if (object->interface == 0)
		put_single(device, object, writer);
	else if (object->extended)
		put_more(device, object, writer);
	else
		put_cell(device, object, writer);
}
