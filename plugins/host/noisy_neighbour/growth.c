/* SPDX-License-Identifier: MIT */
#include "growth.h"

#include <string.h>

void growth_step(struct growth *growth, uint64_t bytes, bool is_new)
{
	if (growth->steps_len == 0 && is_new)
		growth->steps_len = 1; /* Of 0 bytes. */
	memmove(&growth->steps[1], growth->steps, (GROWTH_STEPS - 1) * sizeof(*growth->steps));
	growth->steps[0] = growth->now = bytes;
	if (growth->steps_len < GROWTH_STEPS)
		growth->steps_len++;
}

uint64_t growth_of(const struct growth *growth)
{
	uint64_t before = growth->steps_len > 0 ? growth->steps[growth->steps_len - 1] : 0;

	return growth->steps_len > 0 && growth->now > before ? growth->now - before : 0;
}

void growth_blame(const uint64_t *grown, size_t len, size_t victim, double wait, struct top *out)
{
	double sum = 0;

	*out = (struct top){ 0 };
	for (size_t i = 0; i < len; i++)
		sum += (double)grown[i];
	for (size_t i = 0; i < len; i++)
		if (i != victim && grown[i] >= GROWTH_MIN)
			top_add(out, GROWTH_TOP, i, wait * (double)grown[i] / sum);
}
