/* SPDX-License-Identifier: MIT */
#include "choice.h"

#include <stddef.h>

struct curve *choice_keep(const struct call *call, struct curve *curves,
			  bool (*keeps)(const struct call *, struct curve *))
{
	struct curve **at = &curves;

	while (*at != NULL) {
		struct curve *curve = *at;

		if (keeps(call, curve)) {
			at = &curve->next;
			continue;
		}
		*at = curve->next;
		curve->next = NULL;
		curve_free(curve);
	}
	return curves;
}
