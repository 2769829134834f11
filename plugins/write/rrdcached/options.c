/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <string.h>
#include <sys/stat.h>

#include <collector/check.h>

#include "address.h"
#include "formats/rrd/path_template.h"
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
	  .help = "Makes missing files." },
	{ "CreateFilesAsync", MC_OPT_BOOL(struct rrdcached, create_async), .default_value = "false",
	  .no_effect = true,
	  .help = "Files are always made beside the updates, and no sample is "
		  "lost." },
	{ "CreateRate", MC_OPT_NUMBER(struct rrdcached, create_rate), .default_value = "1000",
	  .max = 1e6,
	  .help = "Largest number of files made per second; 0: no limit; not "
		  "in collectd." },
	{ "StepSize", MC_OPT_INT(struct rrdcached, step), .lenient = true, .default_value = "0",
	  .max = 31622400,
	  .help = "Step of new files in seconds; 0: the interval of the "
		  "series." },
	{ "HeartBeat", MC_OPT_INT(struct rrdcached, heartbeat), .lenient = true,
	  .default_value = "0", .max = 316224000,
	  .help = "Heartbeat of new files in seconds; 0: two steps, or 2.5 "
		  "intervals if the interval is longer than StepSize." },
	{ "RRARows", MC_OPT_INT(struct rrdcached, rows), .lenient = true, .default_value = "1200",
	  .min = 1, .max = 10000000,
	  .help = "Smallest number of rows of an archive: the width of "
		  "graphs." },
	{ "RRATimespan", MC_OPT_STRINGS(struct rrdcached, timespans),
	  .default_value = "3600 86400 604800 2678400 31622400",
	  .help = "Seconds that an archive covers: an hour, a day, a week and "
		  "so on." },
	{ "XFF", MC_OPT_NUMBER(struct rrdcached, xff), .lenient = true, .default_value = "0.1",
	  .max = 0.999999, .help = "Share of a row's values that may be unknown." },
	{ "CollectStatistics", MC_OPT_BOOL(struct rrdcached, statistics), .default_value = "true",
	  .help = "Reports the statistics of rrdcached." },
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
	MC_PATH_TEMPLATE_OPTIONS(struct rrdcached, path_template, source_names),
	MC_PNP_SINGLE_OPTION(struct rrdcached, single_template),
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
	mc_check_timespans(ctx, &rrdcached->timespans,
			   &(struct mc_rrd_rules){ .step = rrdcached->step,
						   .rows = rrdcached->rows,
						   .as_given = true });
	mc_check_heartbeat(ctx, &rrdcached->heartbeat, rrdcached->step);
	mc_path_template_check(ctx, &rrdcached->path_template, &rrdcached->source_names);
	mc_pnp_check(ctx, &rrdcached->path_template, &rrdcached->single_template);
	if (rrdcached->single_template == NULL)
		return;
	if (rrdcached->data_dir == NULL || rrdcached->data_dir[0] != '/')
		mc_check_error(ctx, &rrdcached->single_template,
			       "needs a DataDir on this machine, as an "
			       "absolute path");
	if (rrdcached->addresses.len > 1)
		mc_check_error(ctx, &rrdcached->single_template,
			       "needs one DaemonAddress, not several");
}
