/* SPDX-License-Identifier: MIT */
#include "kit/base/process_stat.h"

#include <string.h>

#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD. */

/* Numbers as proc(5) counts them, from the one after the state on. */
enum {
	FIRST = 4,
	FLAGS = 9,
	MINOR_FAULTS = 10,
	MAJOR_FAULTS = 12,
	USER_TICKS = 14,
	SYSTEM_TICKS = 15,
	THREADS = 20,
	START = 22,
	VM = 23,
	RSS = 24,
	STACK = 28,
	FIELDS_LEN
};

#define BIT(field) (1U << (field))
#define USED                                                                                       \
	(BIT(FLAGS) | BIT(MINOR_FAULTS) | BIT(MAJOR_FAULTS) | BIT(USER_TICKS) |                    \
	 BIT(SYSTEM_TICKS) | BIT(THREADS) | BIT(START) | BIT(VM) | BIT(RSS) | BIT(STACK))

#define DIGITS_MAX 19 /* Any number with that many digits fits. */

/* One number, after a single blank; 0 for a negative one.  One that is too large is invalid.  Each
 * process has ten of them at each read. */
static bool take(const char **at, uint64_t *number)
{
	const char *next = *at + 1, *start;
	bool negative = *next == '-';
	uint64_t sum = 0;
	unsigned digit;

	start = next += negative;
	for (; (digit = (unsigned)*next - '0') <= 9; next++)
		sum = sum * 10 + digit;
	if (next == start || next - start > DIGITS_MAX || *next != ' ')
		return false;
	*number = negative ? 0 : sum;
	*at = next;
	return true;
}

/* The used numbers after the state; the others are skipped.  How far the row goes: one that ends
 * at the end of the text has been cut, perhaps within a number. */
static unsigned take_fields(const char *at, uint64_t fields[FIELDS_LEN])
{
	unsigned taken;

	for (taken = FIRST; taken < FIELDS_LEN && *at == ' '; taken++) {
		if (USED >> taken & 1) {
			if (!take(&at, &fields[taken]))
				return taken;
			continue;
		}
		do
			at++;
		while (*at > ' ');
	}
	return *at == ' ' ? taken : taken - 1;
}

bool mc_process_stat(const char *text, struct mc_process_stat *out)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t fields[FIELDS_LEN] = { 0 };
	unsigned taken;

	if (open == NULL || close == NULL || close < open || close[1] != ' ' || close[2] < 'A' ||
	    close[2] > 'z' || close[3] != ' ')
		return false;
	taken = take_fields(close + 3, fields);
	if (taken <= RSS)
		return false;
	*out = (struct mc_process_stat){
		.name = { open + 1, (size_t)(close - open - 1) },
		.state = close[2],
		.kernel = (fields[FLAGS] & KERNEL_THREAD) != 0,
		.minor_faults = fields[MINOR_FAULTS],
		.major_faults = fields[MAJOR_FAULTS],
		.user_ticks = fields[USER_TICKS],
		.system_ticks = fields[SYSTEM_TICKS],
		.threads = fields[THREADS],
		.start = fields[START],
		.vm = fields[VM],
		.rss = fields[RSS],
		.stack = taken > STACK ? fields[STACK] : 0,
	};
	return true;
}
