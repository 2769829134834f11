/* SPDX-License-Identifier: MIT */
/* Names and types are those of collectd's plugin. */
#include "put.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/number.h>
#include <collector/serve.h>

struct putting {
	struct put_database *database;
	struct mc_batch *batch;
};

struct name { /* A status, and the series it makes. */
	const char *status, *type, *type_instance;
};

/* --- Series -------------------------------------------------------------------- */

/* NULL: this host. */
static const char *host_of(const struct session_settings *settings)
{
	const char *host = settings->host;

	if (settings->alias != NULL)
		return settings->alias;
	if (host == NULL || host[0] == '\0' || strcmp(host, "127.0.0.1") == 0 ||
	    strcmp(host, "localhost") == 0)
		return NULL;
	return host;
}

static struct mc_series *series_of(const struct putting *to, const char *type,
				   const char *type_instance)
{
	const struct session_settings *settings = to->database->settings;

	return mc_series(to->batch,
			 MC_ID(.host = host_of(settings), .plugin_instance = settings->instance,
			       .type = type, .type_instance = type_instance));
}

/* As the type has it: a level, or a total without decimals. */
static void put(const struct putting *to, const char *type, const char *type_instance,
		const char *text)
{
	const struct mc_type *found = mc_type_find(to->database->ctx, type);
	double level;
	int64_t total;

	if (found == NULL || found->sources_len != 1 || !mc_number_double(text, &level))
		return;
	if (found->sources[0].kind == MC_GAUGE) {
		mc_gauge(to->batch, series_of(to, type, type_instance), level);
		return;
	}
	if (!mc_number_signed(text, INT64_MIN, INT64_MAX, &total)) {
		if (!(level > -1e18 && level < 1e18))
			return;
		total = (int64_t)level;
	}
	mc_derive(to->batch, series_of(to, type, type_instance), total);
}

/* --- SHOW GLOBAL STATUS ---------------------------------------------------------- */

static const struct name statuses[] = {
	{ "Slow_queries", "mysql_slow_queries", NULL },
	{ "Sort_merge_passes", "mysql_sort_merge_passes", NULL },
	{ "Sort_range", "mysql_sort", "range" },
	{ "Sort_rows", "mysql_sort_rows", NULL },
	{ "Sort_scan", "mysql_sort", "scan" },
	{ "Uptime", "uptime", NULL },
	{ NULL, NULL, NULL },
};

static const struct name innodb_statuses[] = {
	{ "Innodb_buffer_pool_bytes_data", "mysql_bpool_bytes", "data" },
	{ "Innodb_buffer_pool_bytes_dirty", "mysql_bpool_bytes", "dirty" },
	{ "Innodb_buffer_pool_pages_data", "mysql_bpool_pages", "data" },
	{ "Innodb_buffer_pool_pages_dirty", "mysql_bpool_pages", "dirty" },
	{ "Innodb_buffer_pool_pages_flushed", "mysql_bpool_counters", "pages_flushed" },
	{ "Innodb_buffer_pool_pages_free", "mysql_bpool_pages", "free" },
	{ "Innodb_buffer_pool_pages_misc", "mysql_bpool_pages", "misc" },
	{ "Innodb_buffer_pool_pages_total", "mysql_bpool_pages", "total" },
	{ "Innodb_buffer_pool_read_ahead", "mysql_bpool_counters", "read_ahead" },
	{ "Innodb_buffer_pool_read_ahead_evicted", "mysql_bpool_counters", "read_ahead_evicted" },
	{ "Innodb_buffer_pool_read_ahead_rnd", "mysql_bpool_counters", "read_ahead_rnd" },
	{ "Innodb_buffer_pool_read_requests", "mysql_bpool_counters", "read_requests" },
	{ "Innodb_buffer_pool_reads", "mysql_bpool_counters", "reads" },
	{ "Innodb_buffer_pool_wait_free", "mysql_bpool_counters", "wait_free" },
	{ "Innodb_buffer_pool_write_requests", "mysql_bpool_counters", "write_requests" },
	{ "Innodb_data_fsyncs", "mysql_innodb_data", "fsyncs" },
	{ "Innodb_data_read", "mysql_innodb_data", "read" },
	{ "Innodb_data_reads", "mysql_innodb_data", "reads" },
	{ "Innodb_data_writes", "mysql_innodb_data", "writes" },
	{ "Innodb_data_written", "mysql_innodb_data", "written" },
	{ "Innodb_dblwr_page_size", "mysql_innodb_dblwr", "page_size" },
	{ "Innodb_dblwr_pages_written", "mysql_innodb_dblwr", "written" },
	{ "Innodb_dblwr_writes", "mysql_innodb_dblwr", "writes" },
	{ "Innodb_log_waits", "mysql_innodb_log", "waits" },
	{ "Innodb_log_write_requests", "mysql_innodb_log", "write_requests" },
	{ "Innodb_log_writes", "mysql_innodb_log", "writes" },
	{ "Innodb_os_log_fsyncs", "mysql_innodb_log", "fsyncs" },
	{ "Innodb_os_log_written", "mysql_innodb_log", "written" },
	{ "Innodb_pages_created", "mysql_innodb_pages", "created" },
	{ "Innodb_pages_read", "mysql_innodb_pages", "read" },
	{ "Innodb_pages_written", "mysql_innodb_pages", "written" },
	{ "Innodb_row_lock_time", "mysql_innodb_row_lock", "time" },
	{ "Innodb_row_lock_waits", "mysql_innodb_row_lock", "waits" },
	{ "Innodb_rows_deleted", "mysql_innodb_rows", "deleted" },
	{ "Innodb_rows_inserted", "mysql_innodb_rows", "inserted" },
	{ "Innodb_rows_read", "mysql_innodb_rows", "read" },
	{ "Innodb_rows_updated", "mysql_innodb_rows", "updated" },
	{ NULL, NULL, NULL },
};

/* The rest of the name is the type instance. */
static const struct prefix {
	const char *prefix, *type;
	bool only_used; /* Without those that are 0. */
} prefixes[] = {
	{ "Com_", "mysql_commands", true },
	{ "Handler_", "mysql_handler", true },
	{ "Select_", "mysql_select", false },
	{ "Table_locks_", "mysql_locks", false },
};

/* Several of which make a value, or are reported together or not at all. */
enum kept {
	QCACHE_HITS,
	QCACHE_INSERTS,
	QCACHE_NOT_CACHED,
	QCACHE_PRUNES,
	QCACHE_QUERIES,
	THREADS_RUNNING,
	THREADS_CONNECTED,
	THREADS_CACHED,
	THREADS_CREATED,
	BYTES_RECEIVED,
	BYTES_SENT,
	KEPT,
};

static const struct name kept_names[KEPT] = {
	[QCACHE_HITS] = { "Qcache_hits", "cache_result", "qcache-hits" },
	[QCACHE_INSERTS] = { "Qcache_inserts", "cache_result", "qcache-inserts" },
	[QCACHE_NOT_CACHED] = { "Qcache_not_cached", "cache_result", "qcache-not_cached" },
	[QCACHE_PRUNES] = { "Qcache_lowmem_prunes", "cache_result", "qcache-prunes" },
	[QCACHE_QUERIES] = { "Qcache_queries_in_cache", "cache_size", "qcache" },
	[THREADS_RUNNING] = { "Threads_running", "threads", "running" },
	[THREADS_CONNECTED] = { "Threads_connected", "threads", "connected" },
	[THREADS_CACHED] = { "Threads_cached", "threads", "cached" },
	[THREADS_CREATED] = { "Threads_created", "total_threads", "created" },
	[BYTES_RECEIVED] = { "Bytes_received", NULL, NULL },
	[BYTES_SENT] = { "Bytes_sent", NULL, NULL },
};

static bool put_named(const struct putting *to, const struct name *names,
		      const struct session_answer *answer)
{
	for (; names->status != NULL; names++) {
		if (strcmp(answer->name, names->status) != 0)
			continue;
		put(to, names->type, names->type_instance, answer->value);
		return true;
	}
	return false;
}

static void put_prefixed(const struct putting *to, const struct session_answer *answer)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		const struct prefix *prefix = &prefixes[i];
		size_t size = strlen(prefix->prefix);

		if (strncmp(answer->name, prefix->prefix, size) != 0 ||
		    answer->name[size] == '\0' || strncmp(answer->name, "Com_stmt_", 9) == 0 ||
		    (prefix->only_used && strcmp(answer->value, "0") == 0))
			continue;
		put(to, prefix->type, answer->name + size, answer->value);
		return;
	}
}

static void put_status(const struct putting *to, const struct session_answer *answer,
		       const char *kept[KEPT])
{
	for (size_t i = 0; i < KEPT; i++)
		if (strcmp(answer->name, kept_names[i].status) == 0)
			kept[i] = answer->value;
	if (!put_named(to, statuses, answer) &&
	    !(to->database->settings->innodb && put_named(to, innodb_statuses, answer)))
		put_prefixed(to, answer);
}

static bool is_used(const char *count)
{
	return count != NULL && strcmp(count, "0") != 0;
}

static void put_kept(const struct putting *to, const char *const kept[KEPT])
{
	bool has_cache = is_used(kept[QCACHE_HITS]) || is_used(kept[QCACHE_INSERTS]) ||
			 is_used(kept[QCACHE_NOT_CACHED]) || is_used(kept[QCACHE_PRUNES]);
	bool has_threads = is_used(kept[THREADS_CREATED]);
	union mc_value octets[2] = { 0 };

	for (size_t i = 0; i < BYTES_RECEIVED; i++)
		if (kept[i] != NULL && (i <= QCACHE_QUERIES ? has_cache : has_threads))
			put(to, kept_names[i].type, kept_names[i].type_instance, kept[i]);
	if (kept[BYTES_RECEIVED] != NULL && kept[BYTES_SENT] != NULL &&
	    mc_number_signed(kept[BYTES_RECEIVED], 0, INT64_MAX, &octets[0].derive) &&
	    mc_number_signed(kept[BYTES_SENT], 0, INT64_MAX, &octets[1].derive))
		mc_put(to->batch, series_of(to, "mysql_octets", NULL), octets, 2);
}

/* --- Tables of names with types ---------------------------------------------------- */

static const struct name innodb_metrics[] = {
	{ "adaptive_hash_searches", "operations", NULL },
	{ "buffer_pool_size", "bytes", NULL },
	{ "dml_deletes", "operations", NULL },
	{ "dml_inserts", "operations", NULL },
	{ "dml_reads", "operations", NULL },
	{ "dml_updates", "operations", NULL },
	{ "file_num_open_files", "gauge", NULL },
	{ "ibuf_merges_delete", "operations", NULL },
	{ "ibuf_merges_delete_mark", "operations", NULL },
	{ "ibuf_merges_discard_delete", "operations", NULL },
	{ "ibuf_merges_discard_delete_mark", "operations", NULL },
	{ "ibuf_merges_discard_insert", "operations", NULL },
	{ "ibuf_merges_discard_merges", "operations", NULL },
	{ "ibuf_merges_insert", "operations", NULL },
	{ "ibuf_size", "bytes", NULL },
	{ "innodb_activity_count", "gauge", NULL },
	{ "innodb_rwlock_s_os_waits", "operations", NULL },
	{ "innodb_rwlock_s_spin_rounds", "operations", NULL },
	{ "innodb_rwlock_s_spin_waits", "operations", NULL },
	{ "innodb_rwlock_x_os_waits", "operations", NULL },
	{ "innodb_rwlock_x_spin_rounds", "operations", NULL },
	{ "innodb_rwlock_x_spin_waits", "operations", NULL },
	{ "lock_deadlocks", "mysql_locks", NULL },
	{ "lock_row_lock_current_waits", "mysql_locks", NULL },
	{ "lock_timeouts", "mysql_locks", NULL },
	{ "metadata_mem_pool_size", "bytes", NULL },
	{ "os_log_bytes_written", "operations", NULL },
	{ "os_log_pending_fsyncs", "operations", NULL },
	{ "os_log_pending_writes", "operations", NULL },
	{ "trx_rseg_history_len", "gauge", NULL },
	{ NULL, NULL, NULL },
};

static const struct name wsrep_statuses[] = {
	{ "wsrep_apply_oooe", "operations", NULL },
	{ "wsrep_apply_oool", "operations", NULL },
	{ "wsrep_apply_window", "gauge", NULL },
	{ "wsrep_causal_reads", "operations", NULL },
	{ "wsrep_cert_deps_distance", "gauge", NULL },
	{ "wsrep_cluster_size", "gauge", NULL },
	{ "wsrep_commit_oooe", "operations", NULL },
	{ "wsrep_commit_oool", "operations", NULL },
	{ "wsrep_commit_window", "gauge", NULL },
	{ "wsrep_flow_control_paused", "operations", NULL },
	{ "wsrep_flow_control_recv", "operations", NULL },
	{ "wsrep_flow_control_sent", "operations", NULL },
	{ "wsrep_local_bf_aborts", "operations", NULL },
	{ "wsrep_local_cert_failures", "operations", NULL },
	{ "wsrep_local_commits", "operations", NULL },
	{ "wsrep_local_recv_queue", "queue_length", NULL },
	{ "wsrep_local_replays", "operations", NULL },
	{ "wsrep_local_send_queue", "queue_length", NULL },
	{ "wsrep_received", "operations", NULL },
	{ "wsrep_received_bytes", "total_bytes", NULL },
	{ "wsrep_replicated", "operations", NULL },
	{ "wsrep_replicated_bytes", "total_bytes", NULL },
	{ NULL, NULL, NULL },
};

/* The name is the type instance. */
static void put_by_name(const struct putting *to, const struct name *names,
			const struct session_answer *answer)
{
	for (; names->status != NULL; names++)
		if (strcmp(answer->name, names->status) == 0)
			put(to, names->type, answer->name, answer->value);
}

/* --- Replication --------------------------------------------------------------------- */

/* Words of MySQL since 8.0.22, and those of before. */
static bool is_called(const struct session_answer *answer, const char *old, const char *new)
{
	return strcmp(answer->name, old) == 0 || strcmp(answer->name, new) == 0;
}

static void notify(const struct putting *to, const char *thread, bool stopped)
{
	const struct session_settings *settings = to->database->settings;
	char message[100];
	const struct mc_notification notification = {
		.severity = stopped ? MC_WARNING : MC_OKAY,
		.id = { .host = host_of(settings),
			.plugin_instance = settings->instance,
			.type = "time_offset" },
		.message = message,
	};
	bool is_io = strcmp(thread, "I/O") == 0;

	snprintf(message, sizeof(message), "slave %s thread %sstarted%s", thread,
		 stopped ? "not " : "",
		 !is_io    ? ""
		 : stopped ? " or not connected to master"
			   : " and connected to master");
	mc_notify(to->database->ctx, &notification);
}

static void put_thread(const struct putting *to, const char *thread, bool runs)
{
	bool is_io = strcmp(thread, "I/O") == 0;
	bool *stopped = is_io ? &to->database->io_stopped : &to->database->sql_stopped;

	if (to->database->settings->slave)
		put(to, "bool", is_io ? "slave-io-running" : "slave-sql-running", runs ? "1" : "0");
	if (to->database->settings->slave_notifications && *stopped == runs) {
		*stopped = !runs;
		notify(to, thread, *stopped);
	}
}

static void put_slave(const struct putting *to, const struct session_answer *answer)
{
	bool says_yes = strcasecmp(answer->value, "yes") == 0;

	if (is_called(answer, "Slave_IO_Running", "Replica_IO_Running"))
		put_thread(to, "I/O", says_yes);
	else if (is_called(answer, "Slave_SQL_Running", "Replica_SQL_Running"))
		put_thread(to, "SQL", says_yes);
	else if (!to->database->settings->slave)
		return;
	else if (is_called(answer, "Read_Master_Log_Pos", "Read_Source_Log_Pos"))
		put(to, "mysql_log_position", "slave-read", answer->value);
	else if (is_called(answer, "Exec_Master_Log_Pos", "Exec_Source_Log_Pos"))
		put(to, "mysql_log_position", "slave-exec", answer->value);
	else if (is_called(answer, "Seconds_Behind_Master", "Seconds_Behind_Source"))
		put(to, "time_offset", NULL, answer->value);
}

/* --- All ------------------------------------------------------------------------------ */

void put_answers(void *database, void *session, struct mc_batch *batch)
{
	const struct putting to = { database, batch };
	const char *kept[KEPT] = { NULL };
	struct session_answer answer;

	for (size_t i = 0; session_answer(session, i, &answer); i++) {
		switch (answer.topic) {
		case SESSION_STATUS:
			put_status(&to, &answer, kept);
			break;
		case SESSION_INNODB:
			put_by_name(&to, innodb_metrics, &answer);
			break;
		case SESSION_WSREP:
			put_by_name(&to, wsrep_statuses, &answer);
			break;
		case SESSION_MASTER:
			if (strcmp(answer.name, "Position") == 0)
				put(&to, "mysql_log_position", "master-bin", answer.value);
			break;
		case SESSION_SLAVE:
			put_slave(&to, &answer);
			break;
		}
	}
	put_kept(&to, kept);
}
