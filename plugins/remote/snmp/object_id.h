/* SPDX-License-Identifier: MIT */
/* Object identifiers: a row of numbers, 1.3.6.1.2.1.1.3.0, as net-snmp has
 * them. Pure functions. */
#ifndef SNMP_OBJECT_ID_H
#define SNMP_OBJECT_ID_H

#include <stdbool.h>
#include <stddef.h>

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/types.h>

#define OBJECT_ID_TEXT_SIZE (MAX_OID_LEN * 11)

struct object_id {
	const oid *ids; /* Its own, or of somebody who keeps them. */
	size_t len;
};

/* Reads "1.3.6.1" or ".1.3.6.1", "iso.3.6.1"; '*id' is then to be freed with
 * object_id_done().  False: it is none. */
bool object_id_parse(const char *text, struct object_id *id);
void object_id_done(struct object_id *id);

/* A copy, of 'head' and what follows it, 'tail'. */
struct object_id object_id_join(const struct object_id *head,
				const struct object_id *tail);
struct object_id object_id_copy(const struct object_id *id);

/* Below 0, 0, above 0: 'a' comes before 'b' in a walk, is 'b', comes after. */
int object_id_compare(const struct object_id *a, const struct object_id *b);

/* Whether 'id' is 'prefix' or begins with it. */
bool object_id_begins(const struct object_id *id,
		      const struct object_id *prefix);

/* What follows the prefix, within 'id'. */
static inline struct object_id object_id_behind(const struct object_id *id,
						const struct object_id *prefix)
{
	return (struct object_id){ id->ids + prefix->len,
				   id->len - prefix->len };
}

/* "1.3.6.1", cut at 'size'; returns 'out'. */
const char *object_id_text(const struct object_id *id, char *out, size_t size);

/* How many bytes it takes in a message (X.690, 8.19). */
size_t object_id_size(const struct object_id *id);

#endif
