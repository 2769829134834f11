/* SPDX-License-Identifier: MIT */
/* The table of guests: found again, and forgotten when they are gone. */
#include "guests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kit/base/kept_file.h"

#define MANY 10000

static const unsigned char *uuid_of(unsigned number, unsigned char out[VIR_UUID_BUFLEN])
{
	memset(out, 0xbd, VIR_UUID_BUFLEN);
	memcpy(out + VIR_UUID_BUFLEN - sizeof(number), &number, sizeof(number));
	return out;
}

static void many_are_found_and_forgotten(void **state)
{
	struct mc_map guests = { 0 };
	struct mc_kept_files files = { .folder = -1 };
	unsigned char uuid[VIR_UUID_BUFLEN];
	size_t visited = 0;

	(void)state;
	assert_null(guests_find(&guests, uuid_of(1, uuid)));
	assert_null(guests_next(&guests, NULL));
	for (unsigned i = 0; i < MANY; i++) {
		struct guest *guest = guests_get(&guests, uuid_of(i, uuid));

		assert_int_equal(guest->seen, 0);
		guest->seen = 1 + i % 2;
		guest->reason = (int)i;
	}
	assert_int_equal(guests.len, MANY);
	assert_int_equal(guests_find(&guests, uuid_of(4711, uuid))->reason, 4711);
	assert_ptr_equal(guests_get(&guests, uuid), guests_find(&guests, uuid));
	for (struct guest *at = NULL; (at = guests_next(&guests, at)) != NULL;)
		visited++;
	assert_int_equal(visited, MANY);
	guests_sweep(&guests, &files, 2);
	assert_int_equal(guests.len, MANY / 2);
	assert_null(guests_find(&guests, uuid_of(4710, uuid)));
	assert_non_null(guests_find(&guests, uuid_of(4711, uuid)));
	guests_done(&guests, &files);
	assert_null(guests_find(&guests, uuid));
}

static void names_are_copied(void **state)
{
	struct mc_map guests = { 0 };
	struct mc_kept_files files = { .folder = -1 };
	unsigned char uuid[VIR_UUID_BUFLEN];
	struct guest *guest = guests_get(&guests, uuid_of(1, uuid));

	(void)state;
	assert_string_equal(guest->name, "");
	assert_string_equal(guest->instance, "");
	guests_rename(guest, "web", "", "web:1", "i");
	guests_rename(guest, guest->name, "shop", guest->host, "");
	assert_string_equal(guest->name, "web");
	assert_string_equal(guest->metadata, "shop");
	assert_string_equal(guest->host, "web:1");
	assert_string_equal(guest->instance, "");
	guests_done(&guests, &files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_are_found_and_forgotten),
		cmocka_unit_test(names_are_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
