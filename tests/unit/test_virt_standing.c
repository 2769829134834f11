/* SPDX-License-Identifier: MIT */
/* States of guests that stand among the alerts, and ends of guests that their owner wants. */
#include "standing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libvirt/libvirt.h>

#include <collector/private/alerts.h>

#include "notifications.h"
#include "virt.h"

#define GIB (UINT64_C(1) << 30)

/* --- What the core and libvirt do here ---------------------------------------- */

static struct {
	struct mc_standing items[8]; /* Reasons and advices are not kept. */
	char reasons[8][256];
	size_t len;
} stood;

void mc_stand(struct mc_ctx *ctx, const struct mc_standing *standing)
{
	(void)ctx;
	assert_in_range(stood.len, 0, 7);
	stood.items[stood.len] = *standing;
	snprintf(stood.reasons[stood.len++], sizeof(stood.reasons[0]), "%s", standing->reason);
}

static char expected[256]; /* Ends. */

void mc_expect_end(struct mc_ctx *ctx, const struct mc_id *id, bool is_expected)
{
	(void)ctx;
	snprintf(expected, sizeof(expected), "%s %s %s", id->host, id->plugin_instance,
		 is_expected ? "expected" : "not");
}

void mc_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	(void)ctx;
	(void)notification;
}

bool mc_selected(const struct mc_select *select, bool ignore, const char *text)
{
	(void)select;
	(void)ignore;
	(void)text;
	return true;
}

const char *virDomainGetName(virDomainPtr domain)
{
	(void)domain;
	return "web";
}

int virDomainGetUUID(virDomainPtr domain, unsigned char *uuid)
{
	(void)domain;
	memset(uuid, 7, VIR_UUID_BUFLEN);
	return 0;
}

int virDomainGetUUIDString(virDomainPtr domain, char *text)
{
	(void)domain;
	snprintf(text, VIR_UUID_STRING_BUFLEN, "07070707-0707-0707-0707-070707070707");
	return 0;
}

/* --- States ------------------------------------------------------------------- */

static struct mc_ctx ctx = { .interval = 10 * MC_SECOND };

static struct guest guest_of(int state, int reason)
{
	return (struct guest){
		.name = "web", .host = "web", .instance = "", .state = state, .reason = reason
	};
}

static const struct mc_standing *standing_of(const char *type)
{
	for (size_t i = 0; i < stood.len; i++)
		if (strcmp(stood.items[i].id.type, type) == 0)
			return &stood.items[i];
	fail_msg("no state of %s", type);
	return NULL;
}

static void read_guest(const struct guest *guest)
{
	stood.len = 0;
	standing_guest(&ctx, guest);
}

static void a_guest_that_runs_has_no_state(void **state)
{
	const struct guest guest = guest_of(VIR_DOMAIN_RUNNING, 0);

	(void)state;
	read_guest(&guest);
	assert_int_equal(stood.len, 2);
	assert_int_equal(standing_of("domain_state")->severity, MC_OKAY);
	assert_int_equal(standing_of("virt_responsive")->severity, MC_OKAY);
	assert_string_equal(standing_of("domain_state")->id.host, "web");
}

/* It ends by itself when the guest is gone. */
static void one_paused_by_an_error_is_a_failure(void **state)
{
	const struct guest guest = guest_of(VIR_DOMAIN_PAUSED, VIR_DOMAIN_PAUSED_IOERROR);

	(void)state;
	read_guest(&guest);
	assert_int_equal(standing_of("domain_state")->severity, MC_FAILURE);
	assert_string_equal(stood.reasons[0], "guest web is paused by an I/O error of a disk");
	assert_int_equal(standing_of("domain_state")->lasting, 60 * MC_SECOND);
	assert_true(standing_of("domain_state")->quiet);
}

static void one_paused_by_its_owner_is_none(void **state)
{
	const struct guest guest = guest_of(VIR_DOMAIN_PAUSED, VIR_DOMAIN_PAUSED_USER);

	(void)state;
	read_guest(&guest);
	assert_int_equal(standing_of("domain_state")->severity, MC_OKAY);
}

static void a_stuck_guest_is_a_warning(void **state)
{
	struct guest guest = guest_of(VIR_DOMAIN_RUNNING, 0);

	(void)state;
	guest.stuck = true;
	read_guest(&guest);
	assert_int_equal(standing_of("virt_responsive")->severity, MC_WARNING);
	assert_string_equal(stood.reasons[1], "guest web does not answer");
}

static enum mc_severity disk(double share)
{
	const struct guest guest = guest_of(VIR_DOMAIN_RUNNING, 0);
	const struct watermark_rule rule = { .percent = 75 };
	const struct watermark_disk at = { GIB, (uint64_t)(share * (double)GIB), NAN };

	stood.len = 0;
	standing_disk(&ctx, &guest, "vda", &rule, &at);
	assert_string_equal(stood.items[0].id.type_instance, "vda");
	return stood.items[0].severity;
}

static void a_disk_is_at_its_watermark(void **state)
{
	(void)state;
	assert_int_equal(disk(0.74), MC_OKAY);
	assert_int_equal(disk(0.76), MC_WARNING);
	assert_string_equal(stood.reasons[0],
			    "disk vda of guest web is written up to 76.0 % (0.258 GB left)");
	assert_int_equal(disk(0.96), MC_FAILURE);
}

/* --- Ends ---------------------------------------------------------------------- */

static const char *end(int event, int detail)
{
	static struct virt virt;
	struct guest *guest;
	unsigned char uuid[VIR_UUID_BUFLEN];
	struct mc_ctx of_virt = { .self = &virt };

	memset(&virt, 0, sizeof(virt));
	pthread_mutex_init(&virt.lock, NULL);
	virDomainGetUUID(NULL, uuid);
	guest = guests_get(&virt.guests, uuid);
	guests_rename(guest, "web", "", "web.example", "x");
	expected[0] = '\0';
	notifications_end(&of_virt, NULL, event, detail);
	guests_done(&virt.guests, &virt.files);
	pthread_mutex_destroy(&virt.lock);
	return expected;
}

static void what_its_owner_ends_is_expected(void **state)
{
	(void)state;
	assert_string_equal(end(VIR_DOMAIN_EVENT_STOPPED, VIR_DOMAIN_EVENT_STOPPED_DESTROYED),
			    "web.example x expected");
	assert_string_equal(end(VIR_DOMAIN_EVENT_STOPPED, VIR_DOMAIN_EVENT_STOPPED_SHUTDOWN),
			    "web.example x expected");
	assert_string_equal(end(VIR_DOMAIN_EVENT_STOPPED, VIR_DOMAIN_EVENT_STOPPED_MIGRATED),
			    "web.example x expected");
}

static void what_fails_is_not(void **state)
{
	(void)state;
	assert_string_equal(end(VIR_DOMAIN_EVENT_STOPPED, VIR_DOMAIN_EVENT_STOPPED_CRASHED),
			    "web.example x not");
	assert_string_equal(end(VIR_DOMAIN_EVENT_STOPPED, VIR_DOMAIN_EVENT_STOPPED_FAILED),
			    "web.example x not");
	assert_string_equal(end(VIR_DOMAIN_EVENT_STARTED, VIR_DOMAIN_EVENT_STARTED_BOOTED),
			    "web.example x not");
	assert_string_equal(end(VIR_DOMAIN_EVENT_SUSPENDED, VIR_DOMAIN_EVENT_SUSPENDED_PAUSED), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guest_that_runs_has_no_state),
		cmocka_unit_test(one_paused_by_an_error_is_a_failure),
		cmocka_unit_test(one_paused_by_its_owner_is_none),
		cmocka_unit_test(a_stuck_guest_is_a_warning),
		cmocka_unit_test(a_disk_is_at_its_watermark),
		cmocka_unit_test(what_its_owner_ends_is_expected),
		cmocka_unit_test(what_fails_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
