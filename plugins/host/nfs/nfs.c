/* SPDX-License-Identifier: MIT */
/* nfs: calls of the NFS client and server, from /proc/net/rpc/nfs and
 * /proc/net/rpc/nfsd (Documentation/filesystems/nfs/, nfsstat(8)), and figures of
 * single mounts (mounts_read.h).
 *
 * A line is "proc3 22 1 2 ...": which procedures, how many, and how often each
 * was called, in the order of their numbers: those of RFC 1094, 1813 and 7530
 * to 8276; of the client's proc4, the kernel's own (include/linux/nfs4.h).
 */
#include <collector/plugin.h>

#include <errno.h>
#include <stdio.h>

#include <collector/scan.h>

#include "mounts_read.h"
#include "names.h"

#define CLIENT "/proc/net/rpc/nfs"
#define SERVER "/proc/net/rpc/nfsd"
#define CALLS_MAX 128

struct nfs {
	bool version2, version3, version4;
	struct mc_strings globs; /* Mount points. */

	struct mounts mounts;
};

/* Before Linux 3.13 the client had no "fsid_present", and what follows came one earlier: of a list
 * that is as long as one of then, only the start is known. */
static size_t known_len(const struct names *names, size_t len)
{
	if (names == &names_client4 && len > NAMES_CLIENT40_LEN && len < NAMES_CLIENT41_LEN)
		len = NAMES_CLIENT40_LEN - 1;
	return len < names->len ? len : names->len;
}

/* Returns whether the line is as it must be. */
static bool report(struct mc_batch *out, const char *instance, const struct names *names,
		   const char *at)
{
	uint64_t len, calls[CALLS_MAX];

	if (!mc_scan_u64(&at, &len) || len > CALLS_MAX ||
	    mc_scan_row(&at, calls, CALLS_MAX) != len || *mc_scan_blanks(at) != '\0')
		return false;
	len = known_len(names, len);
	for (size_t i = 0; i < len; i++)
		if (calls[i] <= INT64_MAX)
			mc_put_derive(out, (int64_t)calls[i], .plugin_instance = instance,
				      .type = "nfs_procedure", .type_instance = names->items[i]);
	return true;
}

struct table {
	const char *line, *instance;
	const struct names *names;
};

static const struct table client_tables[] = {
	{ "proc2", "v2client", &names_version2 },
	{ "proc3", "v3client", &names_version3 },
	{ "proc4", "v4client", &names_client4 },
	{ 0 },
};

/* proc4 of the server counts compounds alone, which proc4ops has, too. */
static const struct table server_tables[] = {
	{ "proc2", "v2server", &names_version2 },
	{ "proc3", "v3server", &names_version3 },
	{ "proc4ops", "v4server", &names_server4 },
	{ 0 },
};

static bool is_wanted(const struct nfs *self, const char *instance)
{
	return instance[1] == '2'   ? self->version2
	       : instance[1] == '3' ? self->version3
				    : self->version4;
}

static int read_calls(struct mc_ctx *ctx, struct mc_batch *out, const char *path,
		      const struct table *tables)
{
	bool wrong = false, whole = false;
	char *text, *line;
	ssize_t size = mc_read_optional(ctx, path, &text);

	if (size < 0)
		return (int)size;
	/* A line without its end is not whole. */
	while (line = strsep(&text, "\n"), text != NULL) {
		const char *at = line;
		struct mc_word word;

		whole = true;
		if (!mc_scan_word(&at, &word))
			continue;
		for (const struct table *table = tables; table->line != NULL; table++)
			if (strlen(table->line) == word.size &&
			    strncmp(word.text, table->line, word.size) == 0 &&
			    is_wanted(ctx->self, table->instance) &&
			    !report(out, table->instance, table->names, at))
				wrong = true;
	}
	if (wrong || !whole || *line != '\0')
		return mc_fail(ctx, 0, "cannot understand all of '%s'", path);
	return 0;
}

static int read_totals(struct mc_ctx *ctx, struct mc_batch *out)
{
	int client = read_calls(ctx, out, CLIENT, client_tables);
	int server = read_calls(ctx, out, SERVER, server_tables);

	/* Most machines are only one of both. */
	if (client == -ENOENT && server == -ENOENT)
		return mc_fail(ctx, 0, "there is no '" CLIENT "'");
	if (client == -ENOENT)
		return server;
	if (server == -ENOENT)
		return client;
	return client != 0 ? client : server;
}

static int nfs_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct nfs *self = ctx->self;
	int rc = read_totals(ctx, out);
	int mounts = self->globs.len > 0 ? mounts_read(ctx, out, &self->mounts, &self->globs) : 0;

	return rc != 0 ? rc : mounts;
}

static void nfs_stop(struct mc_ctx *ctx)
{
	struct nfs *self = ctx->self;

	mounts_done(&self->mounts);
}

static const struct mc_option options[] = {
	{ .name = "ReportV2",
	  MC_OPT_BOOL(struct nfs, version2),
	  .default_value = "true",
	  .help = "Reports calls of NFS version 2." },
	{ .name = "ReportV3",
	  MC_OPT_BOOL(struct nfs, version3),
	  .default_value = "true",
	  .help = "Reports calls of NFS version 3." },
	{ .name = "ReportV4",
	  MC_OPT_BOOL(struct nfs, version4),
	  .default_value = "true",
	  .help = "Reports calls of NFS version 4." },
	{ .name = "Mount",
	  MC_OPT_STRINGS(struct nfs, globs),
	  .sample = "/home/*",
	  .help = "Mount point, or a glob of them, whose own figures are reported, too; \"*\" are "
		  "all." },
	{ 0 },
};

MC_PLUGIN(nfs) = {
	MC_NAMED(nfs),
	.help = "Reads the calls of the NFS client and server, and figures of mounts.",
	.self_size = sizeof(struct nfs),
	.options = options,
	.types = (const char *const[]){ "disk_octets", "if_octets", "nfs_faults", "nfs_latency",
					"nfs_procedure", "nfs_transport", "queue_length", NULL },
	.read = nfs_read,
	.stop = nfs_stop,
};
