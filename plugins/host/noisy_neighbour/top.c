/* SPDX-License-Identifier: MIT */
#include "top.h"

void top_add(struct top *top, size_t max, size_t user, double part)
{
	size_t at = top->len;

	if (!(part > 0))
		return;
	while (at > 0 && top->items[at - 1].part < part) {
		if (at < max)
			top->items[at] = top->items[at - 1];
		at--;
	}
	if (at == max)
		return;
	top->items[at] = (struct top_one){ user, part };
	if (top->len < max)
		top->len++;
}
