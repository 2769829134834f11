/* SPDX-License-Identifier: MIT */
#include "numbers.h"

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
		 "%016" PRIx64 "%016" PRIx64 "/%016" PRIx64, random[0],
		 random[1], random[2]);
	return 0;
}

/* A number is used again only for the same bytes: the receiver may have them,
 * and would take others for them. */
static struct post_number count(struct numbers *numbers, uint32_t crc)
{
	if (numbers->doubtful && numbers->last_crc != crc)
		numbers_done(numbers);
	numbers->doubtful = true;
	numbers->last_crc = crc;
	return numbers->own;
}

/* Two instances may send the same journal to the same receiver. */
static struct post_number of_records(const char *instance,
				     const struct mc_records *records)
{
	struct post_number number = { .first = records->first,
				      .last = records->last };

	snprintf(number.stream, sizeof(number.stream),
		 "%016" PRIx64 "%08" PRIx32 "/journal", records->epoch,
		 mc_otlp_crc(instance, strlen(instance)));
	return number;
}

struct post_number numbers_next(struct numbers *numbers, const char *instance,
				const struct mc_records *records, bool last,
				uint32_t crc)
{
	if (!numbers->wanted || (records->last > 0 && !last))
		return (struct post_number){ .last = 0 };
	return records->last > 0 ? of_records(instance, records)
				 : count(numbers, crc);
}

void numbers_done(struct numbers *numbers)
{
	if (numbers->doubtful) {
		numbers->own.first++;
		numbers->own.last++;
	}
	numbers->doubtful = false;
}
