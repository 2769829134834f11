/* SPDX-License-Identifier: MIT */
/* Which disks wait for which guests: the pure functions, the tables, and a day of a virtual clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disks.h"

#define HERE "host1"
#define GUESTS 200
#define DAY (24 * 360) /* Intervals of ten seconds. */

static const struct contention_rule rule = { .latency_min = 0.01, .factor = 4, .hits = 2 };

struct lab {
	struct disks disks;
	mc_time now, interval;
	unsigned bad, ended; /* News of the last interval. */
	enum contention_measure measure;
	char victim[64], names[256];
	double part;
};

static void begin(struct lab *lab)
{
	memset(lab, 0, sizeof(*lab));
	lab->interval = 10 * MC_SECOND;
	lab->now = 1000 * MC_SECOND;
}

static struct disk *add(struct lab *lab, const char *guest, const char *name, const char *storage)
{
	struct disk *disk = disks_have(&lab->disks, guest, "", name);

	disk->used |= 1U << DISKS_OPS | 1U << DISKS_OCTETS | 1U << DISKS_TIME;
	disks_place(&lab->disks, disk, HERE, storage);
	return disk;
}

static void take(struct lab *lab, struct disk *disk, enum disks_kind kind, double read,
		 double written)
{
	const struct disks_value value = { lab->now, lab->interval, { read, written } };

	disks_take(&lab->disks, &disk->slots[kind], &value, lab->now);
}

/* An interval of a disk: requests and bytes a second, and milliseconds a request. */
static void run(struct lab *lab, struct disk *disk, double requests, double bytes, double ms)
{
	take(lab, disk, DISKS_OPS, requests / 2, requests / 2);
	take(lab, disk, DISKS_OCTETS, 0, bytes);
	take(lab, disk, DISKS_TIME, 0, requests * ms * 1e6);
}

static void show(void *argument, const struct disks_news *news)
{
	struct lab *lab = argument;

	lab->ended += !news->is_bad && news->has_changed;
	if (!news->is_bad || news->names_len == 0)
		return;
	lab->bad++;
	lab->measure = news->measure;
	lab->part = news->names[0].part;
	snprintf(lab->victim, sizeof(lab->victim), "%s", news->disk->guest->host);
	lab->names[0] = '\0';
	for (size_t i = 0; i < news->names_len; i++) {
		size_t len = strlen(lab->names);

		snprintf(lab->names + len, sizeof(lab->names) - len, "%s ", news->names[i].host);
	}
}

static void end_interval(struct lab *lab)
{
	lab->bad = lab->ended = 0;
	disks_judge(&lab->disks, &rule, lab->now, show, lab);
	lab->now += lab->interval;
}

static void end(struct lab *lab)
{
	struct disks_guest *guest;

	while ((guest = (struct disks_guest *)mc_map_next(&lab->disks.guests, NULL)) != NULL)
		for (size_t len = guest->len; len > 0; len--) {
			struct disk *disk = guest->first;

			disk->used = 1;
			disks_release(&lab->disks, &disk->slots[0]);
		}
	assert_int_equal(lab->disks.len, 0);
	assert_int_equal(lab->disks.storages.len, 0);
}

/* Intervals of a victim, a noisy guest that is quiet, and one on another device. */
struct three {
	struct disk *web1, *backup7, *other;
};

static void quiet(struct lab *lab, const struct three *three)
{
	run(lab, three->web1, 4, 130000, 3);
	run(lab, three->backup7, 0, 0, 0);
	run(lab, three->other, 10, 400000, 2);
	end_interval(lab);
}

static struct three add_three(struct lab *lab)
{
	struct three three = { add(lab, "web1", "vda", "@sda"), add(lab, "backup7", "vda", "@sda"),
			       add(lab, "other", "vda", "@sdb") };

	for (unsigned i = 0; i < 20; i++) {
		quiet(lab, &three);
		assert_int_equal(lab->bad, 0);
	}
	return three;
}

static void contend(struct lab *lab, const struct three *three)
{
	run(lab, three->web1, 4, 130000, 68);
	run(lab, three->backup7, 20, 600000, 80);
	run(lab, three->other, 10, 400000, 2);
	end_interval(lab);
}

/* --- Who is named ------------------------------------------------------------ */

static void the_one_that_writes_is_named(void **state)
{
	struct lab lab;
	struct three three;

	(void)state;
	begin(&lab);
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
		run(&lab, three.web1, 4, 130000, 3);
		run(&lab, three.backup7, 0, 0, 0);
		end_interval(&lab);
		assert_int_equal(lab.ended, i);
	}
	end(&lab);
}

/* A guest that was noisy while its mean was learnt is named when it is noisy again: after a pause,
 * in which it has no values, and after it was quiet. */
static void one_that_is_noisy_again_is_named(void **state)
{
	for (unsigned pause = 0; pause < 2; pause++) {
		struct lab lab;
		struct three three;

		(void)state;
		begin(&lab);
		three = add_three(&lab);
		disks_end(three.backup7);
		for (unsigned i = 0; i < 20; i++)
			contend(&lab, &three);
		for (unsigned i = 0; i < 20; i++) {
			run(&lab, three.web1, 4, 130000, 3);
			if (pause == 0)
				run(&lab, three.backup7, 0, 0, 0);
			end_interval(&lab);
		}
		for (unsigned i = 0; i < 3; i++) {
			contend(&lab, &three);
			assert_int_equal(lab.bad, i > 0);
		}
		end(&lab);
	}
}

static void of_several_the_largest_three(void **state)
{
	struct lab lab;
	struct three three;
	struct disk *more[5];
	char name[16];

	(void)state;
	begin(&lab);
	for (unsigned i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "more%u", i);
		more[i] = add(&lab, name, "vda", "@sda");
	}
	three = add_three(&lab);
	for (unsigned n = 0; n < 2; n++) {
		for (unsigned i = 0; i < 5; i++)
			run(&lab, more[i], 20, 1e6 * (i + 1), 50);
		contend(&lab, &three);
	}
	assert_int_equal(lab.bad, 1);
	assert_int_equal(lab.measure, CONTENTION_BYTES);
	assert_string_equal(lab.names, "more4 more3 more2 ");
	end(&lab);
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
		struct lab lab;
		struct disk *web1, *backup7;

		begin(&lab);
		web1 = add(&lab, "web1", "vda", cases[c].storage);
		backup7 = add(&lab, "backup7", "vda", "@sda");
		for (unsigned i = 0; i < 30; i++) {
			bool now = i >= 20;

			run(&lab, web1, now ? cases[c].requests : 4, now ? cases[c].bytes : 130000,
			    now ? cases[c].ms : 3);
			run(&lab, backup7, now ? cases[c].others : 0,
			    now ? 30000 * cases[c].others : 0, 80);
			end_interval(&lab);
			if (lab.bad > 0)
				fail_msg("%s", cases[c].why);
		}
		end(&lab);
	}
}

/* A disk that is slow while the others on the storage are not has reasons of its own. */
static void one_that_is_slow_alone_names_nobody(void **state)
{
	struct lab lab;
	struct three three;
	struct disk *more[8];
	char name[16];

	(void)state;
	begin(&lab);
	for (unsigned i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "more%u", i);
		more[i] = add(&lab, name, "vda", "@sda");
	}
	three = add_three(&lab);
	for (unsigned n = 0; n < 20; n++) {
		for (unsigned i = 0; i < 8; i++)
			run(&lab, more[i], 5, 40000, 3);
		quiet(&lab, &three);
	}
	for (unsigned n = 0; n < 10; n++) {
		for (unsigned i = 0; i < 8; i++)
			run(&lab, more[i], 5, 40000, n < 5 ? 3 : 40);
		contend(&lab, &three);
		assert_int_equal(lab.bad > 0, n >= 6);
	}
	end(&lab);
}

static void what_lasts_becomes_usual(void **state)
{
	struct lab lab;
	struct three three;
	unsigned n = 0;

	(void)state;
	begin(&lab);
	three = add_three(&lab);
	do {
		contend(&lab, &three);
	} while (++n < 5000 && (n < 2 || lab.bad > 0));
	assert_in_range(n, 360, 4000); /* An hour at least. */
	end(&lab);
}

/* --- Several hosts ------------------------------------------------------------- */

static void storage_that_hosts_share(void **state)
{
	struct lab lab;
	struct disk *web1, *backup7;

	(void)state;
	begin(&lab);
	web1 = add(&lab, "web1", "vda", "nfs4:server:/export");
	backup7 = disks_have(&lab.disks, "backup7", "", "vdb");
	backup7->used = 7;
	disks_place(&lab.disks, backup7, "host2", "nfs4:server:/export");
	assert_ptr_equal(web1->storage, backup7->storage);
	for (unsigned i = 0; i < 24; i++) { /* Their batches come one after the other. */
		bool now = i >= 20;

		run(&lab, backup7, 20, now ? 9e6 : 1e5, now ? 90 : 2);
		end_interval(&lab);
		lab.now -= lab.interval / 2;
		run(&lab, web1, 4, 130000, now ? 68 : 3);
		end_interval(&lab);
		lab.now -= lab.interval / 2;
		assert_int_equal(lab.bad, i >= 21);
	}
	assert_string_equal(lab.names, "backup7 ");
	disks_place(&lab.disks, backup7, "host2", "@sda"); /* A device of that name elsewhere. */
	disks_place(&lab.disks, web1, HERE, "@sda");
	assert_ptr_not_equal(web1->storage, backup7->storage);
	end(&lab);
}

static void a_guest_that_moves_begins_anew(void **state)
{
	struct lab lab;
	struct three three;

	(void)state;
	begin(&lab);
	three = add_three(&lab);
	disks_place(&lab.disks, three.web1, "host2", "@sda");
	for (unsigned i = 0; i < 9; i++) {
		contend(&lab, &three);
		assert_int_equal(lab.bad, 0);
	}
	disks_place(&lab.disks, three.web1, "host2", "@sda");
	assert_int_equal(three.web1->state.uses, 8); /* It is where it was. */
	disks_place(&lab.disks, three.web1, "", "@sda");
	assert_null(three.web1->storage); /* Nobody knows whose device that is. */
	end(&lab);
}

/* --- Hostile input --------------------------------------------------------------- */

static void values_that_are_none(void **state)
{
	static const double odd[] = { NAN, INFINITY, -INFINITY, -1, 1e300, 0 };
	struct lab lab;
	struct three three;

	(void)state;
	begin(&lab);
	three = add_three(&lab);
	for (unsigned i = 0; i < 216; i++) { /* A reset of counters has NaN for rates. */
		run(&lab, three.web1, odd[i % 6], odd[i / 6 % 6], odd[i / 36]);
		run(&lab, three.backup7, odd[i / 36], odd[i % 6], odd[i / 6 % 6]);
		end_interval(&lab);
		assert_int_equal(lab.bad, 0);
	}
	contend(&lab, &three);
	contend(&lab, &three);
	assert_true(isfinite(three.web1->state.mean_latency));
	assert_true(isfinite(three.web1->state.means[CONTENTION_BYTES]));
	end(&lab);
}

/* A reset in the middle is no end. */
static void an_unknown_interval_changes_nothing(void **state)
{
	struct lab lab;
	struct three three;

	(void)state;
	begin(&lab);
	three = add_three(&lab);
	contend(&lab, &three);
	contend(&lab, &three);
	assert_int_equal(lab.bad, 1);
	run(&lab, three.web1, NAN, NAN, NAN);
	end_interval(&lab);
	assert_int_equal(lab.ended, 0);
	for (unsigned i = 0; i < 20; i++) { /* Without a request it does not wait. */
		run(&lab, three.web1, 0, 0, 0);
		end_interval(&lab);
		if (lab.ended > 0)
			break;
	}
	assert_int_equal(lab.ended, 1);
	end(&lab);
}

static void times_that_do_not_go_on(void **state)
{
	struct lab lab;
	struct three three;

	(void)state;
	begin(&lab);
	three = add_three(&lab);
	lab.interval = 0;
	for (unsigned i = 0; i < 10; i++) /* The same values again. */
		contend(&lab, &three);
	assert_int_equal(lab.bad, 0);
	take(&lab, three.web1, DISKS_OPS, 1, 1); /* The others of that time do not come. */
	lab.now -= 5 * MC_SECOND;
	take(&lab, three.web1, DISKS_OCTETS, 1, 1);
	assert_null(lab.disks.touched);
	lab.interval = 10 * MC_SECOND;
	lab.now += 20 * MC_SECOND;
	contend(&lab, &three);
	contend(&lab, &three);
	assert_int_equal(lab.bad, 1);
	end(&lab);
}

/* Latencies in place of times. */
static void latencies_as_gauges(void **state)
{
	struct lab lab;
	struct disk *disk;

	(void)state;
	begin(&lab);
	disk = add(&lab, "web1", "vda", "@sda");
	take(&lab, disk, DISKS_OPS, 3, 1);
	take(&lab, disk, DISKS_OCTETS, 0, 1000);
	assert_null(lab.disks.touched);
	take(&lab, disk, DISKS_LATENCY, 2, 10);
	assert_non_null(lab.disks.touched);
	end_interval(&lab);
	assert_true(fabs(disk->state.latency - 0.004) < 1e-9);
	take(&lab, disk, DISKS_OPS, 0, 2);
	take(&lab, disk, DISKS_OCTETS, 0, 1000);
	take(&lab, disk, DISKS_LATENCY, NAN, 10);
	end_interval(&lab);
	assert_true(fabs(disk->state.latency - 0.01) < 1e-9);
	end(&lab);
}

static void disks_come_and_go(void **state)
{
	struct lab lab;
	unsigned random = 1;
	char name[16], storage[16];

	(void)state;
	begin(&lab);
	for (unsigned i = 0; i < 20000; i++) {
		struct disk *disk;

		random = random * 1103515245 + 12345;
		snprintf(name, sizeof(name), "g%u", random >> 16 & 15);
		snprintf(storage, sizeof(storage), random >> 20 & 1 ? "@sd%u" : "rbd:%u",
			 random >> 21 & 3);
		disk = disks_have(&lab.disks, name, "", random >> 24 & 1 ? "vda" : "vdb");
		disk->used |= 7;
		if ((random >> 25 & 3) > 0)
			disks_place(&lab.disks, disk, HERE, random >> 27 & 1 ? storage : "");
		run(&lab, disk, random >> 16 & 255, random >> 8 & 0xffff, random >> 20 & 127);
		if ((random >> 28 & 3) == 0)
			for (unsigned j = 0; j < 3; j++) /* Also one that was just taken. */
				disks_release(&lab.disks, &disk->slots[j]);
		if ((random >> 30 & 1) == 0)
			end_interval(&lab);
	}
	assert_in_range(lab.disks.len, 1, 32);
	end(&lab);
}

static void ten_thousand_on_a_storage(void **state)
{
	struct lab lab;
	struct disk **disks = calloc(10000, sizeof(*disks));
	char name[16];

	(void)state;
	begin(&lab);
	for (unsigned i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "g%u", i);
		disks[i] = add(&lab, name, "vda", "rbd:volumes");
	}
	for (unsigned n = 0; n < 14; n++) {
		for (unsigned i = 0; i < 10000; i++)
			run(&lab, disks[i], 4, i == 77 && n >= 12 ? 4e9 : 1e5, n >= 12 ? 90 : 3);
		end_interval(&lab);
	}
	assert_int_equal(lab.bad, 9999);
	assert_string_equal(lab.names, "g77 ");
	for (unsigned i = 0; i < 10000; i++)
		for (unsigned j = 0; j < 3; j++)
			disks_release(&lab.disks, &disks[i]->slots[j]);
	assert_int_equal(lab.disks.storages.len, 0);
	free(disks);
	end(&lab);
}

/* --- A day without contention ------------------------------------------------------- */

static uint64_t seed = 88172645463325252;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

/* A guest has a level of its own, a daily wave, noise, jobs of some minutes with 20 times the
 * load, and a request in some takes as long as one of a slow disk; none of that makes another
 * one slow. */
struct busy {
	struct disk *disk;
	double requests, size, ms;
	unsigned job; /* Intervals that are left. */
};

static void a_day_of_busy_guests(void **state)
{
	static struct busy guests[GUESTS];
	struct lab lab;
	unsigned named = 0, jobs = 0;
	char name[16], storage[16];

	(void)state;
	begin(&lab);
	for (unsigned i = 0; i < GUESTS; i++) {
		snprintf(name, sizeof(name), "g%u", i);
		snprintf(storage, sizeof(storage), "@sd%c", (char)('a' + i % 12));
		guests[i] = (struct busy){ add(&lab, name, "vda", storage), exp(2 + 1.5 * normal()),
					   exp(9.5 + normal()), exp(0.5 + normal()), 0 };
	}
	for (unsigned n = 0; n < DAY; n++) {
		double wave = 1 + 0.7 * sin(6.283185307179586 * n / DAY);

		for (unsigned i = 0; i < GUESTS; i++) {
			struct busy *guest = &guests[i];
			double requests = guest->requests * wave * exp(0.4 * normal());
			double ms = guest->ms * exp(0.5 * normal());

			if (guest->job == 0 && uniform() < 0.0005) {
				guest->job = 6 + (unsigned)(60 * uniform());
				jobs++;
			}
			if (guest->job > 0) {
				guest->job--;
				requests *= 20;
			}
			if (uniform() < 0.005)
				ms += 100 * uniform();
			run(&lab, guest->disk, requests, requests * guest->size, ms);
		}
		end_interval(&lab);
		named += lab.bad;
	}
	assert_true(jobs > 500);
	assert_int_equal(named, 0);
	end(&lab);
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
		cmocka_unit_test(storage_that_hosts_share),
		cmocka_unit_test(a_guest_that_moves_begins_anew),
		cmocka_unit_test(values_that_are_none),
		cmocka_unit_test(an_unknown_interval_changes_nothing),
		cmocka_unit_test(times_that_do_not_go_on),
		cmocka_unit_test(latencies_as_gauges),
		cmocka_unit_test(disks_come_and_go),
		cmocka_unit_test(ten_thousand_on_a_storage),
		cmocka_unit_test(a_day_of_busy_guests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
