/* SPDX-License-Identifier: MIT */
/* Types of the four kinds, for tests that need no types.db. */
#pragma once

#include <collector/plugin.h>

#include "model/type.h"

/* A set with: gauge (U:U), percent (0:100), derive (0:U), counter (U:U), absolute (0:U) and
 * if_octets (two derives from 0).  The first and the third are of any unit. */
static inline struct type_set *kinds_new(void)
{
	static const struct {
		const char *name;
		enum mc_kind kind;
		double min, max;
	} rows[] = {
		{ "gauge", MC_GAUGE, NAN, NAN },           { "percent", MC_GAUGE, 0, 100 },
		{ "derive", MC_DERIVE, 0, NAN },           { "counter", MC_COUNTER, NAN, NAN },
		{ "absolute", MC_ABSOLUTE, 0, NAN },       { "if_octets", MC_DERIVE, 0, NAN },
		{ "total_time_in_ms", MC_DERIVE, 0, NAN },
	};
	struct type_set *set = type_set_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct {
			struct mc_type type;
			struct mc_source sources[2];
		} row = {
			.type = { .name = rows[i].name,
				  .unit = i == 0 || i == 2 ? "any" : "1",
				  .help = "For tests.",
				  .sources_len = 1 + (i == 5) },
			.sources = { { i == 5 ? "rx" : "value", rows[i].kind, rows[i].min,
				       rows[i].max },
				     { "tx", rows[i].kind, rows[i].min, rows[i].max } },
		};

		type_set_add(set, &row.type, (struct place){ 0 });
	}
	type_set_seal(set);
	return set;
}

static inline const struct mc_type *kind(const struct type_set *set, const char *name)
{
	return type_set_find(set, name, __builtin_strlen(name));
}
