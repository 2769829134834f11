/* SPDX-License-Identifier: MIT */
/* What every unit test includes first: cmocka, behind the headers it needs. */
#ifndef COLLECTOR_TESTS_UNIT_H
#define COLLECTOR_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
