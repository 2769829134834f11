/* SPDX-License-Identifier: MIT */
/* What every unit test includes first: cmocka, behind the headers it needs. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
