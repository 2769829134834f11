/* SPDX-License-Identifier: MIT */
/* names: words of options, and names made by them.  A host of several parts has
 * a colon between them, and 127 bytes at most, as in collectd 5.12. */
#include "names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t\r\n"

/* Calls 'take' for each word until it returns false, with the word that it did
 * not take left in 'unknown'. */
static bool each_word(struct mc_strings words, bool (*take)(void *argument, const char *word),
		      void *argument, char *unknown, size_t unknown_size)
{
	for (size_t i = 0; i < words.len; i++) {
		const char *at = words.items[i];

		while (*(at += strspn(at, BLANKS)) != '\0') {
			size_t size = strcspn(at, BLANKS);

			snprintf(unknown, unknown_size, "%.*s", (int)size, at);
			if (!take(argument, unknown))
				return false;
			at += size;
		}
	}
	return true;
}

/* --- Formats -------------------------------------------------------------- */

struct parsing {
	struct names_format format;
	bool host, full;
};

static bool take_part(void *argument, const char *word)
{
	static const struct {
		const char *word;
		enum names_part part;
	} parts[] = {
		{ "name", NAMES_NAME },         { "uuid", NAMES_UUID },
		{ "metadata", NAMES_METADATA }, { "hostname", NAMES_HOSTNAME },
		{ "none", NAMES_NONE },
	};
	struct parsing *parsing = argument;
	struct names_format *format = &parsing->format;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strcasecmp(parts[i].word, word) != 0)
			continue;
		if (parts[i].part == (parsing->host ? NAMES_NONE : NAMES_HOSTNAME))
			return false;
		if (parts[i].part == NAMES_NONE)
			return true;
		parsing->full = format->len == NAMES_PARTS_MAX;
		if (parsing->full)
			return false;
		format->parts[format->len++] = parts[i].part;
		return true;
	}
	return false;
}

bool names_parse(struct names_format *format, struct mc_strings words, bool host, char *unknown,
		 size_t unknown_size)
{
	struct parsing parsing = { .host = host };

	if (!each_word(words, take_part, &parsing, unknown, unknown_size)) {
		if (parsing.full)
			unknown[0] = '\0';
		return false;
	}
	*format = parsing.format;
	return true;
}

void names_clean(const char *name, char *out, size_t size)
{
	snprintf(out, size, "%s", name);
	for (char *at = out; *at != '\0'; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '_';
}

void names_join(const struct names_format *format, const struct names_guest *guest,
		char out[NAMES_SIZE])
{
	char text[NAMES_SIZE];
	size_t size = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < format->len; i++) {
		const char *part = NULL;
		int written;

		switch (format->parts[i]) {
		case NAMES_NONE:
			break;
		case NAMES_HOSTNAME:
			part = guest->hostname;
			break;
		case NAMES_NAME:
			part = guest->name;
			break;
		case NAMES_UUID:
			part = guest->uuid;
			break;
		case NAMES_METADATA:
			part = guest->metadata;
			break;
		}
		written = snprintf(text + size, sizeof(text) - size, "%s%s", i > 0 ? ":" : "",
				   part != NULL ? part : "");
		size += (size_t)written;
		if (size >= sizeof(text))
			break;
	}
	names_clean(text, out, NAMES_SIZE);
}

/* --- ExtraStats ----------------------------------------------------------- */

static const struct {
	const char *word;
	unsigned bit;
} extras[] = {
	{ "disk", EXTRA_DISK },
	{ "pcpu", EXTRA_PCPU },
	{ "cpu_util", EXTRA_CPU_UTIL },
	{ "domain_state", EXTRA_DOMAIN_STATE },
	{ "perf", EXTRA_PERF },
	{ "vcpu", EXTRA_VCPU },
	{ "vcpupin", EXTRA_VCPUPIN },
	{ "memory", EXTRA_MEMORY },
	{ "disk_err", EXTRA_DISK_ERR },
	{ "fs_info", EXTRA_FS_INFO },
	{ "job_stats_completed", EXTRA_JOB_COMPLETED },
	{ "job_stats_background", EXTRA_JOB_BACKGROUND },
	{ "disk_allocation", EXTRA_DISK_ALLOCATION },
	{ "disk_capacity", EXTRA_DISK_CAPACITY },
	{ "disk_physical", EXTRA_DISK_PHYSICAL },
	{ "vcpu_delay", EXTRA_VCPU_DELAY },
	{ "iothread", EXTRA_IOTHREAD },
	{ "memory_bandwidth", EXTRA_BANDWIDTH },
	{ "dirtyrate", EXTRA_DIRTYRATE },
	{ "responsive", EXTRA_RESPONSIVE },
	{ "disk_latency", EXTRA_DISK_LATENCY },
	{ "limits", EXTRA_LIMITS },
};

static bool take_extra(void *argument, const char *word)
{
	for (size_t i = 0; i < sizeof(extras) / sizeof(extras[0]); i++)
		if (strcasecmp(extras[i].word, word) == 0) {
			*(unsigned *)argument |= extras[i].bit;
			return true;
		}
	return false;
}

bool names_parse_extra(struct mc_strings words, unsigned *extra, char *unknown, size_t unknown_size)
{
	unsigned bits = 0;

	if (!each_word(words, take_extra, &bits, unknown, unknown_size))
		return false;
	*extra = bits;
	return true;
}

const char *names_extra_list(char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < sizeof(extras) / sizeof(extras[0]); i++) {
		int written =
			snprintf(out + used, size - used, "%s%s", i > 0 ? " " : "", extras[i].word);

		used += (size_t)written;
		if (used >= size)
			break;
	}
	return out;
}
