/* SPDX-License-Identifier: MIT */
/* The texts of /proc/PID/ as numbers. */
#include "parse.h"

#include <string.h>

struct key { /* A line "NAME number UNIT". */
	const char *name;
	const char *unit; /* "" for none; with the end of the line. */
	uint64_t scale;
};

/* Fills numbers[] from the lines that have a key: a bit for each that was
 * there.  False if one of those lines is not understood. */
static bool take_keys(const char *text, const struct key *keys, unsigned len, uint64_t *numbers,
		      unsigned *found)
{
	*found = 0;
	do {
		for (unsigned i = 0; i < len; i++) {
			const char *at = text;
			uint64_t *number = &numbers[i];

			/* Most lines have none: no call for them. */
			if (at[0] != keys[i].name[0] || !mc_scan_text(&at, keys[i].name))
				continue;
			if (!mc_scan_u64(&at, number) ||
			    strncmp(at, keys[i].unit, strlen(keys[i].unit)) != 0 ||
			    *number == UINT64_MAX ||
			    __builtin_mul_overflow(*number, keys[i].scale, number))
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
	if (!take_keys(text, keys, 4, numbers, &found) || (found != 0 && found != 0xf))
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
		{ "rchar:", "\n", 1 }, { "wchar:", "\n", 1 },      { "syscr:", "\n", 1 },
		{ "syscw:", "\n", 1 }, { "read_bytes:", "\n", 1 }, { "write_bytes:", "\n", 1 },
	};
	uint64_t numbers[6];
	unsigned found;

	if (!take_keys(text, keys, 6, numbers, &found) || found != 0x3f)
		return false;
	*out = (struct parse_io){ numbers[0], numbers[1], numbers[2],
				  numbers[3], numbers[4], numbers[5] };
	return true;
}

bool parse_cgroup(const char *text, struct mc_word *path)
{
	do {
		const char *at = text, *end;

		if (!mc_scan_text(&at, "0::/"))
			continue;
		end = strchr(at, '\n');
		if (end == NULL)
			return false;
		*path = (struct mc_word){ at - 1, (size_t)(end - at) + 1 };
		return true;
	} while (mc_scan_line(&text));
	return false;
}

bool parse_resident(const char *text, uint64_t *pages)
{
	uint64_t all, resident;

	if (!mc_scan_u64(&text, &all) || *text != ' ' || !mc_scan_u64(&text, &resident) ||
	    *text != ' ' || resident >= UINT64_MAX / 65536)
		return false;
	*pages = resident;
	return true;
}
