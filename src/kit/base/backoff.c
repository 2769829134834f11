/* SPDX-License-Identifier: MIT */
#include <collector/kit/backoff.h>

#include <sys/random.h>

#define FIRST (500 * MC_MILLISECOND)
#define AT_LEAST_MAX (3600 * MC_SECOND)

/* xorshift64: to keep a thousand clients apart, not to keep secrets. */
static uint64_t next_random(struct mc_backoff *backoff)
{
	uint64_t random = backoff->random;

	/* It does not fail for so few bytes, once the system has started. */
	if (random == 0 && getrandom(&random, sizeof(random), 0) < 0)
		random = (uintptr_t)backoff;
	random |= random == 0;
	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	backoff->random = random;
	return random;
}

void mc_backoff_failed(struct mc_backoff *backoff, mc_time now, mc_time at_least)
{
	mc_time most = FIRST;

	for (unsigned i = 0; i < backoff->failures && most < backoff->longest; i++)
		most *= 2;
	if (most > backoff->longest)
		most = backoff->longest;
	if (most < 1)
		most = 1;
	backoff->failures++;
	backoff->until = now + (mc_time)(next_random(backoff) % (uint64_t)most);
	if (at_least > AT_LEAST_MAX)
		at_least = AT_LEAST_MAX;
	if (at_least > 0 && backoff->until < now + at_least)
		backoff->until += at_least;
}

void mc_backoff_done(struct mc_backoff *backoff)
{
	backoff->failures = 0;
	backoff->until = 0;
}
