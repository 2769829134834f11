/* SPDX-License-Identifier: MIT */
/* mysql: figures of servers of MySQL and MariaDB (collectd.conf(5), "Plugin mysql"). */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>

#include <stdlib.h>

#include "put.h"

struct mysql {
	struct mc_blocks databases; /* struct session_settings */
};

static const struct slow_source_kind kind = {
	.open = session_open,
	.ask = session_ask,
	.put = put_answers,
	.close = session_close,
};

static void mysql_check(struct mc_ctx *ctx)
{
	const struct mysql *self = ctx->self;
	const struct session_settings *databases = self->databases.items;

	for (size_t i = 0; i < self->databases.len; i++) {
		const struct session_settings *settings = &databases[i];

		mc_check_password(ctx, &settings->password);
		mc_check_file(ctx, &settings->certificate);
		mc_check_file(ctx, &settings->ca);
		mc_check_secret(ctx, &settings->key);
		if (settings->socket != NULL)
			mc_check_access(ctx, &settings->socket, settings->socket,
					MC_ACCESS_CONNECT);
	}
}

static int mysql_run(struct mc_ctx *ctx)
{
	struct mysql *self = ctx->self;
	const struct session_settings *settings = self->databases.items;
	size_t len = self->databases.len;
	struct put_database *databases = mc_alloc_array(len, sizeof(*databases));
	struct slow_source_target *targets = mc_alloc_array(len, sizeof(*targets));
	int rc;

	for (size_t i = 0; i < len; i++) {
		databases[i] = (struct put_database){ .ctx = ctx, .settings = &settings[i] };
		targets[i] = (struct slow_source_target){
			.kind = &kind,
			.name = settings[i].instance,
			.settings = &settings[i],
			.argument = &databases[i],
			.limits = &settings[i].limits,
		};
	}
	rc = slow_source_run(ctx, targets, len);
	free(targets);
	free(databases);
	return rc;
}

static const struct mc_option database_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct session_settings, instance),
	  .required = true,
	  .sample = "shop",
	  .help = "Plugin instance of the series." },
	{ .name = "Alias",
	  MC_OPT_STRING(struct session_settings, alias),
	  .sample = "db1",
	  .help = "Host in the names of the series; by default Host, or this one." },
	{ .name = "Host",
	  MC_OPT_STRING(struct session_settings, host),
	  .sample = "db1.example.org",
	  .help = "Server; by default, and with \"localhost\", the one at Socket." },
	{ .name = "User",
	  MC_OPT_STRING(struct session_settings, user),
	  .sample = "collector",
	  .help = "User for the server; by default that of the collector." },
	{ .name = "Password",
	  MC_OPT_STRING(struct session_settings, password),
	  .secret = true,
	  .sample = "secret",
	  .help = "Password of that user." },
	{ .name = "Database",
	  MC_OPT_STRING(struct session_settings, database),
	  .sample = "shop",
	  .help = "Database that is selected; none is needed." },
	{ .name = "Port",
	  MC_OPT_INT(struct session_settings, port),
	  .default_value = "3306",
	  .min = 0,
	  .max = 65535,
	  .help = "TCP port of the server." },
	{ .name = "Socket",
	  MC_OPT_STRING(struct session_settings, socket),
	  .sample = "/run/mysqld/mysqld.sock",
	  .help = "Unix socket of a server on this host; by default that of the library." },
	{ .name = "ConnectTimeout",
	  MC_OPT_INT(struct session_settings, connect_timeout),
	  .default_value = "10",
	  .min = 0,
	  .max = 86400,
	  .help = "Seconds that a connection may take; all together never take longer than "
		  "the interval." },
	{ .name = "InnodbStats",
	  MC_OPT_BOOL(struct session_settings, innodb),
	  .default_value = "false",
	  .help = "Reports figures of InnoDB." },
	{ .name = "MasterStats",
	  MC_OPT_BOOL(struct session_settings, master),
	  .default_value = "false",
	  .help = "Reports the position in the binary log." },
	{ .name = "SlaveStats",
	  MC_OPT_BOOL(struct session_settings, slave),
	  .default_value = "false",
	  .help = "Reports how replication goes on." },
	{ .name = "SlaveNotifications",
	  MC_OPT_BOOL(struct session_settings, slave_notifications),
	  .default_value = "false",
	  .help = "Sends a notification when a thread of replication stops or starts." },
	{ .name = "WsrepStats",
	  MC_OPT_BOOL(struct session_settings, wsrep),
	  .default_value = "false",
	  .help = "Reports figures of Galera." },
	{ .name = "SSLKey",
	  MC_OPT_STRING(struct session_settings, key),
	  .sample = "/etc/collector/client.key",
	  .help = "File of the key of SSLCert, in PEM." },
	{ .name = "SSLCert",
	  MC_OPT_STRING(struct session_settings, certificate),
	  .sample = "/etc/collector/client.pem",
	  .help = "File of a certificate for the server, in PEM." },
	{ .name = "SSLCA",
	  MC_OPT_STRING(struct session_settings, ca),
	  .sample = "/etc/collector/ca.pem",
	  .help = "File of the authorities of the server, in PEM." },
	{ .name = "SSLCAPath",
	  MC_OPT_STRING(struct session_settings, ca_path),
	  .sample = "/etc/ssl/certs",
	  .help = "Folder of these." },
	{ .name = "SSLCipher",
	  MC_OPT_STRING(struct session_settings, cipher),
	  .sample = "ECDHE-RSA-AES256-GCM-SHA384",
	  .help = "Ciphers that TLS may use." },
	MC_QUOTA_SOURCE_OPTIONS(struct session_settings, limits, "server", "10000", "1000"),
	{ 0 },
};

static const struct mc_option options[] = {
	{ .name = "Database",
	  MC_OPT_BLOCKS(struct mysql, databases),
	  .block = &(const struct mc_block){ .size = sizeof(struct session_settings),
					     .options = database_options },
	  .help = "A server." },
	{ 0 },
};

MC_PLUGIN(mysql) = {
	MC_NAMED(mysql),
	.help = "Asks servers of MySQL and MariaDB for their figures.",
	.self_size = sizeof(struct mysql),
	.options = options,
	.types = (const char *const[]){ "bool",
					"bytes",
					"cache_result",
					"cache_size",
					"gauge",
					"mysql_bpool_bytes",
					"mysql_bpool_counters",
					"mysql_bpool_pages",
					"mysql_commands",
					"mysql_handler",
					"mysql_innodb_data",
					"mysql_innodb_dblwr",
					"mysql_innodb_log",
					"mysql_innodb_pages",
					"mysql_innodb_row_lock",
					"mysql_innodb_rows",
					"mysql_locks",
					"mysql_log_position",
					"mysql_octets",
					"mysql_select",
					"mysql_slow_queries",
					"mysql_sort",
					"mysql_sort_merge_passes",
					"mysql_sort_rows",
					"operations",
					"queue_length",
					"threads",
					"time_offset",
					"total_bytes",
					"total_threads",
					"uptime",
					NULL },
	.check = mysql_check,
	.run = mysql_run,
	.lenient = true,
};
