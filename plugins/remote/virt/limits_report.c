/* SPDX-License-Identifier: MIT */
#include "limits_report.h"

#include <stdio.h>

#include "disk_name.h"
#include "report.h"

static void put_rates(struct mc_batch *out, const struct guest *guest, const char *type,
		      const char *disk, const uint64_t rates[LIMITS_WAYS])
{
	static const char *const ways[LIMITS_WAYS] = {
		[LIMITS_TOTAL] = "total",
		[LIMITS_READ] = "read",
		[LIMITS_WRITE] = "write",
	};
	char instance[DECODE_NAME_MAX + 16];

	for (unsigned i = 0; i < LIMITS_WAYS; i++) {
		if (rates[i] == 0)
			continue;
		snprintf(instance, sizeof(instance), "%s-%s", disk, ways[i]);
		virt_put_gauge(out, guest, type, instance, (double)rates[i]);
	}
}

/* One for each node that its memory may be on. */
static void put_nodes(struct mc_batch *out, const struct guest *guest)
{
	const struct limits *limits = &guest->limits;
	char instance[LIMITS_NAME_SIZE + 16], mode[LIMITS_NAME_SIZE];

	names_clean(limits->numa_mode, mode, sizeof(mode));
	for (unsigned i = 0; i < LIMITS_NODES_MAX; i++) {
		if ((limits->numa_nodes >> i & 1) == 0)
			continue;
		snprintf(instance, sizeof(instance), "%s-%u", mode, i);
		virt_put_gauge(out, guest, "virt_numa_affinity", instance, 1);
	}
}

void limits_report(const struct virt *self, struct mc_batch *out, const struct guest *guest)
{
	const struct limits *limits = &guest->limits;

	if ((self->due & EXTRA_LIMITS) == 0 || guest->state != VIR_DOMAIN_RUNNING)
		return;
	if (limits->cpus > 0)
		virt_put_gauge(out, guest, "virt_cpu_limit", "", 100 * limits->cpus);
	if (limits->shares > 0)
		virt_put_gauge(out, guest, "virt_cpu_shares", "", (double)limits->shares);
	put_nodes(out, guest);
	for (size_t i = 0; i < limits->disks_len && self->report_disks; i++) {
		const struct limits_disk *disk = &limits->disks[i];
		struct decode_device shown = { .name = disk->name, .path = disk->path };
		char text[DECODE_NAME_MAX + 1];
		const char *name = disk_name(self, guest, &shown, text);

		if (name == NULL)
			continue;
		put_rates(out, guest, "virt_disk_octets_limit", name, disk->bytes);
		put_rates(out, guest, "virt_disk_ops_limit", name, disk->requests);
	}
}
