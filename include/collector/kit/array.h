/* SPDX-License-Identifier: MIT */
/* collector/kit/array.h - arrays that grow, in the plugin itself: three members of a struct
 * are one, the elements, how many there are, and for how many there is room. */
#pragma once

#include <collector/kit/alloc.h>

/* Makes room for one element more, which the caller adds.  All zero is an empty array; the
 * elements are freed with free().  The arguments are lvalues without side effects. */
#define MC_ARRAY_GROW(elements, len, room)                                                         \
	do {                                                                                       \
		if ((len) == (room)) {                                                             \
			(room) = (room) > 0 ? 2 * (room) : 16;                                     \
			(elements) = mc_alloc_resize((elements), (room), sizeof(*(elements)));     \
		}                                                                                  \
	} while (0)
