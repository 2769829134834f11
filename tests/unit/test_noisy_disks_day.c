/* SPDX-License-Identifier: MIT */
/* A day of disks of which none makes another one slow, by a virtual clock: nobody is named. */
#include "noisy_disks.h"

#define GUESTS 200
#define DAY (24 * 360) /* Intervals of ten seconds. */

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
	struct noisy_lab lab;
	unsigned named = 0, jobs = 0;
	char name[16], storage[16];

	(void)state;
	noisy_begin(&lab);
	for (unsigned i = 0; i < GUESTS; i++) {
		snprintf(name, sizeof(name), "g%u", i);
		snprintf(storage, sizeof(storage), "@sd%c", (char)('a' + i % 12));
		guests[i] = (struct busy){ noisy_add(&lab, name, "vda", storage),
					   exp(2 + 1.5 * normal()), exp(9.5 + normal()),
					   exp(0.5 + normal()), 0 };
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
			noisy_run(&lab, guest->disk, requests, requests * guest->size, ms);
		}
		noisy_end_interval(&lab);
		named += lab.bad;
	}
	assert_true(jobs > 500);
	assert_int_equal(named, 0);
	noisy_end(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_day_of_busy_guests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
