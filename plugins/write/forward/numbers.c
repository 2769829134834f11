/* SPDX-License-Identifier: MIT */
#include "numbers.h"

#include <collector/journal.h>

#include "formats/otlp/otlp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

int numbers_start(struct numbers *numbers)
{
	uint64_t random[3];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -errno;
	numbers->own.first = numbers->own.last = 1;
	snprintf(numbers->own.stream, sizeof(numbers->own.stream),
		 "%016" PRIx64 "%016" PRIx64 "/%016" PRIx64, random[0], random[1], random[2]);
	return 0;
}

static void count(struct numbers *numbers)
{
	if (numbers->doubtful) {
		numbers->own.first++;
		numbers->own.last++;
	}
	numbers->doubtful = false;
}

/* A number is used again only for the same bytes: the receiver may have them,
 * and would take others for them. */
static struct number of_request(struct numbers *numbers, uint32_t crc)
{
	if (numbers->doubtful && numbers->last_crc != crc)
		count(numbers);
	numbers->doubtful = true;
	numbers->last_crc = crc;
	return numbers->own;
}

/* Two instances may send the same journal to the same receiver. */
static struct number of_records(const struct numbers_request *request)
{
	const struct mc_records *records = &request->records;
	struct number number = { .first = records->first, .last = records->last };

	snprintf(number.stream, sizeof(number.stream), "%016" PRIx64 "%08" PRIx32 "/journal",
		 records->epoch, mc_otlp_crc(request->instance, strlen(request->instance)));
	return number;
}

static uint64_t gap(struct numbers *numbers, uint64_t missed)
{
	if (!numbers->telling)
		numbers->missed = missed;
	numbers->telling = true;
	return numbers->missed - numbers->reported;
}

struct number numbers_next(struct numbers *numbers, const struct numbers_request *request)
{
	struct number number = { .last = 0 };

	numbers->says_gap = false;
	if (numbers->wanted && request->records.last > 0 && !request->last)
		return number;
	numbers->says_gap = true;
	if (numbers->wanted && request->records.last > 0)
		number = of_records(request);
	else if (numbers->wanted)
		number = of_request(numbers, request->crc);
	number.gap = gap(numbers, request->missed);
	return number;
}

void numbers_done(struct numbers *numbers, bool taken)
{
	count(numbers);
	if (!numbers->says_gap)
		return; /* One that does may have been taken before. */
	if (taken)
		numbers->reported = numbers->missed;
	numbers->telling = false;
}
