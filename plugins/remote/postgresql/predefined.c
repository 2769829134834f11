/* SPDX-License-Identifier: MIT */
/* Facts: the manual of PostgreSQL, "The Cumulative Statistics System". */
#include "predefined.h"

/* Columns; they are not changed, but options have such lists. */
static const char *const of_count[] = { "count" };
static const char *const of_name[] = { "name" };
static const char *const of_table[] = { "name", "schemaname", "relname" };
static const char *const of_database[] = { "database" };

#define LEN(array) (sizeof(array) / sizeof((array)[0]))
#define NAMES(array)                                                                               \
	{                                                                                          \
		.items = (array), .len = LEN(array)                                                \
	}

/* The series of each row: its type, and the columns of the type instance. */
enum { BACKENDS, XACT, ROWS, SCANS, STATES, BLOCKS, SIZE, ROWS_OF, SCANS_OF, STATES_OF, BLOCKS_OF };
#define RESULT(type_, names)                                                                       \
	{                                                                                          \
		.type = (type_), .instances = names, .values = NAMES(of_count)                     \
	}
#define NONE                                                                                       \
	{                                                                                          \
		0                                                                                  \
	}
static const struct sql_query_result results[] = {
	[BACKENDS] = RESULT("pg_numbackends", NONE),
	[XACT] = RESULT("pg_xact", NAMES(of_name)),
	[ROWS] = RESULT("pg_n_tup_c", NAMES(of_name)),
	[SCANS] = RESULT("pg_scan", NAMES(of_name)),
	[STATES] = RESULT("pg_n_tup_g", NAMES(of_name)),
	[BLOCKS] = RESULT("pg_blks", NAMES(of_name)),
	[SIZE] = RESULT("pg_db_size", NONE),
	[ROWS_OF] = RESULT("pg_n_tup_c", NAMES(of_table)),
	[SCANS_OF] = RESULT("pg_scan", NAMES(of_table)),
	[STATES_OF] = RESULT("pg_n_tup_g", NAMES(of_table)),
	[BLOCKS_OF] = RESULT("pg_blks", NAMES(of_table)),
};
/* Options have blocks that may be changed; these are not. */
#define ONE(number)                                                                                \
	{                                                                                          \
		.items = (void *)&results[number], .len = 1                                        \
	}

const struct sql_query predefined[PREDEFINED_LEN] = {
	{ .name = "backends",
	  .statement = "SELECT count(*) FROM pg_stat_activity WHERE datname = $1",
	  .parameters = NAMES(of_database),
	  .max_version = INT32_MAX,
	  .results = ONE(BACKENDS) },
	{ .name = "transactions",
	  .statement =
		  "SELECT v.name, v.count FROM pg_stat_database AS d, LATERAL (VALUES ('commit', "
		  "d.xact_commit), ('rollback', d.xact_rollback)) AS v(name, count) WHERE "
		  "d.datname "
		  "= $1",
	  .parameters = NAMES(of_database),
	  .max_version = INT32_MAX,
	  .results = ONE(XACT) },
	{ .name = "queries",
	  .statement =
		  "SELECT v.name, coalesce(v.count, 0) AS count FROM (SELECT sum(n_tup_ins) AS "
		  "n_tup_ins, sum(n_tup_upd) AS n_tup_upd, sum(n_tup_del) AS n_tup_del, "
		  "sum(n_tup_hot_upd) AS n_tup_hot_upd FROM pg_stat_user_tables) AS t, LATERAL "
		  "(VALUES ('ins', t.n_tup_ins), ('upd', t.n_tup_upd), ('del', t.n_tup_del), "
		  "('hot_upd', t.n_tup_hot_upd)) AS v(name, count)",
	  .max_version = INT32_MAX,
	  .results = ONE(ROWS) },
	{ .name = "query_plans",
	  .statement =
		  "SELECT v.name, coalesce(v.count, 0) AS count FROM (SELECT sum(seq_scan) AS "
		  "seq_scan, sum(seq_tup_read) AS seq_tup_read, sum(idx_scan) AS idx_scan, "
		  "sum(idx_tup_fetch) AS idx_tup_fetch FROM pg_stat_user_tables) AS t, LATERAL "
		  "(VALUES ('seq', t.seq_scan), ('seq_tup_read', t.seq_tup_read), ('idx', "
		  "t.idx_scan), ('idx_tup_fetch', t.idx_tup_fetch)) AS v(name, count)",
	  .max_version = INT32_MAX,
	  .results = ONE(SCANS) },
	{ .name = "table_states",
	  .statement =
		  "SELECT v.name, coalesce(v.count, 0) AS count FROM (SELECT sum(n_live_tup) AS "
		  "n_live_tup, sum(n_dead_tup) AS n_dead_tup FROM pg_stat_user_tables) AS t, "
		  "LATERAL (VALUES ('live', t.n_live_tup), ('dead', t.n_dead_tup)) AS v(name, "
		  "count)",
	  .max_version = INT32_MAX,
	  .results = ONE(STATES) },
	{ .name = "disk_io",
	  .statement =
		  "SELECT v.name, coalesce(v.count, 0) AS count FROM (SELECT sum(heap_blks_read) "
		  "AS "
		  "heap_blks_read, sum(heap_blks_hit) AS heap_blks_hit, sum(idx_blks_read) AS "
		  "idx_blks_read, sum(idx_blks_hit) AS idx_blks_hit, sum(toast_blks_read) AS "
		  "toast_blks_read, sum(toast_blks_hit) AS toast_blks_hit, sum(tidx_blks_read) AS "
		  "tidx_blks_read, sum(tidx_blks_hit) AS tidx_blks_hit FROM pg_statio_user_tables) "
		  "AS t, LATERAL (VALUES ('heap_read', t.heap_blks_read), ('heap_hit', "
		  "t.heap_blks_hit), ('idx_read', t.idx_blks_read), ('idx_hit', t.idx_blks_hit), "
		  "('toast_read', t.toast_blks_read), ('toast_hit', t.toast_blks_hit), "
		  "('tidx_read', t.tidx_blks_read), ('tidx_hit', t.tidx_blks_hit)) AS v(name, "
		  "count)",
	  .max_version = INT32_MAX,
	  .results = ONE(BLOCKS) },
	{ .name = "disk_usage",
	  .statement = "SELECT pg_database_size($1) AS count",
	  .parameters = NAMES(of_database),
	  .max_version = INT32_MAX,
	  .results = ONE(SIZE) },
	{ .name = "queries_by_table",
	  .statement =
		  "SELECT v.name, t.schemaname, t.relname, coalesce(v.count, 0) AS count FROM "
		  "pg_stat_user_tables AS t, LATERAL (VALUES ('ins', t.n_tup_ins), ('upd', "
		  "t.n_tup_upd), ('del', t.n_tup_del), ('hot_upd', t.n_tup_hot_upd)) AS v(name, "
		  "count)",
	  .max_version = INT32_MAX,
	  .results = ONE(ROWS_OF) },
	{ .name = "query_plans_by_table",
	  .statement =
		  "SELECT v.name, t.schemaname, t.relname, coalesce(v.count, 0) AS count FROM "
		  "pg_stat_user_tables AS t, LATERAL (VALUES ('seq', t.seq_scan), ('seq_tup_read', "
		  "t.seq_tup_read), ('idx', t.idx_scan), ('idx_tup_fetch', t.idx_tup_fetch)) AS "
		  "v(name, count)",
	  .max_version = INT32_MAX,
	  .results = ONE(SCANS_OF) },
	{ .name = "table_states_by_table",
	  .statement = "SELECT v.name, t.schemaname, t.relname, coalesce(v.count, 0) AS count FROM "
		       "pg_stat_user_tables AS t, LATERAL (VALUES ('live', t.n_live_tup), ('dead', "
		       "t.n_dead_tup)) AS v(name, count)",
	  .max_version = INT32_MAX,
	  .results = ONE(STATES_OF) },
	{ .name = "disk_io_by_table",
	  .statement =
		  "SELECT v.name, t.schemaname, t.relname, coalesce(v.count, 0) AS count FROM "
		  "pg_statio_user_tables AS t, LATERAL (VALUES ('heap_read', t.heap_blks_read), "
		  "('heap_hit', t.heap_blks_hit), ('idx_read', t.idx_blks_read), ('idx_hit', "
		  "t.idx_blks_hit), ('toast_read', t.toast_blks_read), ('toast_hit', "
		  "t.toast_blks_hit), ('tidx_read', t.tidx_blks_read), ('tidx_hit', "
		  "t.tidx_blks_hit)) AS v(name, count)",
	  .max_version = INT32_MAX,
	  .results = ONE(BLOCKS_OF) },
};
