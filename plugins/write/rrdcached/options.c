/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <string.h>
#include <sys/stat.h>

#include <collector/check.h>

#include "address.h"
#include "kit/series/rrd_files.h"
#include "rrdcached.h"

const struct mc_option options_table[] = {
	{ "DaemonAddress", MC_OPT_STRINGS(struct rrdcached, addresses),
	  .default_value = "unix:/run/rrdcached.sock",
	  .help = "Address of rrdcached, as in its option -l; several daemons "
		  "share the files." },
	{ "DataDir", MC_OPT_STRING(struct rrdcached, data_dir), .sample = "/var/lib/rrdcached/db",
	  .help = "Directory of the files; a relative path starts at that of "
		  "rrdcached." },
	{ "CreateFiles", MC_OPT_BOOL(struct rrdcached, create_files), .default_value = "true",
	  .lenient = true, .help = "Makes missing files." },
	{ "CreateFilesAsync", MC_OPT_BOOL(struct rrdcached, create_async), .default_value = "false",
	  .lenient = true, .no_effect = true,
	  .help = "Files are always made beside the updates, and no sample is "
		  "lost." },
	{ "CreateRate", MC_OPT_NUMBER(struct rrdcached, create_rate), .default_value = "1000",
	  .max = 1e6,
	  .help = "Largest number of files made per second; 0: no limit; not "
		  "in collectd." },
	MC_RRD_OPTIONS(struct rrdcached, options),
	{ "CollectStatistics", MC_OPT_BOOL(struct rrdcached, statistics), .default_value = "true",
	  .lenient = true, .help = "Reports the statistics of rrdcached." },
	{ "Timeout", MC_OPT_TIME(struct rrdcached, timeout), .default_value = "30", .min = 0.1,
	  .max = 3600,
	  .help = "Seconds without an answer after which a connection is "
		  "closed; not in collectd." },
	{ "BufferLimit", MC_OPT_INT(struct rrdcached, buffer_limit), .default_value = "8", .min = 1,
	  .max = 65536,
	  .help = "MiB of updates that may wait for each daemon, and as many "
		  "for files that are being made; not in collectd." },
	{ "ReplayLimit", MC_OPT_INT(struct rrdcached, replay_limit), .default_value = "1024",
	  .max = 67108864,
	  .help = "KiB of acknowledged updates that are kept for each daemon "
		  "and sent again on a new connection; not in collectd." },
	MC_RRD_PATH_OPTIONS(struct rrdcached, options),
	{ 0 }
};

bool options_is_again(const struct mc_strings *texts, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(texts->items[i], texts->items[index]) == 0)
			return true;
	return false;
}

static bool is_folder(struct mc_ctx *ctx, const char *path)
{
	struct stat status;

	return mc_check_host(ctx) && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

void options_check(struct mc_ctx *ctx, const struct rrdcached *rrdcached)
{
	const char *const *items = rrdcached->addresses.items;
	struct address address;

	for (size_t i = 0; i < rrdcached->addresses.len; i++) {
		if (!address_parse(&address, items[i]))
			mc_check_error(ctx, &items[i],
				       "is not an address such as "
				       "unix:/run/rrdcached.sock, host or host:port");
		else if (options_is_again(&rrdcached->addresses, i))
			mc_check_error(ctx, &items[i], "is given twice");
		else if (address.local && is_folder(ctx, address.path))
			mc_check_error(ctx, &items[i], "is a folder, not a socket");
		else if (address.local && mc_check_host(ctx))
			mc_check_access(ctx, &items[i], address.path, MC_ACCESS_CONNECT);
	}
	mc_rrd_options_check(ctx, &rrdcached->options, (struct mc_rrd_rules){ .as_given = true });
	if (rrdcached->options.single_template == NULL)
		return;
	if (rrdcached->data_dir == NULL || rrdcached->data_dir[0] != '/')
		mc_check_error(ctx, &rrdcached->options.single_template,
			       "needs a DataDir on this machine, as an "
			       "absolute path");
	if (rrdcached->addresses.len > 1)
		mc_check_error(ctx, &rrdcached->options.single_template,
			       "needs one DaemonAddress, not several");
}
