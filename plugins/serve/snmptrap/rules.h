/* SPDX-License-Identifier: MIT */
/* Rules for traps: their severity, and their subject. */
#pragma once

#include <collector/plugin.h>

#include "formats/snmp/object_id.h"

struct rules_block {    /* A <Trap> block. */
	const char *id; /* A name, or numbers; ".*" after it: all below. */
	const char *name;
	int severity; /* Of rules_severities. */
	struct mc_strings instance;
};

/* The words of Severity; ends with NULL. */
extern const char *const rules_severities[];

struct rule {
	const char *name; /* NULL: that of the trap. */
	int severity;     /* enum mc_severity; 0: such traps are ignored. */
	struct mc_object_id id;
	bool below;
	struct mc_object_id *instances; /* The first that a trap has. */
	size_t instances_len;
};

struct rules {
	struct rule *items; /* The first that fits. */
	size_t len;
};

/* Whether 'text' is an identifier that rules can have; 'below': ".*" too. */
bool rules_know(const char *text, bool below);

/* Those of the configuration, which must live as long, come first; then those of the standards. */
void rules_init(struct rules *, const struct rules_block *, size_t len);
void rules_done(struct rules *);

/* NULL: none fits. */
const struct rule *rules_find(const struct rules *, const struct mc_object_id *trap);
