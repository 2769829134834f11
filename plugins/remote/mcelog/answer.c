/* SPDX-License-Identifier: MIT */
/* Facts: mcelog(8), and memdb.c of mcelog, which prints them. */
#include "answer.h"

#include <stdio.h>
#include <string.h>

#include <collector/kit/number.h>

void answer_begin(struct answer_module *module)
{
	*module = (struct answer_module){
		.corrected = { .total = -1, .recent = -1 },
		.uncorrected = { .total = -1, .recent = -1 },
	};
}

/* Blanks become '_', as collectd has them in names. */
static void add_name(struct answer_module *module, const char *text, size_t size)
{
	size_t used = strlen(module->name);
	char *at = module->name + used;

	snprintf(at, sizeof(module->name) - used, "%s%.*s", used > 0 ? "_" : "", (int)size, text);
	for (; *at != '\0'; at++)
		if (*at == ' ')
			*at = '_';
}

/* A line DMI_NAME "DIMM_F1" DMI_LOCATION "NODE 1". */
static void take_bios(struct answer_module *module, const char *line)
{
	const char *name = strchr(line, '"');
	size_t size = name != NULL ? strcspn(name + 1, "\"") : 0;

	if (size > 0 && size < ANSWER_NAME_SIZE && module->name[0] != '\0')
		add_name(module, name + 1, size);
}

/* A line "\t5 total" or "\t2 in 24h". */
static bool take_count(struct answer_errors *errors, const char *line)
{
	const char *at = line + 1;
	uint64_t count;

	if (!mc_number_take(&at, 10, &count) || count > INT64_MAX)
		return false;
	if (strcmp(at, " total") == 0) {
		errors->total = (int64_t)count;
		return true;
	}
	if (strncmp(at, " in ", 4) != 0 || at[4] == '\0' || strlen(at + 4) >= ANSWER_NAME_SIZE)
		return false;
	errors->recent = (int64_t)count;
	memcpy(errors->period, at + 4, strlen(at + 4) + 1);
	return true;
}

enum answer_line answer_read(struct answer_module *module, const char *line)
{
	if (strcmp(line, "done") == 0)
		return ANSWER_DONE;
	if (line[0] == '\0')
		return module->name[0] != '\0' ? ANSWER_MODULE : ANSWER_PART;
	if (strncmp(line, "SOCKET ", 7) == 0 && strlen(line) < ANSWER_NAME_SIZE) {
		answer_begin(module);
		add_name(module, line, strlen(line));
	} else if (strncmp(line, "DMI_", 4) == 0) {
		if (strncmp(line, "DMI_NAME ", 9) == 0)
			take_bios(module, line);
	} else if (strcmp(line, "corrected memory errors:") == 0) {
		module->section = &module->corrected;
	} else if (strcmp(line, "uncorrected memory errors:") == 0) {
		module->section = &module->uncorrected;
	} else if (line[0] == '\t' && module->section != NULL) {
		return take_count(module->section, line) ? ANSWER_PART : ANSWER_BAD;
	} else if (strcmp(line, "Memory errors") != 0) {
		return ANSWER_BAD;
	}
	return ANSWER_PART;
}
