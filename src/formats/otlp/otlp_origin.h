/* SPDX-License-Identifier: MIT */
/* Distinguishes the resources of foreign senders: attributes that become part of the names of
 * their series. */
#pragma once

#include "formats/otlp/otlp_message.h"

/* Puts attributes in the order of their keys: senders shuffle them. */
void otlp_origin_sort(struct otlp_pair *pairs, unsigned len);

/* Appends "key=value", after a comma if there is something before, to a text
 * of '*size' bytes.  False if it would have more than OTLP_PART_MAX. */
bool otlp_origin_append(char text[OTLP_PART_MAX], size_t *size, const struct otlp_pair *pair);

/* The same, of a text that is no attribute; nothing if it is empty. */
bool otlp_origin_append_text(char text[OTLP_PART_MAX], size_t *size, struct mc_otlp_text part);

/* Reads what own.resource is, once: its text, and its hash.  Claims the names of its series. */
void otlp_origin_read(struct mc_otlp *);

/* The same for the hash of all attributes alone. */
void otlp_origin_read_all(struct mc_otlp *);

/* A hash of attributes in any order. */
uint64_t otlp_origin_sum(const struct otlp_pairs *);

/* Sets own.attributes_hash: of the resource, and of these. */
void otlp_origin_hash(struct mc_otlp *, const struct otlp_pairs *);
