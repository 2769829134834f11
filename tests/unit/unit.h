/* SPDX-License-Identifier: MIT */
/* Included first by every unit test: cmocka, after the headers it needs. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
