/* SPDX-License-Identifier: MIT */
/* percentiles: names are those that collectd's statsd gives its percentiles. */
#include "percentiles.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/once.h>

#include "disk_name.h"
#include "report.h"
#include "virt.h"

#define NS 1e6 /* In a millisecond. */

/* Between two lines of the log about guests whose QEMU does not count. */
#define COMPLAIN_EVERY (3600 * MC_SECOND)

bool percentiles_wanted(const struct guest *guest)
{
	const struct percentiles *percentiles = &guest->percentiles;

	return guest->state == VIR_DOMAIN_RUNNING && !percentiles->unsupported &&
	       (!choice_omits(guest->poll.reason) || percentiles->last.len == 0);
}

/* The type instance of the disk, or NULL. */
static const char *name_of(const struct virt *self, const struct guest *guest,
			   const struct histogram_disk *disk, char out[DECODE_NAME_MAX + 1])
{
	char alias[DESCRIBE_NAME_SIZE];

	histogram_alias(disk, alias, sizeof(alias));
	for (size_t i = 0; i < guest->xml.disks_len; i++) {
		const struct describe_disk *described = &guest->xml.disks[i];
		struct decode_device shown = { .name = described->name, .path = described->path };

		if (strcmp(described->alias, alias) == 0)
			return disk_name(self, guest, &shown, out);
	}
	return NULL;
}

/* 'before' is NULL if it is not known. */
static void put_disk(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
		     const struct histogram_disk *before, const struct histogram_disk *now)
{
	static const unsigned percents[] = { 50, 99 };
	char text[DECODE_NAME_MAX + 1], name[DECODE_NAME_MAX + 32];
	const char *disk = name_of(ctx->self, guest, now, text);

	if (disk == NULL || before == NULL)
		return;
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		double part = percents[i] / 100.0;

		snprintf(name, sizeof(name), "%s-percentile-%u", disk, percents[i]);
		virt_put_gauges(
			out, guest, "disk_latency", name,
			(double[2]){ histogram_quantile(&before->reads, &now->reads, part) / NS,
				     histogram_quantile(&before->writes, &now->writes, part) /
					     NS });
	}
}

static void put_all(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
		    const struct histogram_disks *now)
{
	const struct virt *self = ctx->self;

	guest->slow = groups_interval(&self->groups, GROUP_DISKS);
	for (size_t i = 0; i < now->len; i++)
		if (now->items[i].counted)
			put_disk(ctx, out, guest,
				 histogram_find(&guest->percentiles.last, now->items[i].device),
				 &now->items[i]);
	guest->slow = 0;
}

static const char *reason_of(int rc)
{
	switch (rc) {
	case -ENOSYS:
		return "its QEMU is older than 4.0";
	case -ENOTSUP:
		return "it has no QEMU";
	case -EPERM:
		return "libvirt forbids commands to its QEMU";
	default:
		return "the answer of its QEMU cannot be read";
	}
}

static void refuse(struct mc_ctx *ctx, struct guest *guest, int rc)
{
	struct virt *self = ctx->self;

	if (rc == -EAGAIN || rc == -EIO)
		return;
	guest->percentiles.unsupported = true;
	if (mc_once_in(&self->refused, mc_now(), COMPLAIN_EVERY))
		mc_log(ctx, MC_WARN, "guest '%s' has no latency histograms: %s", guest->name,
		       reason_of(rc));
}

void percentiles_take(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
		      struct histogram_disks *answer, int rc)
{
	struct percentiles *percentiles = &guest->percentiles;

	if (rc < 0) {
		refuse(ctx, guest, rc);
		return;
	}
	put_all(ctx, out, guest, answer);
	histogram_free(&percentiles->last);
	percentiles->last = *answer;
	*answer = (struct histogram_disks){ 0 };
	percentiles->refused = 0;
	for (size_t i = 0; i < percentiles->last.len; i++)
		percentiles->refused += !percentiles->last.items[i].counted;
}

void percentiles_rest(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest)
{
	put_all(ctx, out, guest, &guest->percentiles.last);
}
