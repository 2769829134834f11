/* SPDX-License-Identifier: MIT */
/* The texts of /proc/PID/ as numbers. */
#include "parse.h"

#include <string.h>

#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD. */

/* Numbers as proc(5) counts them, from the one behind the state on. */
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
#define USED                                                                   \
	(BIT(FLAGS) | BIT(MINOR_FAULTS) | BIT(MAJOR_FAULTS) |                  \
	 BIT(USER_TICKS) | BIT(SYSTEM_TICKS) | BIT(THREADS) | BIT(START) |     \
	 BIT(VM) | BIT(RSS) | BIT(STACK))

#define DIGITS_MAX 19 /* Any number of so many digits fits. */

/* One number, behind a single blank; of a negative one 0.  One that is too
 * large is none.  Each process has ten of them at each read. */
static bool take(const char **at, uint64_t *number)
{
	const char *place = *at + 1, *start;
	bool negative = *place == '-';
	uint64_t sum = 0;
	unsigned digit;

	start = place += negative;
	for (; (digit = (unsigned)*place - '0') <= 9; place++)
		sum = sum * 10 + digit;
	if (place == start || place - start > DIGITS_MAX || *place != ' ')
		return false;
	*number = negative ? 0 : sum;
	*at = place;
	return true;
}

/* The numbers behind the state that are used; the others are passed over.  How
 * far the row goes: one that ends at the end of the text has been cut, perhaps
 * within a number. */
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

bool parse_stat(const char *text, struct parse_stat *out)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t fields[FIELDS_LEN] = { 0 };
	unsigned taken;

	if (open == NULL || close == NULL || close < open || close[1] != ' ' ||
	    close[2] < 'A' || close[2] > 'z' || close[3] != ' ')
		return false;
	taken = take_fields(close + 3, fields);
	if (taken <= RSS)
		return false;
	*out = (struct parse_stat){
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

struct key { /* A line "NAME number UNIT". */
	const char *name;
	const char *unit; /* "" for none; with the end of the line. */
	uint64_t scale;
};

/* Fills numbers[] from the lines that have a key: a bit for each that was
 * there.  False if one of those lines is not understood. */
static bool take_keys(const char *text, const struct key *keys, unsigned len,
		      uint64_t *numbers, unsigned *found)
{
	*found = 0;
	do {
		for (unsigned i = 0; i < len; i++) {
			const char *at = text;
			uint64_t *number = &numbers[i];

			/* Most lines have none: no call for them. */
			if (at[0] != keys[i].name[0] ||
			    !mc_scan_text(&at, keys[i].name))
				continue;
			if (!mc_scan_u64(&at, number) ||
			    strncmp(at, keys[i].unit, strlen(keys[i].unit)) !=
				    0 ||
			    *number == UINT64_MAX ||
			    __builtin_mul_overflow(*number, keys[i].scale,
						   number))
				return false;
			*found |= 1U << i;
			break;
		}
	} while (*found != (1U << len) - 1 && mc_scan_line(&text));
	return true;
}

bool parse_status(const char *text, struct parse_status *out)
{
	static const struct key keys[] = {
		{ "VmData:", " kB\n", 1024 },
		{ "VmStk:", " kB\n", 1024 },
		{ "VmExe:", " kB\n", 1024 },
		{ "VmLib:", " kB\n", 1024 },
	};
	uint64_t numbers[4] = { 0 };
	unsigned found;

	/* Those who have memory have all four. */
	if (!take_keys(text, keys, 4, numbers, &found) ||
	    (found != 0 && found != 0xf))
		return false;
	*out = (struct parse_status){ .memory = found != 0,
				      .data = numbers[0],
				      .stack = numbers[1],
				      .code = numbers[2],
				      .libraries = numbers[3] };
	return true;
}

bool parse_switches(const char *text, struct parse_switches *out)
{
	static const struct key keys[] = {
		{ "voluntary_ctxt_switches:", "\n", 1 },
		{ "nonvoluntary_ctxt_switches:", "\n", 1 },
	};
	uint64_t numbers[2];
	unsigned found;

	if (!take_keys(text, keys, 2, numbers, &found) || found != 0x3)
		return false;
	*out = (struct parse_switches){ numbers[0], numbers[1] };
	return true;
}

bool parse_io(const char *text, struct parse_io *out)
{
	static const struct key keys[] = {
		{ "rchar:", "\n", 1 },      { "wchar:", "\n", 1 },
		{ "syscr:", "\n", 1 },      { "syscw:", "\n", 1 },
		{ "read_bytes:", "\n", 1 }, { "write_bytes:", "\n", 1 },
	};
	uint64_t numbers[6];
	unsigned found;

	if (!take_keys(text, keys, 6, numbers, &found) || found != 0x3f)
		return false;
	*out = (struct parse_io){ numbers[0], numbers[1], numbers[2],
				  numbers[3], numbers[4], numbers[5] };
	return true;
}
