/* SPDX-License-Identifier: MIT */
#include "parse.h"

#include <string.h>

#include <collector/scan.h>

/* The number of a line "KEY NUMBER", which must end. */
static bool take_key(const char *text, const char *key, uint64_t *number)
{
	size_t size = strlen(key);

	for (const char *at = text; (at = strstr(at, key)) != NULL; at++) {
		const char *behind = at + size;

		if ((at == text || at[-1] == '\n') && *behind == ' ')
			return mc_scan_u64(&behind, number) && *behind == '\n' &&
			       *number <= INT64_MAX;
	}
	return false;
}

bool parse_cpu(const char *text, struct parse_cpu *out)
{
	struct parse_cpu cpu = { 0 };
	uint64_t periods;

	if (!take_key(text, "user_usec", &cpu.user) || !take_key(text, "system_usec", &cpu.system))
		return false;
	if (take_key(text, "nr_periods", &periods) && periods > 0) {
		cpu.is_limited = true;
		if (!take_key(text, "nr_throttled", &cpu.throttled_len) ||
		    !take_key(text, "throttled_usec", &cpu.throttled))
			return false;
	}
	*out = cpu;
	return true;
}

bool parse_cpuacct(const char *text, struct parse_cpuacct *out)
{
	struct parse_cpuacct cpu;

	if (!take_key(text, "user", &cpu.user) || !take_key(text, "system", &cpu.system))
		return false;
	*out = cpu;
	return true;
}

bool parse_events(const char *text, struct parse_events *out)
{
	struct parse_events events;

	if (!take_key(text, "high", &events.high) || !take_key(text, "max", &events.max) ||
	    !take_key(text, "oom", &events.oom) || !take_key(text, "oom_kill", &events.oom_kill))
		return false;
	*out = events;
	return true;
}

bool parse_limit(const char *text, uint64_t *number, bool *is_limit)
{
	uint64_t found;

	if (strcmp(text, "max\n") == 0) {
		*is_limit = false;
		return true;
	}
	if (!mc_scan_u64(&text, &found) || *text != '\n' || found > INT64_MAX)
		return false;
	*number = found;
	*is_limit = true;
	return true;
}

bool parse_device(const char *at, struct parse_device *out, bool *has_numbers)
{
	static const char *const names[] = { "rbytes=", "wbytes=", "rios=", "wios=" };
	uint64_t major, minor, numbers[4] = { 0 };
	unsigned found = 0;
	struct mc_word word;

	if (!mc_scan_u64(&at, &major) || !mc_scan_text(&at, ":") || !mc_scan_u64(&at, &minor) ||
	    major > UINT32_MAX || minor > UINT32_MAX || !mc_scan_at_end(at))
		return false;
	while (mc_scan_word(&at, &word))
		for (unsigned i = 0; i < 4; i++) {
			const char *next = word.text;

			if (!mc_scan_text(&next, names[i]))
				continue;
			if (!mc_scan_u64(&next, &numbers[i]) || !mc_scan_at_end(next) ||
			    numbers[i] > INT64_MAX)
				return false;
			found |= 1U << i;
		}
	if (strchr(at, '\n') == NULL || (found != 0 && found != 0xf))
		return false;
	*has_numbers = found != 0;
	*out = (struct parse_device){ (unsigned)major, (unsigned)minor, numbers[0],
				      numbers[1],      numbers[2],      numbers[3] };
	return true;
}

static bool is_word(struct mc_word word, const char *text)
{
	return word.size == strlen(text) && memcmp(word.text, text, word.size) == 0;
}

/* Whether one of the options, with ',' between them, is that one. */
static bool has_option(struct mc_word options, const char *option)
{
	const char *at = options.text, *end = at + options.size;

	while (at < end) {
		size_t size = strcspn(at, ", \t\n");

		if (is_word((struct mc_word){ at, size }, option))
			return true;
		at += size + 1;
	}
	return false;
}

bool parse_mounts(const char *text, char *path, size_t size, unsigned *version)
{
	struct mc_word found = { NULL, 0 };
	unsigned of = 0;

	do {
		const char *at = text;
		struct mc_word device, where, type, options;
		bool is_first;

		if (!mc_scan_word(&at, &device) || !mc_scan_word(&at, &where) ||
		    !mc_scan_word(&at, &type) || !mc_scan_word(&at, &options))
			continue;
		is_first = is_word(type, "cgroup") && has_option(options, "cpuacct");
		if (!is_first && (of != 0 || !is_word(type, "cgroup2")))
			continue;
		found = where;
		of = is_first ? 1 : 2;
	} while (of != 1 && mc_scan_line(&text));
	if (of == 0 || found.size >= size)
		return false;
	memcpy(path, found.text, found.size);
	path[found.size] = '\0';
	*version = of;
	return true;
}
