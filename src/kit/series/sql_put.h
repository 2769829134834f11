/* SPDX-License-Identifier: MIT */
/* kit/series/sql_put.h - the series of answers of a database, in libseries_sql. */
#pragma once

#include "kit/series/sql_answers.h"
#include "kit/series/sql_query.h"

struct sql_put_names {
	const char *name; /* Of the database, in the log. */
	/* Of the series; NULL: those of this host and this plugin. */
	const char *host, *plugin, *plugin_instance;
};

/* Puts the values of all rows, and logs once which queries fail.  Thread: the batch's. */
void sql_put(struct mc_ctx *, const struct sql_put_names *, const struct sql_query_list *,
	     const struct sql_answers *, struct mc_batch *batch);
