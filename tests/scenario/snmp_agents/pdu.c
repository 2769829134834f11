/* SPDX-License-Identifier: MIT */
#include "pdu.h"

#include <string.h>

#define ASKED_MAX 128 /* Variables of a request. */
#define IDS_MAX 64
#define GET_NEXT 0xa1
#define GET_BULK 0xa5
#define REPETITIONS_MAX 10000
#define HEADERS 32 /* Of a PDU. */

enum { NO_ERROR = 0, TOO_BIG = 1, NO_SUCH_NAME = 2 };

struct asked {
	uint32_t ids[IDS_MAX];
	size_t len;
	size_t at; /* Number of the object that comes next, with GETBULK. */
};

struct request {
	const struct objects_device *device;
	enum mc_snmp_version version;
	unsigned tag;
	uint32_t id, first, second; /* GETBULK: how many once, how often. */
	struct mc_ber list;
	struct asked asked[ASKED_MAX];
	size_t asked_len;
	unsigned error, error_index;
};

struct answer {
	uint8_t *bytes; /* Variables, one after the other. */
	size_t used, room;
};

/* --- Identifiers ---------------------------------------------------------- */

static bool take_id(struct mc_ber *from, struct asked *asked)
{
	struct mc_ber body;
	uint32_t number = 0;

	if (!mc_ber_take(from, MC_BER_OBJECT_ID, &body, NULL) || body.size < 1)
		return false;
	asked->ids[0] = body.at[0] / 40;
	asked->ids[1] = body.at[0] % 40;
	asked->len = 2;
	for (size_t i = 1; i < body.size; i++) {
		number = number << 7 | (body.at[i] & 0x7f);
		if (body.at[i] >= 0x80)
			continue;
		if (asked->len == IDS_MAX)
			return false;
		asked->ids[asked->len++] = number;
		number = 0;
	}
	return true;
}

static void put_id(struct mc_ber_writer *writer, const uint32_t *ids, size_t len)
{
	const uint8_t *end = writer->at;

	for (size_t i = len; i-- > 2;) {
		uint8_t bytes[5], *at = bytes + sizeof(bytes);
		uint32_t left = ids[i];

		*--at = left & 0x7f;
		while ((left >>= 7) > 0)
			*--at = (uint8_t)(0x80 | (left & 0x7f));
		mc_ber_put(writer, at, (size_t)(bytes + sizeof(bytes) - at));
	}
	mc_ber_put(writer, &(uint8_t){ (uint8_t)(ids[0] * 40 + ids[1]) }, 1);
	mc_ber_close(writer, MC_BER_OBJECT_ID, end);
}

/* --- Variables ------------------------------------------------------------ */

/* An object, or if it is NULL, the exception for a missing one.  False: there is no room. */
static bool put_variable(const struct request *request, struct answer *answer,
			 const struct asked *asked, const struct object *object, unsigned none)
{
	uint8_t bytes[512];
	struct mc_ber_writer writer = { bytes, bytes + sizeof(bytes) };
	const uint8_t *end = writer.at;
	size_t size;

	if (object != NULL)
		objects_put(request->device, object, &writer);
	else
		mc_ber_put_octets(&writer, none, NULL, 0);
	if (object != NULL)
		put_id(&writer, object->ids, object->len);
	else
		put_id(&writer, asked->ids, asked->len);
	mc_ber_close(&writer, MC_BER_SEQUENCE, end);
	size = (size_t)(end - writer.at);
	if (answer->used + size > answer->room)
		return false;
	memcpy(answer->bytes + answer->used, writer.at, size);
	answer->used += size;
	return true;
}

static void fail(struct request *request, struct answer *answer, unsigned error, size_t number)
{
	request->error = error;
	request->error_index = (unsigned)number;
	answer->used = 0;
	if (error != TOO_BIG && request->list.size <= answer->room) {
		memcpy(answer->bytes, request->list.at, request->list.size);
		answer->used = request->list.size;
	}
}

static void answer_each(struct request *request, struct answer *answer)
{
	const struct objects *objects = request->device->objects;
	bool next = request->tag == GET_NEXT;

	for (size_t i = 0; i < request->asked_len; i++) {
		const struct asked *asked = &request->asked[i];
		size_t at = objects_find(objects, asked->ids, asked->len, next);
		const struct object *object = NULL;

		if (next ? at < objects->len : objects_is(objects, at, asked->ids, asked->len))
			object = &objects->items[at];
		if (object == NULL && request->version == MC_SNMP_V1) {
			fail(request, answer, NO_SUCH_NAME, i + 1);
			return;
		}
		if (!put_variable(request, answer, asked, object,
				  next ? MC_BER_END_OF_VIEW : MC_BER_NO_INSTANCE)) {
			fail(request, answer, TOO_BIG, 0);
			return;
		}
	}
}

/* One row of a GETBULK; false: there is no room, or nothing more. */
static bool answer_row(struct request *request, struct answer *answer, size_t first, size_t last)
{
	const struct objects *objects = request->device->objects;
	bool more = false;

	for (size_t i = first; i < last; i++) {
		struct asked *asked = &request->asked[i];
		const struct object *object = NULL;

		if (asked->at < objects->len)
			object = &objects->items[asked->at++];
		if (!put_variable(request, answer, asked, object, MC_BER_END_OF_VIEW))
			return false;
		if (object == NULL)
			continue;
		memcpy(asked->ids, object->ids, sizeof(object->ids));
		asked->len = object->len;
		more = true;
	}
	return more;
}

static void answer_bulk(struct request *request, struct answer *answer)
{
	size_t once = request->first < request->asked_len ? request->first : request->asked_len;

	for (size_t i = 0; i < request->asked_len; i++)
		request->asked[i].at = objects_find(request->device->objects, request->asked[i].ids,
						    request->asked[i].len, true);
	if (once > 0 && !answer_row(request, answer, 0, once))
		return;
	for (uint32_t i = 0; i < request->second && i < REPETITIONS_MAX; i++)
		if (!answer_row(request, answer, once, request->asked_len))
			return;
}

/* --- The PDU -------------------------------------------------------------- */

static bool read_request(struct request *request, const struct mc_ber *pdu)
{
	struct mc_ber from = *pdu, body, list, variable;

	request->tag = pdu->at[0];
	if (!mc_ber_take(&from, request->tag, &body, NULL) ||
	    !mc_ber_take_number(&body, &request->id) ||
	    !mc_ber_take_number(&body, &request->first) ||
	    !mc_ber_take_number(&body, &request->second) ||
	    !mc_ber_take(&body, MC_BER_SEQUENCE, &list, NULL))
		return false;
	request->list = list;
	while (list.size > 0) {
		if (request->asked_len == ASKED_MAX ||
		    !mc_ber_take(&list, MC_BER_SEQUENCE, &variable, NULL) ||
		    !take_id(&variable, &request->asked[request->asked_len++]))
			return false;
	}
	return true;
}

uint8_t *pdu_answer(const struct objects_device *device, const struct mc_ber *pdu,
		    enum mc_snmp_version version, size_t room, uint8_t *out, size_t out_size)
{
	static uint8_t bytes[MC_SNMP_MESSAGE_SIZE];
	struct request request = { .device = device, .version = version };
	struct answer answer = { .bytes = bytes, .room = room - HEADERS };
	struct mc_ber_writer writer = { out, out + out_size };
	const uint8_t *end = writer.at;

	if (!read_request(&request, pdu))
		return NULL;
	if (request.tag == GET_BULK)
		answer_bulk(&request, &answer);
	else if (request.tag == MC_SNMP_GET || request.tag == GET_NEXT)
		answer_each(&request, &answer);
	else
		return NULL;
	mc_ber_put_octets(&writer, MC_BER_SEQUENCE, bytes, answer.used);
	mc_ber_put_number(&writer, MC_BER_INTEGER, request.error_index);
	mc_ber_put_number(&writer, MC_BER_INTEGER, request.error);
	mc_ber_put_number(&writer, MC_BER_INTEGER, request.id);
	mc_ber_close(&writer, MC_SNMP_RESPONSE, end);
	return writer.at;
}
