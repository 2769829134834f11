/* SPDX-License-Identifier: MIT */
/* What every unit test includes first: cmocka and the headers it asks for. */
#ifndef COLLECTOR_TESTS_UNIT_H
#define COLLECTOR_TESTS_UNIT_H

/* clang-format off: cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#endif
