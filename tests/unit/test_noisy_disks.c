/* SPDX-License-Identifier: MIT */
/* Which disks wait for which guests: the pure functions and the tables. */
#include "noisy_disks.h"

/* Intervals of a victim, a noisy guest that is quiet, and one on another device. */
struct three {
	struct disk *web1, *backup7, *other;
};

static void quiet(struct noisy_lab *lab, const struct three *three)
{
	noisy_run(lab, three->web1, 4, 130000, 3);
	noisy_run(lab, three->backup7, 0, 0, 0);
	noisy_run(lab, three->other, 10, 400000, 2);
	noisy_end_interval(lab);
}

static struct three add_three(struct noisy_lab *lab)
{
	struct three three = { noisy_add(lab, "web1", "vda", "@sda"),
			       noisy_add(lab, "backup7", "vda", "@sda"),
			       noisy_add(lab, "other", "vda", "@sdb") };

	for (unsigned i = 0; i < 20; i++) {
		quiet(lab, &three);
		assert_int_equal(lab->bad, 0);
	}
	return three;
}

static void contend(struct noisy_lab *lab, const struct three *three)
{
	noisy_run(lab, three->web1, 4, 130000, 68);
	noisy_run(lab, three->backup7, 20, 600000, 80);
	noisy_run(lab, three->other, 10, 400000, 2);
	noisy_end_interval(lab);
}

/* --- Who is named ------------------------------------------------------------ */

static void the_one_that_writes_is_named(void **state)
{
	struct noisy_lab lab;
	struct three three;

	(void)state;
	noisy_begin(&lab);
	three = add_three(&lab);
	contend(&lab, &three);
	assert_int_equal(lab.bad, 0); /* One interval is chance. */
	for (unsigned i = 0; i < 100; i++) {
		contend(&lab, &three);
		assert_int_equal(lab.bad, 1);
		assert_string_equal(lab.victim, "web1");
		assert_string_equal(lab.names, "backup7 ");
	}
	assert_int_equal(lab.measure, CONTENTION_REQUESTS);
	assert_true(fabs(lab.part - 20.0 / 24) < 0.001);
	for (unsigned i = 0; i < 2; i++) {
		noisy_run(&lab, three.web1, 4, 130000, 3);
		noisy_run(&lab, three.backup7, 0, 0, 0);
		noisy_end_interval(&lab);
		assert_int_equal(lab.ended, i);
	}
	noisy_end(&lab);
}

/* A guest that was noisy while its mean was learnt is named when it is noisy again: after a pause,
 * in which it has no values, and after it was quiet. */
static void one_that_is_noisy_again_is_named(void **state)
{
	for (unsigned pause = 0; pause < 2; pause++) {
		struct noisy_lab lab;
		struct three three;

		(void)state;
		noisy_begin(&lab);
		three = add_three(&lab);
		disks_end(three.backup7);
		for (unsigned i = 0; i < 20; i++)
			contend(&lab, &three);
		for (unsigned i = 0; i < 20; i++) {
			noisy_run(&lab, three.web1, 4, 130000, 3);
			if (pause == 0)
				noisy_run(&lab, three.backup7, 0, 0, 0);
			noisy_end_interval(&lab);
		}
		for (unsigned i = 0; i < 3; i++) {
			contend(&lab, &three);
			assert_int_equal(lab.bad, i > 0);
		}
		noisy_end(&lab);
	}
}

static void of_several_the_largest_three(void **state)
{
	struct noisy_lab lab;
	struct three three;
	struct disk *more[5];
	char name[16];

	(void)state;
	noisy_begin(&lab);
	for (unsigned i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "more%u", i);
		more[i] = noisy_add(&lab, name, "vda", "@sda");
	}
	three = add_three(&lab);
	for (unsigned n = 0; n < 2; n++) {
		for (unsigned i = 0; i < 5; i++)
			noisy_run(&lab, more[i], 20, 1e6 * (i + 1), 50);
		contend(&lab, &three);
	}
	assert_int_equal(lab.bad, 1);
	assert_int_equal(lab.measure, CONTENTION_BYTES);
	assert_string_equal(lab.names, "more4 more3 more2 ");
	noisy_end(&lab);
}

static void nobody_is_named(void **state)
{
	static const struct {
		const char *why, *storage;
		double requests, bytes, ms, others;
	} cases[] = {
		{ "its own requests rose", "@sda", 40, 130000, 68, 20 },
		{ "its own bytes rose", "@sda", 4, 900000, 68, 20 },
		{ "it is slow for nobody's sake", "@sda", 4, 130000, 68, 0 },
		{ "a request is still quick", "@sda", 4, 130000, 9.9, 20 },
		{ "it is not much slower", "@sda", 4, 130000, 11, 20 },
		{ "the other one is elsewhere", "@sdc", 4, 130000, 68, 20 },
		{ "its storage is unknown", "", 4, 130000, 68, 20 },
	};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct noisy_lab lab;
		struct disk *web1, *backup7;

		noisy_begin(&lab);
		web1 = noisy_add(&lab, "web1", "vda", cases[c].storage);
		backup7 = noisy_add(&lab, "backup7", "vda", "@sda");
		for (unsigned i = 0; i < 30; i++) {
			bool now = i >= 20;

			noisy_run(&lab, web1, now ? cases[c].requests : 4,
				  now ? cases[c].bytes : 130000, now ? cases[c].ms : 3);
			noisy_run(&lab, backup7, now ? cases[c].others : 0,
				  now ? 30000 * cases[c].others : 0, 80);
			noisy_end_interval(&lab);
			if (lab.bad > 0)
				fail_msg("%s", cases[c].why);
		}
		noisy_end(&lab);
	}
}

/* A disk that is slow while the others on the storage are not has reasons of its own. */
static void one_that_is_slow_alone_names_nobody(void **state)
{
	struct noisy_lab lab;
	struct three three;
	struct disk *more[8];
	char name[16];

	(void)state;
	noisy_begin(&lab);
	for (unsigned i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "more%u", i);
		more[i] = noisy_add(&lab, name, "vda", "@sda");
	}
	three = add_three(&lab);
	for (unsigned n = 0; n < 20; n++) {
		for (unsigned i = 0; i < 8; i++)
			noisy_run(&lab, more[i], 5, 40000, 3);
		quiet(&lab, &three);
	}
	for (unsigned n = 0; n < 10; n++) {
		for (unsigned i = 0; i < 8; i++)
			noisy_run(&lab, more[i], 5, 40000, n < 5 ? 3 : 40);
		contend(&lab, &three);
		assert_int_equal(lab.bad > 0, n >= 6);
	}
	noisy_end(&lab);
}

static void what_lasts_becomes_usual(void **state)
{
	struct noisy_lab lab;
	struct three three;
	unsigned n = 0;

	(void)state;
	noisy_begin(&lab);
	three = add_three(&lab);
	do {
		contend(&lab, &three);
	} while (++n < 5000 && (n < 2 || lab.bad > 0));
	assert_in_range(n, 360, 4000); /* An hour at least. */
	noisy_end(&lab);
}

/* Of two that wait, as both are on that storage; it waits until neither does. */
static void one_disk_of_a_guest_is_shown(void **state)
{
	struct noisy_lab lab;
	struct disk *vda, *vdb, *backup7;

	(void)state;
	noisy_begin(&lab);
	vda = noisy_add(&lab, "web1", "vda", "@sda");
	vdb = noisy_add(&lab, "web1", "vdb", "@sda");
	backup7 = noisy_add(&lab, "backup7", "vda", "@sda");
	for (unsigned i = 0; i < 24; i++) {
		bool now = i >= 20;

		noisy_run(&lab, vda, 4, 130000, now ? 68 : 3);
		noisy_run(&lab, vdb, 4, 130000, now ? 68 : 3);
		noisy_run(&lab, backup7, now ? 20 : 0, now ? 600000 : 0, 80);
		noisy_end_interval(&lab);
		assert_int_equal(lab.bad, i >= 21);
	}
	assert_false(disks_end(vda));
	assert_true(disks_end(vdb));
	assert_false(disks_end(vdb));
	noisy_end(&lab);
}

/* --- Several hosts ------------------------------------------------------------- */

static void storage_that_hosts_share(void **state)
{
	struct noisy_lab lab;
	struct disk *web1, *backup7;

	(void)state;
	noisy_begin(&lab);
	web1 = noisy_add(&lab, "web1", "vda", "nfs4:server:/export");
	backup7 = disks_have(&lab.disks, "backup7", "", "vdb");
	backup7->used = 7;
	disks_place(&lab.disks, backup7, "host2", "nfs4:server:/export");
	assert_ptr_equal(web1->storage, backup7->storage);
	for (unsigned i = 0; i < 24; i++) { /* Their batches come one after the other. */
		bool now = i >= 20;

		noisy_run(&lab, backup7, 20, now ? 9e6 : 1e5, now ? 90 : 2);
		noisy_end_interval(&lab);
		lab.now -= lab.interval / 2;
		noisy_run(&lab, web1, 4, 130000, now ? 68 : 3);
		noisy_end_interval(&lab);
		lab.now -= lab.interval / 2;
		assert_int_equal(lab.bad, i >= 21);
	}
	assert_string_equal(lab.names, "backup7 ");
	disks_place(&lab.disks, backup7, "host2", "@sda"); /* A device of that name elsewhere. */
	disks_place(&lab.disks, web1, NOISY_HERE, "@sda");
	assert_ptr_not_equal(web1->storage, backup7->storage);
	noisy_end(&lab);
}

static void a_guest_that_moves_begins_anew(void **state)
{
	struct noisy_lab lab;
	struct three three;

	(void)state;
	noisy_begin(&lab);
	three = add_three(&lab);
	contend(&lab, &three);
	contend(&lab, &three);
	assert_int_equal(lab.bad, 1);
	disks_place(&lab.disks, three.web1, "host2", "@sda");
	for (unsigned i = 0; i < 9; i++) {
		contend(&lab, &three);
		assert_int_equal(lab.bad, 0);
		assert_int_equal(lab.ended, i == 1);
	}
	disks_place(&lab.disks, three.web1, "host2", "@sda");
	assert_int_equal(three.web1->state.uses, 8); /* It is where it was. */
	disks_place(&lab.disks, three.web1, "", "@sda");
	assert_null(three.web1->storage); /* Nobody knows whose device that is. */
	noisy_end(&lab);
}

/* --- Hostile input --------------------------------------------------------------- */

static void values_that_are_none(void **state)
{
	static const double odd[] = { NAN, INFINITY, -INFINITY, -1, 1e300, 0 };
	struct noisy_lab lab;
	struct three three;

	(void)state;
	noisy_begin(&lab);
	three = add_three(&lab);
	for (unsigned i = 0; i < 216; i++) { /* A reset of counters has NaN for rates. */
		noisy_run(&lab, three.web1, odd[i % 6], odd[i / 6 % 6], odd[i / 36]);
		noisy_run(&lab, three.backup7, odd[i / 36], odd[i % 6], odd[i / 6 % 6]);
		noisy_end_interval(&lab);
		assert_int_equal(lab.bad, 0);
	}
	contend(&lab, &three);
	contend(&lab, &three);
	assert_true(isfinite(three.web1->state.mean_latency));
	assert_true(isfinite(three.web1->state.means[CONTENTION_BYTES]));
	noisy_end(&lab);
}

/* A reset in the middle is no end. */
static void an_unknown_interval_changes_nothing(void **state)
{
	struct noisy_lab lab;
	struct three three;

	(void)state;
	noisy_begin(&lab);
	three = add_three(&lab);
	contend(&lab, &three);
	contend(&lab, &three);
	assert_int_equal(lab.bad, 1);
	noisy_run(&lab, three.web1, NAN, NAN, NAN);
	noisy_end_interval(&lab);
	assert_int_equal(lab.ended, 0);
	for (unsigned i = 0; i < 20; i++) { /* Without a request it does not wait. */
		noisy_run(&lab, three.web1, 0, 0, 0);
		noisy_end_interval(&lab);
		if (lab.ended > 0)
			break;
	}
	assert_int_equal(lab.ended, 1);
	noisy_end(&lab);
}

static void times_that_do_not_go_on(void **state)
{
	struct noisy_lab lab;
	struct three three;

	(void)state;
	noisy_begin(&lab);
	three = add_three(&lab);
	lab.interval = 0;
	for (unsigned i = 0; i < 10; i++) /* The same values again. */
		contend(&lab, &three);
	assert_int_equal(lab.bad, 0);
	noisy_take(&lab, three.web1, DISKS_OPS, 1, 1); /* The others of that time do not come. */
	lab.now -= 5 * MC_SECOND;
	noisy_take(&lab, three.web1, DISKS_OCTETS, 1, 1);
	assert_null(lab.disks.touched);
	lab.interval = 10 * MC_SECOND;
	lab.now += 20 * MC_SECOND;
	contend(&lab, &three);
	contend(&lab, &three);
	assert_int_equal(lab.bad, 1);
	noisy_end(&lab);
}

/* Latencies in place of times. */
static void latencies_as_gauges(void **state)
{
	struct noisy_lab lab;
	struct disk *disk;

	(void)state;
	noisy_begin(&lab);
	disk = noisy_add(&lab, "web1", "vda", "@sda");
	noisy_take(&lab, disk, DISKS_OPS, 3, 1);
	noisy_take(&lab, disk, DISKS_OCTETS, 0, 1000);
	assert_null(lab.disks.touched);
	noisy_take(&lab, disk, DISKS_LATENCY, 2, 10);
	assert_non_null(lab.disks.touched);
	noisy_end_interval(&lab);
	assert_true(fabs(disk->state.latency - 0.004) < 1e-9);
	noisy_take(&lab, disk, DISKS_OPS, 0, 2);
	noisy_take(&lab, disk, DISKS_OCTETS, 0, 1000);
	noisy_take(&lab, disk, DISKS_LATENCY, NAN, 10);
	noisy_end_interval(&lab);
	assert_true(fabs(disk->state.latency - 0.01) < 1e-9);
	noisy_end(&lab);
}

static void disks_come_and_go(void **state)
{
	struct noisy_lab lab;
	unsigned random = 1;
	char name[16], storage[16];

	(void)state;
	noisy_begin(&lab);
	for (unsigned i = 0; i < 20000; i++) {
		struct disk *disk;

		random = random * 1103515245 + 12345;
		snprintf(name, sizeof(name), "g%u", random >> 16 & 15);
		snprintf(storage, sizeof(storage), random >> 20 & 1 ? "@sd%u" : "rbd:%u",
			 random >> 21 & 3);
		disk = disks_have(&lab.disks, name, "", random >> 24 & 1 ? "vda" : "vdb");
		disk->used |= 7;
		if ((random >> 25 & 3) > 0)
			disks_place(&lab.disks, disk, NOISY_HERE, random >> 27 & 1 ? storage : "");
		noisy_run(&lab, disk, random >> 16 & 255, random >> 8 & 0xffff, random >> 20 & 127);
		if ((random >> 28 & 3) == 0)
			for (unsigned j = 0; j < 3; j++) /* Also one that was just taken. */
				disks_release(&lab.disks, &disk->slots[j]);
		if ((random >> 30 & 1) == 0)
			noisy_end_interval(&lab);
	}
	assert_in_range(lab.disks.len, 1, 32);
	noisy_end(&lab);
}

static void ten_thousand_on_a_storage(void **state)
{
	struct noisy_lab lab;
	struct disk **disks = calloc(10000, sizeof(*disks));
	char name[16];

	(void)state;
	noisy_begin(&lab);
	for (unsigned i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "g%u", i);
		disks[i] = noisy_add(&lab, name, "vda", "rbd:volumes");
	}
	for (unsigned n = 0; n < 14; n++) {
		for (unsigned i = 0; i < 10000; i++)
			noisy_run(&lab, disks[i], 4, i == 77 && n >= 12 ? 4e9 : 1e5,
				  n >= 12 ? 90 : 3);
		noisy_end_interval(&lab);
	}
	assert_int_equal(lab.bad, 9999);
	assert_string_equal(lab.names, "g77 ");
	for (unsigned i = 0; i < 10000; i++)
		for (unsigned j = 0; j < 3; j++)
			disks_release(&lab.disks, &disks[i]->slots[j]);
	assert_int_equal(lab.disks.storages.len, 0);
	free(disks);
	noisy_end(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_one_that_writes_is_named),
		cmocka_unit_test(one_that_is_noisy_again_is_named),
		cmocka_unit_test(of_several_the_largest_three),
		cmocka_unit_test(nobody_is_named),
		cmocka_unit_test(one_that_is_slow_alone_names_nobody),
		cmocka_unit_test(what_lasts_becomes_usual),
		cmocka_unit_test(one_disk_of_a_guest_is_shown),
		cmocka_unit_test(storage_that_hosts_share),
		cmocka_unit_test(a_guest_that_moves_begins_anew),
		cmocka_unit_test(values_that_are_none),
		cmocka_unit_test(an_unknown_interval_changes_nothing),
		cmocka_unit_test(times_that_do_not_go_on),
		cmocka_unit_test(latencies_as_gauges),
		cmocka_unit_test(disks_come_and_go),
		cmocka_unit_test(ten_thousand_on_a_storage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
