/* SPDX-License-Identifier: MIT */
/* Object identifiers: a row of numbers, 1.3.6.1.2.1.1.3.0, as net-snmp has them. Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/types.h>

#define MC_OBJECT_ID_TEXT_SIZE (MAX_OID_LEN * 11)

struct mc_object_id {
	const oid *ids; /* Its own memory, or another owner's. */
	size_t len;
};

/* Reads "1.3.6.1" or ".1.3.6.1", "iso.3.6.1"; '*id' is then to be freed with mc_object_id_done().
 * False if it is invalid. */
bool mc_object_id_parse(const char *text, struct mc_object_id *id);
void mc_object_id_done(struct mc_object_id *id);

/* A copy, of 'head' and what follows it, 'tail'. */
struct mc_object_id mc_object_id_join(const struct mc_object_id *head,
				      const struct mc_object_id *tail);
struct mc_object_id mc_object_id_copy(const struct mc_object_id *id);

/* Below 0, 0, above 0: 'a' comes before 'b' in a walk, is 'b', comes after. */
int mc_object_id_compare(const struct mc_object_id *a, const struct mc_object_id *b);

/* Whether 'id' is 'prefix' or begins with it. */
bool mc_object_id_begins(const struct mc_object_id *id, const struct mc_object_id *prefix);

/* The part after the prefix, within 'id'. */
static inline struct mc_object_id mc_object_id_behind(const struct mc_object_id *id,
						      const struct mc_object_id *prefix)
{
	return (struct mc_object_id){ id->ids + prefix->len, id->len - prefix->len };
}

/* "1.3.6.1", cut at 'size'; returns 'out'. */
const char *mc_object_id_text(const struct mc_object_id *id, char *out, size_t size);

/* How many bytes it takes in a message (X.690, 8.19). */
size_t mc_object_id_size(const struct mc_object_id *id);
