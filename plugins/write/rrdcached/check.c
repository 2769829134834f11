/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

static const mc_time pause = 10 * MC_MILLISECOND; /* Between two files. */
static const mc_time again = 60 * MC_SECOND;      /* For an unfit one. */

void check_add(struct check *check, struct file *file)
{
	if (file->checking)
		return;
	file->checking = true;
	file->next_to_check = NULL;
	if (check->first == NULL)
		check->first = file;
	else
		check->last->next_to_check = file;
	check->last = file;
}

struct file *check_next(struct check *check, mc_time now, mc_time *wake)
{
	struct file *file;

	/* Files that rrdcached made for us, or will make, are right. */
	while ((file = check->first) != NULL && (file->missing || file->made_at > 0)) {
		check->first = file->next_to_check;
		file->checking = false;
	}
	if (file == NULL)
		return NULL;
	if (now < check->next) {
		if (check->next < *wake)
			*wake = check->next;
		return NULL;
	}
	check->next = now + pause;
	check->first = file->next_to_check;
	return file;
}

bool check_is_source(const char *line)
{
	const char *end = strstr(line, "].index ");

	return end != NULL && strncmp(line, "ds[", 3) == 0;
}

/* Of a line "WHAT[NAME].KEY TYPE NUMBER"; 0: it is another one. */
static int64_t number_of(const char *line, const char *what, const char *key)
{
	const char *end = strstr(line, key);
	char *value;

	if (end == NULL || strncmp(line, what, strlen(what)) != 0)
		return 0;
	strtol(end + strlen(key), &value, 10); /* Its type. */
	return strtoll(value, NULL, 10);
}

int64_t check_heartbeat(const char *line)
{
	return number_of(line, "ds[", "].minimal_heartbeat ");
}

uint64_t check_rows(const char *line)
{
	int64_t rows = number_of(line, "rra[", "].rows ");

	return rows > 0 && rows < UINT32_MAX ? (uint64_t)rows : 0;
}

bool check_is_useless(long status, const char *text)
{
	return status < 0 && strncmp(text, "RRD Error: ", 11) == 0 &&
	       strstr(text, "No such file") == NULL;
}

void check_judge(struct file *file, int sources_len, mc_time now)
{
	file->checking = false;
	file->checked_at = now;
	file->unfit = sources_len != (int)file->layout->sources_len;
	file->sources_len = sources_len;
}

void check_find_unfit(struct file *file, mc_time now)
{
	file->checked_at = now;
	file->unfit = true;
	file->sources_len = -1;
}

bool check_is_due(const struct file *file, mc_time now)
{
	return file->unfit && !file->checking && now - file->checked_at > again;
}

void check_reason(const struct file *file, char *out, size_t size)
{
	if (file->sources_len < 0)
		snprintf(out, size, "it is not an RRD file");
	else
		snprintf(out, size, "it has %d data sources, its type has %u", file->sources_len,
			 file->layout->sources_len);
}
