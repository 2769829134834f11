/* SPDX-License-Identifier: MIT */
#include "parse.h"

#include <string.h>

#include <collector/scan.h>

/* Fields of stat, as proc(5) counts. */
#define PROCESSOR 39
#define EXIT_CODE 52

bool parse_schedstat(const char *text, struct parse_schedstat *out)
{
	uint64_t numbers[3];

	if (mc_scan_row(&text, numbers, 3) != 3)
		return false;
	*out = (struct parse_schedstat){ numbers[0], numbers[1], numbers[2] };
	return true;
}

bool parse_io(const char *text, uint64_t *read, uint64_t *written)
{
	uint64_t bytes;

	if (!mc_scan_key(text, "read_bytes:", &bytes) ||
	    !mc_scan_key(text, "write_bytes:", written))
		return false;
	*read = bytes;
	return true;
}

/* A number of a stat, whose name may have blanks and brackets. */
static bool parse_field(const char *text, unsigned wanted, uint64_t *number)
{
	const char *at = strrchr(text, ')');
	struct mc_word word;

	if (at == NULL)
		return false;
	at++;
	for (unsigned field = 3; field < wanted; field++)
		if (!mc_scan_word(&at, &word))
			return false;
	return mc_scan_u64(&at, number) && mc_scan_at_end(at) && *number <= UINT16_MAX;
}

bool parse_last_cpu(const char *text, unsigned *cpu)
{
	uint64_t number;

	if (!parse_field(text, PROCESSOR, &number))
		return false;
	*cpu = (unsigned)number;
	return true;
}

bool parse_exit_code(const char *text, int *status)
{
	uint64_t number;

	if (!parse_field(text, EXIT_CODE, &number))
		return false;
	*status = (int)number;
	return true;
}

static void allow(uint64_t *words, size_t words_len, uint64_t first, uint64_t last)
{
	for (uint64_t cpu = first; cpu <= last && cpu < 64 * words_len; cpu++)
		words[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

bool parse_allowed(const char *text, uint64_t *words, size_t words_len)
{
	const char *at = strstr(text, "\nCpus_allowed_list:"), *start;
	uint64_t first, last;

	if (at == NULL)
		return false;
	start = at += strlen("\nCpus_allowed_list:");
	do
		if (!mc_scan_range(&at, &first, &last))
			return false;
	while (mc_scan_text(&at, ","));
	if (*at != '\n')
		return false;
	memset(words, 0, words_len * sizeof(*words));
	do {
		mc_scan_range(&start, &first, &last);
		allow(words, words_len, first, last);
	} while (mc_scan_text(&start, ","));
	return true;
}

bool parse_cpu(const char *at, struct parse_cpu *out)
{
	uint64_t number, ticks[8] = { 0 };

	if (strncmp(at, "cpu", 3) != 0)
		return false;
	at += 3;
	if (*at < '0' || *at > '9' || !mc_scan_u64(&at, &number) || number > UINT16_MAX ||
	    mc_scan_row(&at, ticks, 8) < 4)
		return false;
	/* user nice system idle iowait irq softirq steal; guest is in user. */
	*out = (struct parse_cpu){
		.number = (unsigned)number,
		.busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7],
		.idle = ticks[3] + ticks[4],
	};
	return true;
}

bool parse_usage(const char *text, unsigned version, uint64_t *usage)
{
	uint64_t number;

	if (version == 1) {
		if (!mc_scan_u64(&text, &number) || !mc_scan_at_end(text))
			return false;
	} else if (!mc_scan_key(text, "usage_usec", &number) ||
		   __builtin_mul_overflow(number, 1000, &number)) {
		return false;
	}
	*usage = number;
	return true;
}

/* Whether "cpuacct" is in "cpu,cpuacct:/...". */
static bool counts_cpu(const char *at)
{
	size_t size;

	for (;; at += size + 1) {
		size = strcspn(at, ",:\n");
		if (size == 7 && memcmp(at, "cpuacct", 7) == 0)
			return true;
		if (at[size] != ',')
			return false;
	}
}

bool parse_group(const char *text, unsigned version, char *out, size_t size)
{
	const char *at = text;

	do {
		uint64_t hierarchy;
		const char *line = at, *path;
		size_t path_size;

		if (!mc_scan_u64(&line, &hierarchy) || *line++ != ':' ||
		    (version == 1 ? !counts_cpu(line) : hierarchy != 0 || *line != ':'))
			continue;
		path = line + strcspn(line, ":\n");
		path_size = strcspn(path, "\n");
		if (path_size < 2 || path[1] != '/' || path_size - 2 >= size)
			return false;
		memcpy(out, path + 2, path_size - 2);
		out[path_size - 2] = '\0';
		return true;
	} while (mc_scan_line(&at));
	return false;
}

/* A name of a network device, which is part of paths. */
static bool take_device(const char *at, size_t size, char *out, size_t out_size)
{
	if (size == 0 || size >= out_size || at[0] == '.' || memchr(at, '/', size) != NULL)
		return false;
	memcpy(out, at, size);
	out[size] = '\0';
	return true;
}

bool parse_iff(const char *text, char *out, size_t size)
{
	const char *at = text;

	do {
		const char *word = at;
		struct mc_word name;

		if (mc_scan_text(&word, "iff:") && mc_scan_word(&word, &name))
			return take_device(name.text, name.size, out, size);
	} while (mc_scan_line(&at));
	return false;
}

bool parse_net_path(const char *path, char *out, size_t size)
{
	const char *at = strstr(path, "/net/");

	if (at == NULL)
		return false;
	at += strlen("/net/");
	return take_device(at, strcspn(at, "/"), out, size);
}

bool parse_count(const char *text, uint64_t *count)
{
	uint64_t number;

	if (!mc_scan_u64(&text, &number) || !mc_scan_at_end(text))
		return false;
	*count = number;
	return true;
}

bool parse_swapped(const char *text, uint64_t *bytes)
{
	uint64_t kib;

	if (!mc_scan_key(text, "VmSwap:", &kib) || __builtin_mul_overflow(kib, 1024, &kib))
		return false;
	*bytes = kib;
	return true;
}

bool parse_pressure(const char *text, uint64_t *stalled)
{
	const char *end = strchr(text, '\n'), *at = strstr(text, " total=");
	uint64_t number;

	if (!mc_scan_text(&text, "some") || at == NULL || (end != NULL && at > end))
		return false;
	at += strlen(" total=");
	if (!mc_scan_u64(&at, &number) || !mc_scan_at_end(at))
		return false;
	*stalled = number;
	return true;
}

bool parse_group_memory(const char *text, uint64_t *bytes)
{
	uint64_t anonymous, shared;

	if (!mc_scan_key(text, "anon", &anonymous) || !mc_scan_key(text, "shmem", &shared) ||
	    __builtin_add_overflow(anonymous, shared, &anonymous))
		return false;
	*bytes = anonymous;
	return true;
}
