/* SPDX-License-Identifier: MIT */
#include "formats/snmp/object_id.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

bool mc_object_id_parse(const char *text, struct mc_object_id *id)
{
	oid ids[MAX_OID_LEN];
	size_t len = 0;

	text += *text == '.';
	if (strncmp(text, "iso", 3) == 0 && (text[3] == '.' || text[3] == 0)) {
		ids[len++] = 1;
		text += text[3] == '.' ? 4 : 3;
	}
	while (*text != '\0') {
		uint64_t number;

		if (len == MAX_OID_LEN || !mc_number_take(&text, 10, &number) ||
		    number > UINT32_MAX)
			return false;
		ids[len++] = (oid)number;
		if (*text == '.' && text[1] != '\0')
			text++;
		else if (*text != '\0')
			return false;
	}
	if (len == 0)
		return false;
	*id = mc_object_id_copy(&(struct mc_object_id){ ids, len });
	return true;
}

void mc_object_id_done(struct mc_object_id *id)
{
	free((oid *)id->ids);
	*id = (struct mc_object_id){ 0 };
}

struct mc_object_id mc_object_id_join(const struct mc_object_id *head,
				      const struct mc_object_id *tail)
{
	size_t len = head->len + tail->len;
	oid *ids = mc_alloc_array(len, sizeof(*ids));

	if (head->len > 0)
		memcpy(ids, head->ids, head->len * sizeof(*ids));
	if (tail->len > 0)
		memcpy(ids + head->len, tail->ids, tail->len * sizeof(*ids));
	return (struct mc_object_id){ ids, len };
}

struct mc_object_id mc_object_id_copy(const struct mc_object_id *id)
{
	return mc_object_id_join(id, &(struct mc_object_id){ 0 });
}

int mc_object_id_compare(const struct mc_object_id *a, const struct mc_object_id *b)
{
	for (size_t i = 0; i < a->len && i < b->len; i++)
		if (a->ids[i] != b->ids[i])
			return a->ids[i] < b->ids[i] ? -1 : 1;
	return (a->len > b->len) - (a->len < b->len);
}

bool mc_object_id_begins(const struct mc_object_id *id, const struct mc_object_id *prefix)
{
	return id->len >= prefix->len &&
	       (prefix->len == 0 ||
		memcmp(id->ids, prefix->ids, prefix->len * sizeof(*prefix->ids)) == 0);
}

const char *mc_object_id_text(const struct mc_object_id *id, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < id->len && used < size; i++) {
		int n = snprintf(out + used, size - used, "%s%lu", i > 0 ? "." : "",
				 (unsigned long)id->ids[i]);

		used += n > 0 ? (size_t)n : 0;
	}
	return out;
}

size_t mc_object_id_size(const struct mc_object_id *id)
{
	size_t size = 1; /* Of the first two. */

	for (size_t i = 2; i < id->len; i++) {
		oid number = id->ids[i];

		do
			size++;
		while ((number >>= 7) > 0);
	}
	return size;
}
