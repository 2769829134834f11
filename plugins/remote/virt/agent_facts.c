/* SPDX-License-Identifier: MIT */
/* agent_facts: names of parameters are in libvirt-domain.c, virDomainGetGuestInfo(). */
#include "agent_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

#include "names.h"

void agent_facts_name(const char *point, char out[AGENT_NAME_SIZE])
{
	size_t size;

	if (strcmp(point, "/") == 0)
		point = "root";
	else if (point[0] == '/')
		point++;
	snprintf(out, AGENT_NAME_SIZE, "%s", point);
	for (size = strlen(out); size > 1 && strchr(":\\", out[size - 1]) != NULL; size--)
		out[size - 1] = '\0'; /* Of Windows. */
	for (char *at = out; *at != '\0'; at++)
		if (*at == '/' || *at == '\\')
			*at = '-';
}

void agent_facts_init(struct agent_facts *facts)
{
	*facts = (struct agent_facts){ .load = { NAN, NAN, NAN } };
}

/* --- Parameters --------------------------------------------------------------- */

static bool number_of(const virTypedParameter *param, uint64_t *number)
{
	if (param->type == VIR_TYPED_PARAM_ULLONG)
		*number = param->value.ul;
	else if (param->type == VIR_TYPED_PARAM_UINT)
		*number = param->value.ui;
	else
		return false;
	return true;
}

static void take_text(const virTypedParameter *param, char *out, size_t size)
{
	if (param->type == VIR_TYPED_PARAM_STRING && param->value.s != NULL)
		names_clean(param->value.s, out, size);
}

/* If 'field' is 'prefix', a number and a dot, what follows that; else NULL. */
static const char *after_index(const char *field, const char *prefix, size_t *index)
{
	size_t size = strlen(prefix);
	char digits[8];
	const char *dot;
	uint64_t number;

	if (strncmp(field, prefix, size) != 0)
		return NULL;
	field += size;
	dot = strchr(field, '.');
	if (dot == NULL || (size_t)(dot - field) >= sizeof(digits))
		return NULL;
	snprintf(digits, sizeof(digits), "%.*s", (int)(dot - field), field);
	if (!mc_number_unsigned(digits, 10, SIZE_MAX, &number))
		return NULL;
	*index = (size_t)number;
	return dot + 1;
}

static struct agent_file_system *file_system_at(struct agent_facts *facts, size_t index)
{
	if (index >= AGENT_FILE_SYSTEMS_MAX) {
		if (facts->left_out < index + 1 - AGENT_FILE_SYSTEMS_MAX)
			facts->left_out = index + 1 - AGENT_FILE_SYSTEMS_MAX;
		return NULL;
	}
	if (facts->file_systems == NULL)
		facts->file_systems =
			mc_alloc_zero(AGENT_FILE_SYSTEMS_MAX * sizeof(*facts->file_systems));
	if (index >= facts->file_systems_len)
		facts->file_systems_len = index + 1;
	return &facts->file_systems[index];
}

static void take_file_system(struct agent_file_system *at, const char *what,
			     const virTypedParameter *param)
{
	uint64_t number;

	if (strcmp(what, "mountpoint") == 0)
		take_text(param, at->point, sizeof(at->point));
	else if (strcmp(what, "name") == 0)
		take_text(param, at->device, sizeof(at->device));
	else if (strcmp(what, "fstype") == 0)
		take_text(param, at->type, sizeof(at->type));
	else if (strcmp(what, "disk.0.alias") == 0)
		take_text(param, at->disk, sizeof(at->disk));
	else if (!number_of(param, &number))
		return;
	else if (strcmp(what, "total-bytes") == 0)
		at->total = number;
	else if (strcmp(what, "used-bytes") == 0)
		at->used = number;
	else if (strcmp(what, "disk.count") == 0)
		at->disks = number < AGENT_FILE_SYSTEMS_MAX ? (unsigned)number : 0;
}

/* --- Addresses ------------------------------------------------------------------ */

static bool is_address(const char *text)
{
	return text[0] != '\0' && strlen(text) < 64 &&
	       text[strspn(text, "0123456789abcdefABCDEF.:")] == '\0';
}

/* Whether others can reach the guest by it. */
static bool is_reachable(const char *address)
{
	return strncmp(address, "127.", 4) != 0 && strcmp(address, "::1") != 0 &&
	       strncasecmp(address, "fe80:", 5) != 0;
}

static void take_address(struct agent_facts *facts, const virTypedParameter *param)
{
	size_t used = strlen(facts->addresses);
	const char *address = param->value.s;

	if (param->type != VIR_TYPED_PARAM_STRING || address == NULL || !is_address(address) ||
	    !is_reachable(address) || used + strlen(address) + 2 > sizeof(facts->addresses))
		return;
	snprintf(facts->addresses + used, sizeof(facts->addresses) - used, "%s%s",
		 used > 0 ? " " : "", address);
}

static void take_interface(struct agent_facts *facts, const char *what,
			   const virTypedParameter *param)
{
	size_t index;
	const char *rest = after_index(what, "addr.", &index);

	if (rest != NULL && strcmp(rest, "addr") == 0)
		take_address(facts, param);
}

/* --- All ------------------------------------------------------------------------- */

static void take_load(struct agent_facts *facts, const char *what, const virTypedParameter *param)
{
	static const char *const spans[] = { "1m", "5m", "15m" };

	for (size_t i = 0; i < 3; i++)
		if (strcmp(what, spans[i]) == 0 && param->type == VIR_TYPED_PARAM_DOUBLE &&
		    param->value.d >= 0)
			facts->load[i] = param->value.d;
}

static void take(struct agent_facts *facts, const char *field, const virTypedParameter *param)
{
	struct agent_file_system *file_system;
	const char *rest;
	uint64_t number;
	size_t index;

	if ((rest = after_index(field, "fs.", &index)) != NULL) {
		file_system = file_system_at(facts, index);
		if (file_system != NULL)
			take_file_system(file_system, rest, param);
	} else if ((rest = after_index(field, "if.", &index)) != NULL) {
		take_interface(facts, rest, param);
	} else if (strncmp(field, "load.", 5) == 0) {
		take_load(facts, field + 5, param);
	} else if (strcmp(field, "hostname") == 0) {
		take_text(param, facts->hostname, sizeof(facts->hostname));
	} else if (strcmp(field, "os.pretty-name") == 0) {
		take_text(param, facts->os, sizeof(facts->os));
	} else if (strcmp(field, "os.kernel-release") == 0) {
		take_text(param, facts->kernel, sizeof(facts->kernel));
	} else if (strcmp(field, "user.count") == 0 && number_of(param, &number)) {
		facts->has_users = number <= UINT16_MAX;
		facts->users = (unsigned)number;
	}
}

void agent_facts_take(struct agent_facts *facts, const virTypedParameter *params, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char field[VIR_TYPED_PARAM_FIELD_LENGTH + 1];

		snprintf(field, sizeof(field), "%.*s", VIR_TYPED_PARAM_FIELD_LENGTH,
			 params[i].field);
		take(facts, field, &params[i]);
	}
}

/* Such that nobody writes to. */
static bool is_image(const char *type)
{
	static const char *const images[] = { "squashfs", "iso9660", "erofs", "cramfs", "CDFS" };

	for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++)
		if (strcmp(type, images[i]) == 0)
			return true;
	return false;
}

static bool is_known(const struct agent_file_system *at)
{
	return at->name[0] != '\0' && at->total > 0 && at->used <= at->total;
}

static bool has_name(const struct agent_facts *facts, size_t len, const char *name)
{
	for (size_t i = 0; i < len; i++)
		if (strcmp(facts->file_systems[i].name, name) == 0)
			return true;
	return false;
}

void agent_facts_end(struct agent_facts *facts)
{
	size_t kept = 0;

	for (size_t i = 0; i < facts->file_systems_len; i++) {
		struct agent_file_system *at = &facts->file_systems[i];

		agent_facts_name(at->point, at->name);
		at->image = is_image(at->type);
		if (!is_known(at))
			continue;
		if (has_name(facts, kept, at->name))
			facts->left_out++;
		else
			facts->file_systems[kept++] = *at;
	}
	facts->file_systems_len = kept;
}

void agent_facts_free(struct agent_facts *facts)
{
	free(facts->file_systems);
	agent_facts_init(facts);
}
