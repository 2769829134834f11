/* SPDX-License-Identifier: MIT */
/* Records of <kit/base/report.h> as JSON maps. */
#pragma once

#include <collector/kit/json.h>

#include "kit/base/report.h"

struct report_json {
	struct mc_report base; /* First: the rest is found by it. */
	struct mc_json *json;
	const char *key; /* Of the next record; NULL: it is in a list. */
};

struct report_json report_json(struct mc_json *);

/* The next record is a map of that key; those until report_json_list_end() are
 * maps in a list of that key. */
void report_json_map(struct report_json *, const char *key);
void report_json_list(struct report_json *, const char *key);
void report_json_list_end(struct report_json *);
