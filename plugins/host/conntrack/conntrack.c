/* SPDX-License-Identifier: MIT */
/* conntrack: how many connections netfilter follows, and how many it can, from
 * /proc/sys/net/netfilter (Documentation/networking/nf_conntrack-sysctl.rst). */
#include <collector/kit/read_number.h>
#include <collector/plugin.h>

struct conntrack {
	bool old_files;
};

static int conntrack_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	static const char *const files[2][2] = {
		{ "/proc/sys/net/netfilter/nf_conntrack_count",
		  "/proc/sys/net/netfilter/nf_conntrack_max" },
		{ "/proc/sys/net/ipv4/netfilter/ip_conntrack_count",
		  "/proc/sys/net/ipv4/netfilter/ip_conntrack_max" },
	};
	const struct conntrack *self = ctx->self;
	int64_t count, max;
	int failed = mc_read_number(ctx, files[self->old_files][0], &count);

	if (failed != 0)
		return failed;
	mc_put_gauge(out, (double)count, .type = "conntrack");
	failed = mc_read_number(ctx, files[self->old_files][1], &max);
	if (failed != 0)
		return failed;
	mc_put_gauge(out, (double)max, .type = "conntrack", .type_instance = "max");
	/* 0 is "no limit". */
	mc_put_gauge(out, max > 0 ? 100 * (double)count / (double)max : NAN, .type = "percent",
		     .type_instance = "used");
	return 0;
}

static const struct mc_option options[] = {
	{ .name = "OldFiles",
	  MC_OPT_BOOL(struct conntrack, old_files),
	  .default_value = "false",
	  .help = "Reads the files of kernels before 2.6.20." },
	{ 0 },
};

MC_PLUGIN(conntrack) = {
	MC_NAMED(conntrack),
	.help = "Reads how many connections netfilter follows.",
	.self_size = sizeof(struct conntrack),
	.options = options,
	.types = (const char *const[]){ "conntrack", "percent", NULL },
	.read = conntrack_read,
};
