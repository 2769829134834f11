/* SPDX-License-Identifier: MIT */
/* Events of libvirt that say that a guest moves, and how long that lasts. */
#include "moving.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <libvirt/libvirt.h>

#include "virt.h"

static mc_time now = 1000 * MC_SECOND;

mc_time mc_now(void)
{
	return now;
}

static bool libvirt_fails;

int virDomainGetUUID(virDomainPtr domain, unsigned char *uuid)
{
	(void)domain;
	memset(uuid, 7, VIR_UUID_BUFLEN);
	return libvirt_fails ? -1 : 0;
}

static void only_moves_are_said(void **state)
{
	static const int said[][2] = {
		{ VIR_DOMAIN_EVENT_STARTED, VIR_DOMAIN_EVENT_STARTED_MIGRATED },
		{ VIR_DOMAIN_EVENT_SUSPENDED, VIR_DOMAIN_EVENT_SUSPENDED_MIGRATED },
		{ VIR_DOMAIN_EVENT_SUSPENDED, VIR_DOMAIN_EVENT_SUSPENDED_POSTCOPY },
		{ VIR_DOMAIN_EVENT_RESUMED, VIR_DOMAIN_EVENT_RESUMED_MIGRATED },
		{ VIR_DOMAIN_EVENT_RESUMED, VIR_DOMAIN_EVENT_RESUMED_POSTCOPY },
	};
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		assert_true(moving_is_said(said[i][0], said[i][1]));
	for (int event = -1; event < 16; event++)
		for (int detail = -1; detail < 16; detail++)
			found += moving_is_said(event, detail);
	assert_int_equal(found, sizeof(said) / sizeof(said[0]));
}

static struct guest *open_guest(struct virt *virt)
{
	unsigned char uuid[VIR_UUID_BUFLEN];

	pthread_mutex_init(&virt->lock, NULL);
	memset(uuid, 7, sizeof(uuid));
	return guests_get(&virt->guests, uuid);
}

static void close_guest(struct virt *virt)
{
	struct mc_kept_files files = { .folder = -1 };

	guests_done(&virt->guests, &files);
	pthread_mutex_destroy(&virt->lock);
}

static void it_lasts_from_the_last_event(void **state)
{
	struct virt virt = { .held_len = 0 };
	struct mc_ctx ctx = { .self = &virt };
	struct guest *guest = open_guest(&virt);

	(void)state;
	assert_false(moving_lasts(guest, now));
	moving_take(&ctx, NULL, VIR_DOMAIN_EVENT_RESUMED, VIR_DOMAIN_EVENT_RESUMED_UNPAUSED);
	assert_false(moving_lasts(guest, now));
	moving_take(&ctx, NULL, VIR_DOMAIN_EVENT_STARTED, VIR_DOMAIN_EVENT_STARTED_MIGRATED);
	assert_true(moving_lasts(guest, now + MOVING_MAX - 1));
	assert_false(moving_lasts(guest, now + MOVING_MAX));
	now += MOVING_MAX / 2;
	moving_take(&ctx, NULL, VIR_DOMAIN_EVENT_RESUMED, VIR_DOMAIN_EVENT_RESUMED_MIGRATED);
	assert_true(moving_lasts(guest, now + MOVING_MAX - 1));
	assert_false(moving_lasts(guest, now + MOVING_MAX));
	close_guest(&virt);
}

static void unknown_guests_change_nothing(void **state)
{
	struct virt virt = { .held_len = 0 };
	struct mc_ctx ctx = { .self = &virt };
	struct guest *guest = open_guest(&virt);
	unsigned char other[VIR_UUID_BUFLEN] = { 1 };
	struct guest *neighbour = guests_get(&virt.guests, other);

	(void)state;
	libvirt_fails = true;
	moving_take(&ctx, NULL, VIR_DOMAIN_EVENT_STARTED, VIR_DOMAIN_EVENT_STARTED_MIGRATED);
	libvirt_fails = false;
	assert_false(moving_lasts(guest, now));
	moving_take(&ctx, NULL, VIR_DOMAIN_EVENT_STARTED, VIR_DOMAIN_EVENT_STARTED_MIGRATED);
	assert_true(moving_lasts(guest, now));
	assert_false(moving_lasts(neighbour, now));
	close_guest(&virt);
	/* Libvirt has it, but no cycle has found it. */
	pthread_mutex_init(&virt.lock, NULL);
	moving_take(&ctx, NULL, VIR_DOMAIN_EVENT_STARTED, VIR_DOMAIN_EVENT_STARTED_MIGRATED);
	assert_int_equal(virt.guests.len, 0);
	close_guest(&virt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_moves_are_said),
		cmocka_unit_test(it_lasts_from_the_last_event),
		cmocka_unit_test(unknown_guests_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
