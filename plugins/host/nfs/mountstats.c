/* SPDX-License-Identifier: MIT */
#include "mountstats.h"

#include <string.h>

#include <collector/scan.h>

#include "kit/base/mount_point.h"

#define NUMBERS_MAX 16

bool mountstats_begins(const char *line)
{
	return strncmp(line, "device ", 7) == 0 || strncmp(line, "no device ", 10) == 0;
}

/* Whether the kind that follows is NFS, of a form that is known. */
static bool is_nfs(const char *at, bool *is_known)
{
	uint64_t major;
	bool has_version;

	*is_known = true;
	if (!mc_scan_text(&at, "nfs"))
		return false;
	if (*at == '4')
		at++;
	if (!mc_scan_at_end(at)) /* nfsd */
		return false;
	has_version = mc_scan_text(&at, "statvers=") && mc_scan_u64(&at, &major);
	*is_known = has_version && major == 1 && (*at == '.' || mc_scan_at_end(at));
	return *is_known;
}

/* "device server:/x mounted on /mnt with fstype nfs4 statvers=1.1", where a blank of a name is
 * written in octal. */
static bool take_begin(struct mountstats *stats, const char *line)
{
	static const char before[] = " mounted on ", after[] = " with fstype ";
	const char *point = strstr(line, before), *end;
	bool is_known;

	stats->point[0] = '\0';
	if (point == NULL)
		return false;
	point += sizeof(before) - 1;
	end = strstr(point, after);
	if (end == NULL)
		return false;
	if (!is_nfs(end + sizeof(after) - 1, &is_known))
		return is_known;
	if (*point != '/' || (size_t)(end - point) >= sizeof(stats->point))
		return false;
	memset(stats, 0, sizeof(*stats));
	memcpy(stats->point, point, (size_t)(end - point));
	mc_mount_point_unescape(stats->point);
	return true;
}

/* At least 'len_min' numbers, and nothing else. */
static bool take_numbers(const char *at, uint64_t *numbers, size_t len_min)
{
	size_t len = mc_scan_row(&at, numbers, NUMBERS_MAX);

	for (size_t i = 0; i < len; i++)
		if (numbers[i] > INT64_MAX)
			return false;
	/* Of a later kernel there may be more. */
	return len >= len_min && (len == NUMBERS_MAX || *mc_scan_blanks(at) == '\0');
}

static bool take_bytes(struct mountstats *stats, const char *at)
{
	uint64_t numbers[NUMBERS_MAX];

	if (!take_numbers(at, numbers, MOUNTSTATS_BYTES))
		return false;
	memcpy(stats->bytes, numbers, sizeof(stats->bytes));
	stats->has_bytes = true;
	return true;
}

/* Where the figures are among the numbers of a line.  A port is the first of all but "local";
 * datagrams have no connections. */
static bool take_transport(struct mountstats *stats, const char *at)
{
	static const struct {
		const char *name;
		int connects, sent; /* -1: none. */
	} kinds[] = {
		{ "tcp", 2, 5 },   { "tcp-tls", 2, 5 }, { "rdma", 2, 5 },
		{ "local", 1, 4 }, { "udp", -1, 2 },
	};
	struct mountstats_transport *sum = &stats->transport;
	uint64_t numbers[NUMBERS_MAX];
	struct mc_word word;

	if (!mc_scan_word(&at, &word))
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const uint64_t *sent = numbers + kinds[i].sent;

		if (strlen(kinds[i].name) != word.size ||
		    memcmp(kinds[i].name, word.text, word.size) != 0)
			continue;
		if (!take_numbers(at, numbers, (size_t)kinds[i].sent + 5))
			return false;
		sum->connects += kinds[i].connects < 0 ? 0 : numbers[kinds[i].connects];
		sum->sent += sent[0];
		sum->received += sent[1];
		sum->bad_xids += sent[2];
		sum->backlog += sent[4]; /* After a sum that is of no use. */
		stats->has_transport = true;
	}
	return true; /* Or of a later kernel. */
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool copy_name(char out[MOUNTSTATS_NAME_SIZE], const struct mc_word *word)
{
	if (word->size == 0 || word->size >= MOUNTSTATS_NAME_SIZE)
		return false;
	for (size_t i = 0; i < word->size; i++) {
		char c = lower(word->text[i]);

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_')
			return false;
		out[i] = c;
	}
	out[word->size] = '\0';
	return true;
}

/* "READ: 5 5 0 644 2560 0 3 3 0" */
static bool take_operation(struct mountstats *stats, const struct mc_word *name, const char *at)
{
	uint64_t numbers[NUMBERS_MAX] = { 0 };
	struct mountstats_operation *operation;

	if (stats->operations_len == MOUNTSTATS_OPERATIONS_MAX)
		return true;
	operation = &stats->operations[stats->operations_len];
	if (!copy_name(operation->name, name) || !take_numbers(at, numbers, MOUNTSTATS_ERRORS))
		return false;
	memcpy(operation->counts, numbers, sizeof(operation->counts));
	stats->operations_len++;
	return true;
}

static bool is(const struct mc_word *word, const char *text)
{
	return strlen(text) == word->size && memcmp(word->text, text, word->size) == 0;
}

/* Names of operations are in capitals, all others not. */
static bool is_operation(const struct mc_word *word)
{
	return word->size > 1 && word->text[word->size - 1] == ':' && word->text[0] >= 'A' &&
	       word->text[0] <= 'Z';
}

bool mountstats_take(struct mountstats *stats, const char *line)
{
	const char *at = line;
	struct mc_word word;

	if (mountstats_begins(line))
		return take_begin(stats, line);
	if (stats->point[0] == '\0' || !mc_scan_word(&at, &word))
		return true;
	if (is(&word, "bytes:"))
		return take_bytes(stats, at);
	if (is(&word, "xprt:"))
		return take_transport(stats, at);
	if (!is_operation(&word))
		return true;
	word.size--;
	return take_operation(stats, &word, at);
}
