/* SPDX-License-Identifier: MIT */
/* Disks that programs extend: what is run when, with what it is called, what is logged and stands,
 * and what follows from how a program has ended.  Programs, libvirt and the clock are this test. */
#include "extend.h"

#include "extend_fixture.h"
#include "virt.h"

#define GIB (UINT64_C(1) << 30)

/* --- The extender ----------------------------------------------------------------- */

static struct virt virt;
static struct mc_ctx ctx = { .self = &virt, .interval = MC_SECOND };
static struct extend_rule rule;
static struct mc_blocks rules;
static struct extender *extender;

static void on_done(struct mc_ctx *of, const struct extend_look *look)
{
	(void)of;
	fake.done = *look;
	fake.done_len++;
}

/* Disks of 1 GiB with a watermark at 768 MiB, which are beyond it. */
static int begin(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.now = 1000 * MC_SECOND;
	fake.hanging = "";
	fake.chain = "/dev/vg/web\n/dev/vg/base";
	for (size_t i = 0; i < 4; i++) {
		fake.sizes[i] = GIB;
		fake.allocations[i] = 800 << 20;
	}
	rule = (struct extend_rule){ .guests = "*",
				     .disks = "vd*",
				     .step = (int64_t)GIB,
				     .time_max = 30 * MC_SECOND,
				     .retry = 8 * MC_SECOND };
	rules = (struct mc_blocks){ .items = &rule, .len = 1 };
	assert_int_equal(extend_new(&ctx, &rules, 2, on_done, &extender), 0);
	assert_int_equal(extend_begin(extender), 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	extend_end(extender);
	extend_free(extender);
	extender = NULL;
	return 0;
}

static void ask_of(const char *disk, bool by_event)
{
	struct extend_disk asked = { .uuid_text = "07070707-0707-0707-0707-070707070707",
				     .guest = "web",
				     .host = "web",
				     .instance = "",
				     .disk = disk,
				     .path = "/dev/vg/web",
				     .size = GIB,
				     .by_event = by_event,
				     .mark = { .guests = "*", .disks = "*", .percent = 75 } };

	extend_ask(extender, &asked);
}

static bool has_answer(void)
{
	for (const struct extend_look *at = fake.asked; at != NULL; at = at->next)
		if (strcmp(at->disk, fake.hanging) != 0)
			return true;
	return false;
}

/* Rounds, as long as an answer wakes the loop. */
static void go_on(void)
{
	do
		fake.loop->after_round(fake.loop->argument);
	while (has_answer());
}

static void round_at(mc_time seconds)
{
	fake.now = 1000 * MC_SECOND + seconds * MC_SECOND;
	go_on();
}

/* The program with that number ends. */
static void ends(size_t number, const struct mc_child_end *how)
{
	assert_in_range(number, 0, fake.programs_len - 1);
	fake.programs[number].ended(fake.programs[number].argument, how);
	go_on();
}

static void it_fails(size_t number)
{
	ends(number, &(struct mc_child_end){ .why = "", .status = 3 });
}

static void it_works(size_t number)
{
	ends(number, &(struct mc_child_end){ .why = "" });
}

static const char *last_line(void)
{
	return fake.logged_len > 0 ? fake.logged[fake.logged_len - 1] : "";
}

/* --- Programs --------------------------------------------------------------------- */

static void a_disk_is_extended(void **state)
{
	(void)state;
	ask_of("vda", true);
	round_at(0);
	assert_int_equal(fake.programs_len, 1);
	assert_string_equal(fake.variables[0],
			    "COLLECTOR_GUEST=web|"
			    "COLLECTOR_UUID=07070707-0707-0707-0707-070707070707|"
			    "COLLECTOR_DISK=vda|COLLECTOR_PATH=/dev/vg/web|"
			    "COLLECTOR_SIZE=1073741824|COLLECTOR_WANTED=2147483648|"
			    "COLLECTOR_FAILURES=0|COLLECTOR_CHAIN=/dev/vg/web\n/dev/vg/base|");
	assert_int_equal(fake.severity, MC_WARNING);
	assert_string_equal(fake.reason, "disk vda of guest web is to be extended from 1073741824 "
					 "to 2147483648 bytes");
	assert_int_equal(fake.logged_len, 0);

	fake.sizes[0] = 2 * GIB;
	fake.now += MC_SECOND / 2;
	it_works(0);
	assert_string_equal(
		last_line(),
		"disk 'vda' of guest 'web' ('/dev/vg/web') was extended from 1073741824 "
		"to 2147483648 bytes in 0.500 s, the next threshold is at 1610612736");
	assert_int_equal(fake.severity, MC_OKAY);
	assert_string_equal(fake.reason, "disk vda of guest web has 2147483648 bytes");
	round_at(100);
	assert_int_equal(fake.programs_len, 1);
}

/* The watermark is armed again, at 75 % of the new size, and the reader is given it. */
static void the_watermark_is_armed_again(void **state)
{
	(void)state;
	ask_of("vda", true);
	round_at(0);
	assert_int_equal(fake.armed, 0);
	fake.sizes[0] = 2 * GIB;
	it_works(0);
	assert_int_equal(fake.armed, 1);
	assert_int_equal(fake.threshold, 3 * GIB / 2);
	assert_int_equal(fake.done_len, 1);
	assert_int_equal(fake.done.threshold, 3 * GIB / 2);
	assert_int_equal(fake.done.size, 2 * GIB);
	assert_true(fake.done.set);
}

static void a_program_has_a_time_limit(void **state)
{
	(void)state;
	ask_of("vda", true);
	round_at(0);
	assert_int_equal(fake.programs[0].time_max, 30 * MC_SECOND);
	assert_true(fake.programs[0].never_root);
	assert_int_not_equal(fake.programs[0].output_max, 0);
	ends(0, &(struct mc_child_end){ .why = "", .signal = 15, .timed_out = true });
	assert_string_equal(last_line(),
			    "disk 'vda' of guest 'web' ('/dev/vg/web') was not extended to "
			    "2147483648 bytes: the program has not ended within its Timeout");
	assert_int_equal(fake.severity, MC_FAILURE);
}

/* That it has ended well is not believed: the disk must be larger. */
static void a_program_that_does_nothing_has_failed(void **state)
{
	(void)state;
	ask_of("vda", true);
	round_at(0);
	it_works(0);
	assert_int_equal(fake.severity, MC_FAILURE);
	assert_non_null(strstr(fake.reason, "which has failed: the program has ended with 0, and "
					    "the size is what it was"));
	assert_int_equal(fake.done_len, 0);
}

static void nor_is_it_without_libvirt(void **state)
{
	(void)state;
	ask_of("vda", true);
	round_at(0);
	fake.sizes[0] = 2 * GIB;
	fake.away = true;
	it_works(0);
	assert_int_equal(fake.severity, MC_FAILURE);
	assert_non_null(strstr(last_line(), "libvirt does not say how large it is: it is away"));
	/* It is back, and shows that nothing is left to be done. */
	fake.away = false;
	round_at(9);
	assert_int_equal(fake.programs_len, 1);
	assert_int_equal(fake.severity, MC_OKAY);
	assert_string_equal(fake.reason, "the disk is below its watermark, or has another image");
}

static void failures_are_repeated_less_and_less_often(void **state)
{
	mc_time most = MC_SECOND / 2;

	(void)state;
	ask_of("vda", true);
	round_at(0);
	for (unsigned i = 1; i <= 8; i++) {
		char wanted[64];

		it_fails(i - 1);
		assert_int_equal(fake.programs_len, i); /* Not at once. */
		assert_in_range(fake.due, fake.now, fake.now + most);
		most = most * 2 < 8 * MC_SECOND ? most * 2 : 8 * MC_SECOND; /* RetryMax */
		ask_of("vda", false);
		fake.now += most;
		go_on();
		assert_int_equal(fake.programs_len, i + 1);
		snprintf(wanted, sizeof(wanted), "COLLECTOR_FAILURES=%u|", i);
		assert_non_null(strstr(fake.variables[i], wanted));
		assert_int_equal(fake.severity, MC_FAILURE); /* Until it is over. */
		assert_non_null(strstr(last_line(), "the program has ended with status 3"));
	}
}

static void never_two_for_one_disk(void **state)
{
	(void)state;
	ask_of("vda", true);
	round_at(0);
	for (int i = 0; i < 20; i++) {
		ask_of("vda", i % 2 == 0);
		round_at(i);
	}
	assert_int_equal(fake.programs_len, 1);
}

static void no_more_at_a_time_than_the_limit(void **state)
{
	(void)state;
	ask_of("vda", true);
	ask_of("vdb", true);
	ask_of("vdc", true);
	round_at(0);
	assert_int_equal(fake.programs_len, 2);
	fake.sizes[1] = 2 * GIB;
	it_works(1);
	assert_int_equal(fake.programs_len, 3); /* The first that waits. */
	assert_non_null(strstr(fake.variables[2], "COLLECTOR_DISK=vdc|"));
}

/* One that fails does not keep the place of others. */
static void others_go_on_while_one_waits(void **state)
{
	(void)state;
	ask_of("vda", true);
	ask_of("vdb", true);
	ask_of("vdc", true);
	round_at(0);
	it_fails(0);
	assert_int_equal(fake.programs_len, 3);
	assert_non_null(strstr(fake.variables[2], "COLLECTOR_DISK=vdc|"));
}

/* Its place is kept: it is not asked about twice. */
static void a_guest_that_hangs_delays_no_other(void **state)
{
	(void)state;
	fake.hanging = "vda";
	ask_of("vda", true);
	ask_of("vdb", true);
	ask_of("vdc", true);
	round_at(0);
	assert_int_equal(fake.programs_len, 1);
	assert_non_null(strstr(fake.variables[0], "COLLECTOR_DISK=vdb|"));
	fake.sizes[1] = 2 * GIB;
	it_works(0);
	assert_int_equal(fake.programs_len, 2);
	assert_non_null(strstr(fake.variables[1], "COLLECTOR_DISK=vdc|"));
	round_at(40); /* Though no read asks for it any more. */
	assert_ptr_not_equal(fake.asked, NULL);
	assert_null(fake.asked->next);
	fake.hanging = "";
	round_at(41);
	assert_int_equal(fake.programs_len, 3);
	assert_non_null(strstr(fake.variables[2], "COLLECTOR_DISK=vda|"));
}

/* It was asked how large the disk is before the guest wrote so far. */
static void an_event_in_the_meantime_is_not_lost(void **state)
{
	(void)state;
	fake.hanging = "vda";
	fake.allocations[0] = 0;
	ask_of("vda", false);
	round_at(0);
	fake.now += MC_SECOND;
	ask_of("vda", true);
	fake.now += MC_SECOND;
	fake.hanging = "";
	fake.loop->after_round(fake.loop->argument);
	assert_int_equal(fake.programs_len, 0);
	fake.allocations[0] = 800 << 20;
	go_on();
	assert_int_equal(fake.programs_len, 1);
}

/* An event while libvirt was asked for the new size, or a disk that is beyond its watermark still.
 */
static void a_guest_that_is_faster_has_the_next_at_once(void **state)
{
	(void)state;
	ask_of("vda", true);
	round_at(0);
	fake.sizes[0] = 2 * GIB;
	fake.allocations[0] = 2 * GIB - (100 << 20);
	it_works(0);
	assert_int_equal(fake.done_len, 1);
	assert_int_equal(fake.programs_len, 2);
	assert_non_null(strstr(fake.variables[1], "COLLECTOR_SIZE=2147483648|COLLECTOR_WANTED="
						  "3221225472|COLLECTOR_FAILURES=0|"));
	fake.sizes[0] = 3 * GIB;
	ask_of("vda", true); /* At the same moment. */
	fake.allocations[0] = 3 * GIB - (100 << 20);
	it_works(1);
	assert_int_equal(fake.programs_len, 3);
}

/* A read may know less than the extender: a disk that has grown since is not asked for. */
static void a_late_read_has_nothing_run(void **state)
{
	(void)state;
	fake.sizes[0] = 2 * GIB;
	ask_of("vda", false);
	round_at(0);
	assert_int_equal(fake.programs_len, 0);
	assert_int_equal(fake.stood, 0);
}

/* Which a snapshot has made the base of another one: it would be extended for nothing. */
static void a_former_image_is_left(void **state)
{
	(void)state;
	fake.chain = "/srv/web.snapshot\n/dev/vg/web\n/dev/vg/base";
	ask_of("vda", true);
	round_at(0);
	assert_int_equal(fake.programs_len, 0);
	fake.chain = ""; /* Not known. */
	ask_of("vda", true);
	round_at(1);
	assert_int_equal(fake.programs_len, 1);
}

/* The state stands as long as reads say that the disk is beyond its watermark, and then it ends. */
static void a_state_stands_until_there_is_headroom(void **state)
{
	(void)state;
	ask_of("vda", true);
	round_at(0);
	it_fails(0);
	for (int i = 1; i < 60; i++) {
		ask_of("vda", false);
		round_at(i);
		if (fake.programs_len > 1 && i % 7 == 0)
			break;
		assert_int_equal(fake.severity, MC_FAILURE);
	}
	it_fails(fake.programs_len - 1);
	assert_int_equal(fake.severity, MC_FAILURE);
	fake.allocations[0] = 0; /* Emptied: at the next try that is seen. */
	fake.now += 9 * MC_SECOND;
	go_on();
	assert_int_equal(fake.severity, MC_OKAY);
	assert_string_equal(fake.reason, "the disk is below its watermark, or has another image");
}

/* Reads say nothing then, so tries go on; the disk may fill meanwhile. */
static void it_goes_on_when_libvirt_is_back(void **state)
{
	(void)state;
	fake.away = true;
	ask_of("vda", true);
	for (int i = 0; i < 100; i++)
		round_at(i);
	assert_int_equal(fake.severity, MC_FAILURE);
	fake.away = false;
	round_at(108); /* RetryMax */
	assert_int_equal(fake.programs_len, 1);
}

static void a_guest_that_is_gone_is_forgotten(void **state)
{
	(void)state;
	ask_of("vda", true);
	round_at(0);
	it_fails(0);
	assert_int_equal(fake.severity, MC_FAILURE);
	fake.gone = true;
	round_at(9);
	assert_int_equal(fake.severity, MC_OKAY);
	assert_string_equal(fake.reason, "the guest does not run here, or the disk is gone");
	fake.stood = 0;
	round_at(30);
	assert_int_equal(fake.stood, 0);
	assert_int_equal(fake.programs_len, 1);
}

static void disks_without_a_rule_are_left(void **state)
{
	(void)state;
	ask_of("sda", true);
	round_at(0);
	assert_int_equal(fake.programs_len, 0);
	extend_ask(NULL, &(struct extend_disk){ .guest = "web" });
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_disk_is_extended),
		TEST(the_watermark_is_armed_again),
		TEST(a_program_has_a_time_limit),
		TEST(a_program_that_does_nothing_has_failed),
		TEST(nor_is_it_without_libvirt),
		TEST(failures_are_repeated_less_and_less_often),
		TEST(never_two_for_one_disk),
		TEST(no_more_at_a_time_than_the_limit),
		TEST(others_go_on_while_one_waits),
		TEST(a_guest_that_hangs_delays_no_other),
		TEST(an_event_in_the_meantime_is_not_lost),
		TEST(a_guest_that_is_faster_has_the_next_at_once),
		TEST(a_late_read_has_nothing_run),
		TEST(a_former_image_is_left),
		TEST(a_state_stands_until_there_is_headroom),
		TEST(it_goes_on_when_libvirt_is_back),
		TEST(a_guest_that_is_gone_is_forgotten),
		TEST(disks_without_a_rule_are_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
