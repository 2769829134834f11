/* SPDX-License-Identifier: MIT */
/* report: types and instances are those of collectd 5.12's plugin "virt". */
#include "report.h"

#include <stdio.h>
#include <string.h>

#include "disk_name.h"

#define KIB 1024.0

/* The guest's series of that type; "" as an instance: none. */
static struct mc_series *series_of(struct mc_batch *out, const struct guest *guest,
				   const char *type, const char *instance)
{
	return mc_series(out, MC_ID(.host = guest->host, .plugin_instance = guest->instance,
				    .type = type, .type_instance = instance));
}

static void put(struct mc_batch *out, const struct guest *guest, struct mc_series *series,
		const union mc_value *values, unsigned values_len)
{
	if (guest->slow == 0)
		mc_put(out, series, values, values_len);
	else
		mc_put_at(out, series, (struct mc_stamp){ mc_wall(), guest->slow }, values,
			  values_len);
}

void virt_put_gauge(struct mc_batch *out, const struct guest *guest, const char *type,
		    const char *instance, double value)
{
	put(out, guest, series_of(out, guest, type, instance), &(union mc_value){ .gauge = value },
	    1);
}

void virt_put_gauges(struct mc_batch *out, const struct guest *guest, const char *type,
		     const char *instance, const double pair[2])
{
	put(out, guest, series_of(out, guest, type, instance),
	    (union mc_value[2]){ { .gauge = pair[0] }, { .gauge = pair[1] } }, 2);
}

static void put_derive(struct mc_batch *out, const struct guest *guest, const char *type,
		       const char *instance, uint64_t value)
{
	put(out, guest, series_of(out, guest, type, instance),
	    &(union mc_value){ .derive = (int64_t)value }, 1);
}

static void put_pair(struct mc_batch *out, const struct guest *guest, const char *type,
		     const char *instance, const uint64_t pair[2])
{
	union mc_value values[2] = { { .derive = (int64_t)pair[0] },
				     { .derive = (int64_t)pair[1] } };

	put(out, guest, series_of(out, guest, type, instance), values, 2);
}

/* Values put from now on are of that group. */
static void begin_group(const struct virt *self, struct guest *guest, enum group group)
{
	guest->slow = groups_interval(&self->groups, group);
}

static void end_group(struct guest *guest)
{
	guest->slow = 0;
}

static bool knows(const struct decode_device *device, unsigned field)
{
	return decode_knows(device->known, field);
}

/* --- Processors and memory ------------------------------------------------ */

static void put_cpu(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
		    const struct kernel_cpu *cpu, bool split)
{
	struct virt *self = ctx->self;
	mc_time now = mc_now(), passed = now - guest->cpu_read;
	bool known;

	put_derive(out, guest, "virt_cpu_total", "", cpu->total);
	if ((self->due & EXTRA_PCPU) != 0 && split)
		put_pair(out, guest, "ps_cputime", "", (uint64_t[2]){ cpu->user, cpu->system });
	/* The read before may be longer ago than an interval. */
	known = guest->cpu_time > 0 && cpu->total >= guest->cpu_time && passed > 0;
	if ((self->due & EXTRA_LIMITS) != 0 && guest->limits.cpus > 0 && known)
		virt_put_gauge(out, guest, "virt_limit_used", "cpu",
			       100 * (double)(cpu->total - guest->cpu_time) /
				       ((double)passed * guest->limits.cpus));
	if ((self->due & EXTRA_CPU_UTIL) != 0 && self->host_cpus > 0 && known)
		virt_put_gauge(out, guest, "percent", "virt_cpu_total",
			       100 * (double)(cpu->total - guest->cpu_time) /
				       ((double)passed * self->host_cpus));
	guest->cpu_time = cpu->total;
	guest->cpu_read = now;
}

static void put_balloon(const struct virt *self, struct mc_batch *out, const struct guest *guest)
{
	static const struct {
		enum decode_guest_field field;
		const char *instance;
	} levels[] = {
		{ GUEST_BALLOON_CURRENT, "actual_balloon" },
		{ GUEST_UNUSED, "unused" },
		{ GUEST_AVAILABLE, "available" },
		{ GUEST_USABLE, "usable" },
		{ GUEST_DISK_CACHES, "disk_caches" },
		{ GUEST_RSS, "rss" },
	};
	const struct decode *decode = &self->decode;
	const uint64_t *values = decode->values;

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (decode_knows(decode->known, levels[i].field))
			virt_put_gauge(out, guest, "memory", levels[i].instance,
				       KIB * (double)values[levels[i].field]);
	if (decode_knows(decode->known, GUEST_SWAP_IN))
		put_derive(out, guest, "swap_io", "in", values[GUEST_SWAP_IN] * 1024);
	if (decode_knows(decode->known, GUEST_SWAP_OUT))
		put_derive(out, guest, "swap_io", "out", values[GUEST_SWAP_OUT] * 1024);
	if (decode_knows(decode->known, GUEST_MAJOR_FAULTS) &&
	    decode_knows(decode->known, GUEST_MINOR_FAULTS))
		put_pair(out, guest, "ps_pagefaults", "",
			 (uint64_t[2]){ values[GUEST_MINOR_FAULTS], values[GUEST_MAJOR_FAULTS] });
}

static void put_vcpus(const struct virt *self, struct mc_batch *out, const struct guest *guest)
{
	const struct decode_devices *vcpus = &self->decode.vcpus;

	for (size_t i = 0; i < vcpus->len; i++) {
		const struct decode_device *vcpu = &vcpus->items[i];
		char number[16];

		snprintf(number, sizeof(number), "%u", vcpu->index);
		if ((self->due & EXTRA_VCPU) != 0 && knows(vcpu, VCPU_TIME))
			put_derive(out, guest, "virt_vcpu", number, vcpu->values[VCPU_TIME]);
		if ((self->due & EXTRA_VCPU_DELAY) != 0 && knows(vcpu, VCPU_WAIT) &&
		    knows(vcpu, VCPU_DELAY))
			put_pair(out, guest, "virt_vcpu_delay", number, &vcpu->values[VCPU_WAIT]);
	}
}

static void put_pins(struct mc_batch *out, const struct guest *guest, unsigned host_cpus)
{
	for (unsigned vcpu = 0; vcpu < guest->vcpus_len; vcpu++)
		for (unsigned cpu = 0; cpu < host_cpus && cpu < guest->pins_size * 8; cpu++) {
			char name[32];

			snprintf(name, sizeof(name), "vcpu_%u-cpu_%u", vcpu, cpu);
			virt_put_gauge(out, guest, "cpu_affinity", name,
				       VIR_CPU_USABLE(guest->pins, guest->pins_size, vcpu, cpu));
		}
}

/* --- Disks ---------------------------------------------------------------- */

static void put_disk_io(const struct virt *self, struct mc_batch *out, const struct guest *guest,
			const struct decode_device *disk, const char *name)
{
	static const struct {
		const char *type;
		enum decode_disk_field read, write;
		unsigned extra; /* 0: always. */
	} pairs[] = {
		{ "disk_ops", DISK_RD_REQUESTS, DISK_WR_REQUESTS, 0 },
		{ "disk_octets", DISK_RD_BYTES, DISK_WR_BYTES, 0 },
		{ "disk_time", DISK_RD_TIMES, DISK_WR_TIMES, EXTRA_DISK },
	};
	const uint64_t *values = disk->values;
	char flush[DECODE_NAME_MAX + 16];

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (knows(disk, pairs[i].read) && knows(disk, pairs[i].write) &&
		    (pairs[i].extra & ~self->due) == 0)
			put_pair(out, guest, pairs[i].type, name,
				 (uint64_t[2]){ values[pairs[i].read], values[pairs[i].write] });
	if ((self->due & EXTRA_DISK) == 0)
		return;
	snprintf(flush, sizeof(flush), "flush-%s", name);
	if (knows(disk, DISK_FL_REQUESTS))
		put_derive(out, guest, "total_requests", flush, values[DISK_FL_REQUESTS]);
	if (knows(disk, DISK_FL_TIMES)) /* Microseconds, whatever the name. */
		put_derive(out, guest, "total_time_in_ms", flush, values[DISK_FL_TIMES] / 1000);
}

static void put_disk_size(const struct virt *self, struct mc_batch *out, const struct guest *guest,
			  const struct decode_device *disk, const char *name)
{
	static const struct {
		const char *type;
		enum decode_disk_field field;
		unsigned extra;
	} sizes[] = {
		{ "disk_allocation", DISK_ALLOCATION, EXTRA_DISK_ALLOCATION },
		{ "disk_capacity", DISK_CAPACITY, EXTRA_DISK_CAPACITY },
		{ "disk_physical", DISK_PHYSICAL, EXTRA_DISK_PHYSICAL },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if ((self->due & sizes[i].extra) != 0 && knows(disk, sizes[i].field))
			virt_put_gauge(out, guest, sizes[i].type, name,
				       (double)disk->values[sizes[i].field]);
}

static void put_latency(const struct virt *self, struct mc_batch *out, struct guest *guest,
			const struct decode_device *disk, const char *name)
{
	double mean[2];

	if ((self->due & EXTRA_DISK_LATENCY) != 0 && latency_take(&guest->latencies, disk, mean))
		virt_put_gauges(out, guest, "disk_latency", name, mean);
}

static void put_disks(const struct virt *self, struct mc_batch *out, struct guest *guest)
{
	const struct decode_devices *disks = &self->decode.disks;

	for (size_t i = 0; i < disks->len; i++) {
		char text[DECODE_NAME_MAX + 1];
		const char *name = disk_name(self, guest, &disks->items[i], text);

		storages_take(&guest->storages, i, &disks->items[i]);
		if (name == NULL)
			continue;
		put_disk_io(self, out, guest, &disks->items[i], name);
		put_disk_size(self, out, guest, &disks->items[i], name);
		put_latency(self, out, guest, &disks->items[i], name);
	}
}

/* --- Interfaces ----------------------------------------------------------- */

/* The type instance of an interface, or NULL if it is not to be reported.
 * 'number' counts from 1. */
static const char *name_nic(const struct virt *self, const struct guest *guest, const char *name,
			    unsigned number, char out[DESCRIBE_NAME_SIZE])
{
	char selector[GUESTS_NAME_SIZE + DESCRIBE_NAME_SIZE + 2];

	switch (self->nic_format) {
	case NIC_NAME:
		names_clean(name, out, DESCRIBE_NAME_SIZE);
		break;
	case NIC_NUMBER:
		snprintf(out, DESCRIBE_NAME_SIZE, "interface-%u", number);
		break;
	default:
		out[0] = '\0';
		for (size_t i = 0; i < guest->xml.nics_len; i++)
			if (strcmp(guest->xml.nics[i].name, name) == 0)
				names_clean(guest->xml.nics[i].address, out, DESCRIBE_NAME_SIZE);
	}
	if (out[0] == '\0')
		return NULL;
	snprintf(selector, sizeof(selector), "%s:%s", guest->name, out);
	return mc_selected(self->nics, self->ignore, selector) ? out : NULL;
}

struct nic_counters { /* As the guest sees them: received, sent. */
	uint64_t bytes[2], packets[2], errors[2], dropped[2];
};

static void put_nic(struct mc_batch *out, const struct guest *guest, const char *name,
		    const struct nic_counters *counters)
{
	put_pair(out, guest, "if_octets", name, counters->bytes);
	put_pair(out, guest, "if_packets", name, counters->packets);
	put_pair(out, guest, "if_errors", name, counters->errors);
	put_pair(out, guest, "if_dropped", name, counters->dropped);
}

static void put_daemon_nics(const struct virt *self, struct mc_batch *out,
			    const struct guest *guest)
{
	const struct decode_devices *nics = &self->decode.nics;

	for (size_t i = 0; i < nics->len; i++) {
		const struct decode_device *nic = &nics->items[i];
		const uint64_t *n = nic->values;
		char text[DESCRIBE_NAME_SIZE];
		const char *name =
			nic->name == NULL ? NULL
					  : name_nic(self, guest, nic->name, (unsigned)i + 1, text);

		if (name == NULL || nic->known != (UINT32_C(1) << NIC_FIELDS) - 1)
			continue;
		put_nic(out, guest, name,
			&(struct nic_counters){ { n[NIC_RX_BYTES], n[NIC_TX_BYTES] },
						{ n[NIC_RX_PACKETS], n[NIC_TX_PACKETS] },
						{ n[NIC_RX_ERRORS], n[NIC_TX_ERRORS] },
						{ n[NIC_RX_DROPPED], n[NIC_TX_DROPPED] } });
	}
}

static void put_kernel_nics(const struct virt *self, struct mc_batch *out,
			    const struct guest *guest)
{
	for (size_t i = 0; i < guest->xml.nics_len; i++) {
		const struct describe_nic *nic = &guest->xml.nics[i];
		const struct kernel_nic *n = kernel_nic(&self->host_nics, nic->name);
		unsigned rx = nic->view == DESCRIBE_SWAPPED, tx = !rx;
		char text[DESCRIBE_NAME_SIZE];
		const char *name = name_nic(self, guest, nic->name, (unsigned)i + 1, text);
		struct nic_counters counters;

		if (name == NULL || n == NULL)
			continue;
		counters.bytes[rx] = n->rx_bytes;
		counters.bytes[tx] = n->tx_bytes;
		counters.packets[rx] = n->rx_packets;
		counters.packets[tx] = n->tx_packets;
		counters.errors[rx] = n->rx_errors;
		counters.errors[tx] = n->tx_errors;
		counters.dropped[rx] = n->rx_dropped;
		counters.dropped[tx] = n->tx_dropped;
		put_nic(out, guest, name, &counters);
	}
}

/* --- The rest ------------------------------------------------------------- */

/* Numbers that libvirt has, or will have, beyond those collectd knows. */
static void put_extras(const struct virt *self, struct mc_batch *out, struct guest *guest)
{
	static const struct {
		const char *prefix;
		unsigned extra;
		enum group group;
	} groups[] = {
		{ "vcpu.", EXTRA_VCPU_DELAY, GROUP_VCPU },
		{ "iothread.", EXTRA_IOTHREAD, GROUP_IOTHREAD },
		{ "memory.", EXTRA_BANDWIDTH, GROUP_BANDWIDTH },
		{ "dirtyrate.", EXTRA_DIRTYRATE, GROUP_DIRTYRATE },
		{ "perf.", EXTRA_PERF, GROUP_PERF },
	};

	for (size_t i = 0; i < self->decode.extras_len; i++) {
		const struct decode_extra *extra = &self->decode.extras[i];
		unsigned wanted = 0;
		char name[VIR_TYPED_PARAM_FIELD_LENGTH];

		for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++)
			if (strncmp(extra->field, groups[g].prefix, strlen(groups[g].prefix)) ==
			    0) {
				wanted = groups[g].extra & self->due;
				begin_group(self, guest, groups[g].group);
			}
		if (wanted == 0)
			continue;
		if (!calls_is_number(extra->value) && (wanted == EXTRA_PERF || extra->counts))
			continue;
		names_clean(extra->field, name, sizeof(name));
		for (char *dot = name; (dot = strchr(dot, '.')) != NULL;)
			*dot = '_';
		if (wanted == EXTRA_PERF)
			put_derive(out, guest, "perf", name, (uint64_t)(int64_t)extra->value);
		else if (extra->counts)
			put_derive(out, guest, "virt_count", name, (uint64_t)(int64_t)extra->value);
		else
			virt_put_gauge(out, guest, "virt_value", name, extra->value);
	}
}

void report_daemon(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest)
{
	struct virt *self = ctx->self;
	const struct decode *decode = &self->decode;
	union mc_value state[2] = { { .gauge = guest->state }, { .gauge = guest->reason } };

	if ((self->due & EXTRA_DOMAIN_STATE) != 0 && decode_knows(decode->known, GUEST_STATE))
		put(out, guest, series_of(out, guest, "domain_state", ""), state, 2);
	if (guest->state != VIR_DOMAIN_RUNNING)
		return;
	if (guest->described)
		virt_put_gauge(out, guest, "memory", "total", (double)atomic_load(&guest->memory));
	begin_group(self, guest, GROUP_MEMORY);
	if ((self->due & EXTRA_MEMORY) != 0)
		put_balloon(self, out, guest);
	begin_group(self, guest, GROUP_VCPU);
	if ((self->due & (EXTRA_VCPU | EXTRA_VCPU_DELAY)) != 0)
		put_vcpus(self, out, guest);
	end_group(guest);
	if ((self->due & EXTRA_VCPUPIN) != 0)
		put_pins(out, guest, self->host_cpus);
	if ((self->due & EXTRA_RESPONSIVE) != 0)
		virt_put_gauge(out, guest, "virt_responsive", "", !guest->stuck);
	report_disks(ctx, out, guest);
	put_extras(self, out, guest);
	end_group(guest);
}

void report_disks(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest)
{
	const struct virt *self = ctx->self;

	if (guest->state != VIR_DOMAIN_RUNNING || !self->report_disks || guest->on_devices)
		return;
	begin_group(self, guest, GROUP_DISKS);
	put_disks(self, out, guest);
	end_group(guest);
}

void report_devices(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest)
{
	const struct virt *self = ctx->self;

	for (size_t i = 0; i < guest->xml.disks_len; i++) {
		const struct describe_disk *disk = &guest->xml.disks[i];
		const struct blocks_device *device = blocks_find(&self->host_disks, disk->number);
		struct decode_device shown = { .name = disk->name, .path = disk->path };
		char text[DECODE_NAME_MAX + 1];
		const char *name = disk_name(self, guest, &shown, text);

		if (device == NULL)
			continue;
		memcpy(shown.values, device->values, sizeof(shown.values));
		shown.known = device->known;
		storages_take(&guest->storages, i, &shown);
		if (name == NULL)
			continue;
		put_disk_io(self, out, guest, &shown, name);
	}
}

void report_fallback(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest)
{
	struct virt *self = ctx->self;
	const struct decode *decode = &self->decode;
	const uint64_t *values = decode->values;

	if (guest->state != VIR_DOMAIN_RUNNING)
		return;
	if (decode_knows(decode->known, GUEST_CPU_TIME))
		put_cpu(ctx, out, guest,
			&(struct kernel_cpu){ values[GUEST_CPU_TIME], values[GUEST_CPU_USER],
					      values[GUEST_CPU_SYSTEM] },
			decode_knows(decode->known, GUEST_CPU_USER) &&
				decode_knows(decode->known, GUEST_CPU_SYSTEM));
	if (self->report_nics)
		put_daemon_nics(self, out, guest);
}

bool report_kernel(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest)
{
	struct virt *self = ctx->self;
	struct kernel_cpu cpu;

	if (!kernel_read_cpu(ctx, &guest->map, &cpu))
		return false;
	put_cpu(ctx, out, guest, &cpu, true);
	if (self->report_nics)
		put_kernel_nics(self, out, guest);
	return true;
}

void report_fact(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
		 const struct calls_fact *fact)
{
	const struct virt *self = ctx->self;
	char name[VIR_TYPED_PARAM_FIELD_LENGTH];
	struct mc_notification notification = { .severity = MC_OKAY,
						.id = { .host = guest->host,
							.plugin = "virt",
							.plugin_instance = guest->instance,
							.type_instance = name,
							.type = "job_stats" },
						.message = fact->text };

	names_clean(fact->name, name, sizeof(name));
	switch (fact->kind) {
	case CALLS_DISK_ERROR:
		begin_group(self, guest, GROUP_DISK_ERR);
		virt_put_gauge(out, guest, "disk_error", name, (double)fact->number);
		break;
	case CALLS_JOB:
		begin_group(self, guest, GROUP_JOB_STATS);
		if (fact->text[0] != '\0')
			mc_notify(ctx, &notification);
		else
			put_derive(out, guest, "job_stats", name, (uint64_t)fact->number);
		break;
	case CALLS_FILE_SYSTEM:
		notification.id.type = "file_system";
		notification.id.type_instance = NULL;
		mc_notify(ctx, &notification);
		break;
	}
	end_group(guest);
}
