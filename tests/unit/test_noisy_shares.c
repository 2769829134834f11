/* SPDX-License-Identifier: MIT */
/* Shares of guests in a full link. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "share.h"

#include <math.h>
#include <stdlib.h>

#define GUESTS 4096

struct scene {
	struct share_user users[GUESTS];
	double parts[GUESTS];
	struct share_view view;
	struct top top;
	struct top blamed;
};

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct scene));
	return *state == NULL;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void ask(struct scene *scene, size_t users, double moved)
{
	scene->view.users = scene->users;
	scene->view.users_len = users;
	scene->view.moved = moved;
	share_find(&scene->view, scene->parts, &scene->top);
}

static size_t blame(struct scene *scene, size_t victim)
{
	share_blame(&scene->top, victim, scene->parts[victim], &scene->blamed);
	return scene->blamed.len;
}

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) < 1e-6))
		fail_msg("%f is not %f", value, expected);
}

static void test_larger_ones_are_blamed(void **state)
{
	struct scene *scene = *state;

	scene->users[0].moved = 10;
	scene->users[1].moved = 700;
	scene->users[2].moved = 80;
	scene->users[3].moved = 40; /* Less than SHARE_MIN. */
	ask(scene, 5, 1000);
	assert_int_equal(blame(scene, 0), 3);
	assert_int_equal(scene->blamed.items[0].user, 1);
	assert_near(scene->blamed.items[0].part, 0.7);
	assert_int_equal(scene->blamed.items[1].user, SHARE_HOST);
	assert_near(scene->blamed.items[1].part, 0.17);
	assert_int_equal(scene->blamed.items[2].user, 2);
	assert_int_equal(blame(scene, 2), 2);
	assert_int_equal(blame(scene, 1), 0); /* Nobody has more. */
}

static void test_host_needs_more_than_an_error(void **state)
{
	struct scene *scene = *state;

	scene->users[0].moved = 10;
	scene->users[1].moved = 900;
	ask(scene, 2, 1000);
	assert_int_equal(blame(scene, 0), 1);
	scene->users[1].moved = 500;
	scene->view.lacks = true;
	ask(scene, 2, 1000);
	assert_int_equal(blame(scene, 0), 1);
	assert_int_equal(scene->blamed.items[0].user, 1);
}

/* 1 sends to 2, on this host; 3 fills the link. */
static void test_local_bytes_are_nobodys_fault(void **state)
{
	struct scene *scene = *state;

	scene->users[0].moved = 50;
	scene->users[1].moved = 8000;
	scene->users[2].other = 8000;
	scene->users[3].moved = 950;
	ask(scene, 4, 1000);
	assert_near(scene->parts[1], 0);
	assert_int_equal(blame(scene, 0), 0);
	scene->users[1].moved = scene->users[2].other = 100;
	ask(scene, 4, 1000);
	assert_near(scene->parts[1], 0);
	assert_int_equal(blame(scene, 0), 1);
	assert_int_equal(scene->blamed.items[0].user, 3);
}

/* Guests sent twice what the link could carry, and took in nothing. */
static void test_dropped_bytes_are_shared(void **state)
{
	struct scene *scene = *state;

	scene->users[0].moved = 100;
	scene->users[1].moved = 1500;
	scene->users[2].moved = 400;
	ask(scene, 3, 1000);
	assert_int_equal(blame(scene, 0), 2);
	assert_near(scene->blamed.items[0].part, 0.75);
	assert_near(scene->blamed.items[1].part, 0.2);
}

static void test_hostile_numbers(void **state)
{
	static const double values[] = { -1e300, NAN, INFINITY, 1e300, 0, 1 };
	struct scene *scene = *state;

	ask(scene, 0, 0);
	assert_int_equal(scene->top.len, 0);
	for (size_t i = 0; i < 6 * 6 * 6; i++) {
		scene->users[0].moved = values[i % 6];
		scene->users[1].moved = 1;
		scene->users[1].other = values[i / 6 % 6];
		ask(scene, 2, values[i / 36]);
		assert_true(scene->top.len <= SHARE_TOP + 1);
		for (size_t j = 0; j < scene->top.len; j++)
			assert_true(scene->top.items[j].part > 0);
		assert_true(blame(scene, 0) <= SHARE_TOP);
	}
}

static void test_many_guests(void **state)
{
	struct scene *scene = *state;

	for (size_t i = 0; i < GUESTS; i++)
		scene->users[i].moved = 1;
	ask(scene, GUESTS, GUESTS);
	assert_int_equal(blame(scene, 7), 0);
	scene->users[4000].moved = GUESTS;
	ask(scene, GUESTS, 2 * GUESTS - 1);
	assert_int_equal(blame(scene, 7), 1);
	assert_int_equal(scene->blamed.items[0].user, 4000);
	assert_int_equal(blame(scene, 4000), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_larger_ones_are_blamed),
		TEST(test_host_needs_more_than_an_error),
		TEST(test_local_bytes_are_nobodys_fault),
		TEST(test_dropped_bytes_are_shared),
		TEST(test_hostile_numbers),
		TEST(test_many_guests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
