/* SPDX-License-Identifier: MIT */
/* Names of objects that are not known here: snmptranslate(1) looks into the MIB
 * files that this host has, once, in a process of its own. */
#pragma once

#include <collector/kit/loop.h>

#include "formats/snmp/object_id.h"
#include "options.h"

struct translate {
	char **names;
	size_t names_len;
	struct mc_object_id *ids; /* Of the names; len 0: unknown. */
	size_t asked;             /* Which of them is looked for. */
	bool ended;
	struct mc_loop *loop;
};

/* Asks for all names of the options that mc_snmp_find_name() does not know, and runs the loop until
 * they are there, or the instance must stop: 0, -ECANCELED, or what mc_fail() returned. */
int translate_run(struct translate *, struct mc_loop *, const struct snmp_options *);
void translate_done(struct translate *);

/* Its result; '*id' is a copy. */
bool translate_find(const struct translate *, const char *name, struct mc_object_id *id);
