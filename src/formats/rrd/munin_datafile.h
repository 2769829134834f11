/* SPDX-License-Identifier: MIT */
/* Lines of the file "datafile" beside the RRD files of Munin: "GROUP;HOST:SERVICE.FIELD.KEY TEXT".
 *
 * Facts: Munin 2.0, Master/Update.pm, _write_new_service_configs().  Pure. */
#pragma once

#include <stdbool.h>

#define MC_MUNIN_DATAFILE_LINE 4096 /* Longer lines are those of long texts. */

struct mc_munin_field {
	const char *group, *host; /* Groups in groups are "a;b". */
	const char *service;      /* A graph in a graph is "a.b". */
	const char *field;
};

/* Takes a line, which it cuts into parts, with or without its newline; false: it does not begin a
 * field, which has one line with the key "label". */
bool mc_munin_datafile_field(char *line, struct mc_munin_field *);
