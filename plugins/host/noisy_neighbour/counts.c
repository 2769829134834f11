/* SPDX-License-Identifier: MIT */
#include "counts.h"

#include <stdio.h>

#define MAIN_THREAD "main"
#define NUMBER_SIZE 16

static struct mc_id id_of(const struct guest *guest, bool guests_are_hosts, const char *type)
{
	struct mc_id id = { .type = type };

	if (guests_are_hosts)
		id.host = guest->name;
	else
		id.plugin_instance = guest->name;
	return id;
}

/* In microseconds: what the kernel counts below is noise, which takes memory to be recorded. */
static void put_time(struct mc_batch *out, const struct mc_id *id, uint64_t run, uint64_t wait)
{
	const union mc_value values[] = { { .derive = (int64_t)(run / 1000) },
					  { .derive = (int64_t)(wait / 1000) } };

	mc_put(out, mc_series(out, *id), values, 2);
}

static void put_threads(const struct guest *guest, bool guests_are_hosts, struct mc_batch *out)
{
	struct mc_id id = id_of(guest, guests_are_hosts, "virt_thread_time");
	char number[NUMBER_SIZE];

	for (size_t i = 0; i < guest->vcpus_len; i++) {
		const struct vcpu *vcpu = &guest->vcpus[i];

		if (vcpu->has_ended || !vcpu->has_before)
			continue;
		snprintf(number, sizeof(number), "%u", vcpu->number);
		id.type_instance = number;
		put_time(out, &id, vcpu->run, vcpu->wait);
	}
	id.type_instance = MAIN_THREAD;
	if (guest->counts.has_time)
		put_time(out, &id, guest->counts.run, guest->counts.wait);
}

static void put_io(const struct guest *guest, bool guests_are_hosts, struct mc_batch *out)
{
	const struct mc_id id = id_of(guest, guests_are_hosts, "disk_octets");
	const union mc_value values[] = { { .derive = (int64_t)guest->counts.read },
					  { .derive = (int64_t)guest->counts.written } };

	if (guest->counts.has_io)
		mc_put(out, mc_series(out, id), values, 2);
}

void counts_put(const struct guests *guests, bool guests_are_hosts, struct mc_batch *out)
{
	for (size_t i = 0; i < guests->len; i++) {
		if (guests->items[i].is_second)
			continue;
		put_threads(&guests->items[i], guests_are_hosts, out);
		put_io(&guests->items[i], guests_are_hosts, out);
	}
}
