/* SPDX-License-Identifier: MIT */
#include "counts.h"

#include <stdio.h>

#include "subject.h"

#define THREAD_TYPE "virt_thread_time"
#define MAIN_THREAD "main"
#define NUMBER_SIZE 16

/* In microseconds: what the kernel counts below is noise, which takes memory to be recorded. */
static void put_time(struct mc_batch *out, struct mc_series *series, uint64_t run, uint64_t wait)
{
	const union mc_value values[] = { { .derive = (int64_t)(run / 1000) },
					  { .derive = (int64_t)(wait / 1000) } };

	mc_put(out, series, values, 2);
}

static struct mc_series *hold(struct mc_batch *out, const struct guest *guest,
			      bool guests_are_hosts, const char *type, const char *instance)
{
	struct mc_id id = subject_of(guest->name, guests_are_hosts, type);

	id.type_instance = instance;
	return mc_hold(mc_series(out, id));
}

static void put_threads(struct guest *guest, bool guests_are_hosts, struct mc_batch *out)
{
	struct guest_counts *counts = &guest->counts;

	for (size_t i = 0; i < guest->vcpus_len; i++) {
		struct vcpu *vcpu = &guest->vcpus[i];
		char number[NUMBER_SIZE];

		if (vcpu->has_ended || !vcpu->has_before || !vcpu->was_read)
			continue;
		if (vcpu->held == NULL) {
			snprintf(number, sizeof(number), "%u", vcpu->number);
			vcpu->held = hold(out, guest, guests_are_hosts, THREAD_TYPE, number);
		}
		put_time(out, vcpu->held, vcpu->run, vcpu->wait);
	}
	if (!counts->has_time)
		return;
	if (counts->held_time == NULL)
		counts->held_time = hold(out, guest, guests_are_hosts, THREAD_TYPE, MAIN_THREAD);
	put_time(out, counts->held_time, counts->run, counts->wait);
}

static void put_io(struct guest *guest, bool guests_are_hosts, struct mc_batch *out)
{
	struct guest_counts *counts = &guest->counts;
	const union mc_value values[] = { { .derive = (int64_t)counts->read },
					  { .derive = (int64_t)counts->written } };

	if (!counts->has_io)
		return;
	if (counts->held_io == NULL)
		counts->held_io = hold(out, guest, guests_are_hosts, "disk_octets", NULL);
	mc_put(out, counts->held_io, values, 2);
}

void counts_put(struct guests *guests, bool guests_are_hosts, struct mc_batch *out)
{
	for (size_t i = 0; i < guests->len; i++) {
		if (guests->items[i].is_second)
			continue;
		put_threads(&guests->items[i], guests_are_hosts, out);
		put_io(&guests->items[i], guests_are_hosts, out);
	}
}
