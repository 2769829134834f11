/* SPDX-License-Identifier: MIT */
/* decode: libvirt's typed parameters; their names are those that the manual of
 * virConnectGetAllDomainStats() lists.
 *
 * libvirt sends the fields of a guest in the same order every time, so the search for a name
 * starts after the one found before, and nearly always ends there. */
#include "decode.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

static const char *const guest_names[GUEST_FIELDS] = {
	[GUEST_STATE] = "state.state",
	[GUEST_REASON] = "state.reason",
	[GUEST_CPU_TIME] = "cpu.time",
	[GUEST_CPU_USER] = "cpu.user",
	[GUEST_CPU_SYSTEM] = "cpu.system",
	[GUEST_BALLOON_CURRENT] = "balloon.current",
	[GUEST_SWAP_IN] = "balloon.swap_in",
	[GUEST_SWAP_OUT] = "balloon.swap_out",
	[GUEST_MAJOR_FAULTS] = "balloon.major_fault",
	[GUEST_MINOR_FAULTS] = "balloon.minor_fault",
	[GUEST_UNUSED] = "balloon.unused",
	[GUEST_AVAILABLE] = "balloon.available",
	[GUEST_USABLE] = "balloon.usable",
	[GUEST_DISK_CACHES] = "balloon.disk_caches",
	[GUEST_RSS] = "balloon.rss",
};

static const char *const disk_names[DISK_FIELDS] = {
	[DISK_RD_REQUESTS] = "rd.reqs",   [DISK_RD_BYTES] = "rd.bytes",
	[DISK_RD_TIMES] = "rd.times",     [DISK_WR_REQUESTS] = "wr.reqs",
	[DISK_WR_BYTES] = "wr.bytes",     [DISK_WR_TIMES] = "wr.times",
	[DISK_FL_REQUESTS] = "fl.reqs",   [DISK_FL_TIMES] = "fl.times",
	[DISK_ALLOCATION] = "allocation", [DISK_CAPACITY] = "capacity",
	[DISK_PHYSICAL] = "physical",     [DISK_THRESHOLD] = "threshold",
	[DISK_BACKING] = "backingIndex",
};

static const char *const nic_names[NIC_FIELDS] = {
	[NIC_RX_BYTES] = "rx.bytes",  [NIC_RX_PACKETS] = "rx.pkts", [NIC_RX_ERRORS] = "rx.errs",
	[NIC_RX_DROPPED] = "rx.drop", [NIC_TX_BYTES] = "tx.bytes",  [NIC_TX_PACKETS] = "tx.pkts",
	[NIC_TX_ERRORS] = "tx.errs",  [NIC_TX_DROPPED] = "tx.drop",
};

static const char *const vcpu_names[VCPU_FIELDS] = {
	[VCPU_TIME] = "time",
	[VCPU_WAIT] = "wait",
	[VCPU_DELAY] = "delay",
};

/* --- Values -------------------------------------------------------------- */

static bool take_count(const virTypedParameter *param, uint64_t *count)
{
	switch (param->type) {
	case VIR_TYPED_PARAM_INT:
		*count = (uint64_t)param->value.i;
		return param->value.i >= 0;
	case VIR_TYPED_PARAM_UINT:
		*count = param->value.ui;
		return true;
	case VIR_TYPED_PARAM_LLONG:
		*count = (uint64_t)param->value.l;
		return param->value.l >= 0;
	case VIR_TYPED_PARAM_ULLONG:
		*count = param->value.ul;
		return param->value.ul <= INT64_MAX;
	default:
		return false;
	}
}

static bool take_number(const virTypedParameter *param, double *number)
{
	switch (param->type) {
	case VIR_TYPED_PARAM_INT:
		*number = param->value.i;
		return true;
	case VIR_TYPED_PARAM_UINT:
		*number = param->value.ui;
		return true;
	case VIR_TYPED_PARAM_LLONG:
		*number = (double)param->value.l;
		return true;
	case VIR_TYPED_PARAM_ULLONG:
		*number = (double)param->value.ul;
		return true;
	case VIR_TYPED_PARAM_DOUBLE:
		*number = param->value.d;
		return true;
	case VIR_TYPED_PARAM_BOOLEAN:
		*number = param->value.b != 0;
		return true;
	default:
		return false;
	}
}

static const char *take_text(const virTypedParameter *param)
{
	const char *text = param->value.s;

	if (param->type != VIR_TYPED_PARAM_STRING || text == NULL)
		return NULL;
	return strnlen(text, DECODE_NAME_MAX + 1) <= DECODE_NAME_MAX ? text : NULL;
}

/* --- Fields --------------------------------------------------------------- */

/* The place of 'name' among 'names', or 'len'.  Looks at 'next' first. */
static unsigned find_name(const char *const *names, unsigned len, unsigned next, const char *name)
{
	for (unsigned i = 0; i < len; i++) {
		unsigned field = (next + i) % len;

		if (strcmp(names[field], name) == 0)
			return field;
	}
	return len;
}

/* The device that "INDEX." stands for, made if it is new; NULL if there are too
 * many.  Parameters of a device follow each other. */
static struct decode_device *find_device(struct decode_devices *devices, unsigned index)
{
	for (size_t i = devices->len; i > 0; i--)
		if (devices->items[i - 1].index == index)
			return &devices->items[i - 1];
	if (devices->len == DECODE_DEVICES_MAX)
		return NULL;
	if (devices->len == devices->size) {
		size_t size = devices->size * 2 + 4;
		void *grown = mc_alloc_resize(devices->items, size, sizeof(*devices->items));

		devices->items = grown;
		devices->size = size;
	}
	devices->items[devices->len] = (struct decode_device){ .index = index };
	return &devices->items[devices->len++];
}

/* Splits "12.rd.reqs" into a number below DECODE_DEVICES_MAX and the rest. */
static const char *split_index(const char *text, unsigned *index)
{
	unsigned number = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++) {
		number = number * 10 + (unsigned)(*at - '0');
		if (number >= DECODE_DEVICES_MAX)
			return NULL;
	}
	if (at == text || *at != '.')
		return NULL;
	*index = number;
	return at + 1;
}

struct kind { /* Of device. */
	const char *prefix;
	size_t prefix_size;
	const char *const *names;
	unsigned names_len;
	size_t devices; /* Offset in struct decode. */
};

static const struct kind kinds[] = {
	{ "block.", 6, disk_names, DISK_FIELDS, offsetof(struct decode, disks) },
	{ "net.", 4, nic_names, NIC_FIELDS, offsetof(struct decode, nics) },
	{ "vcpu.", 5, vcpu_names, VCPU_FIELDS, offsetof(struct decode, vcpus) },
};

/* Whether the parameter was one of a device, and a known one. */
static bool take_device(struct decode *decode, const struct kind *kind,
			const virTypedParameter *param, unsigned *next)
{
	struct decode_devices *devices = (void *)((char *)decode + kind->devices);
	struct decode_device *device;
	unsigned index, field;
	const char *rest = split_index(param->field + kind->prefix_size, &index);
	uint64_t count;

	if (rest == NULL)
		return strcmp(param->field + kind->prefix_size, "count") == 0;
	device = find_device(devices, index);
	if (device == NULL)
		return true;
	if (strcmp(rest, "name") == 0) {
		device->name = take_text(param);
		return true;
	}
	if (strcmp(rest, "path") == 0) {
		device->path = take_text(param);
		return true;
	}
	field = find_name(kind->names, kind->names_len, *next, rest);
	if (field == kind->names_len)
		return false;
	*next = field + 1;
	if (take_count(param, &count)) {
		device->values[field] = count;
		device->known |= UINT32_C(1) << field;
	}
	return true;
}

static void take_extra(struct decode *decode, const virTypedParameter *param)
{
	size_t size = strlen(param->field);
	struct decode_extra extra = { .field = param->field };

	if (!take_number(param, &extra.value))
		return;
	extra.counts = size > 4 && strcmp(param->field + size - 4, ".sum") == 0;
	MC_ARRAY_GROW(decode->extras, decode->extras_len, decode->extras_size);
	decode->extras[decode->extras_len++] = extra;
}

static void take_guest(struct decode *decode, const virTypedParameter *param, unsigned *next)
{
	unsigned field = find_name(guest_names, GUEST_FIELDS, *next, param->field);
	uint64_t count;

	if (field == GUEST_FIELDS) {
		take_extra(decode, param);
		return;
	}
	*next = field + 1;
	if (take_count(param, &count)) {
		decode->values[field] = count;
		decode->known |= UINT32_C(1) << field;
	}
}

static void take_param(struct decode *decode, const virTypedParameter *param, unsigned *next)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strncmp(param->field, kinds[i].prefix, kinds[i].prefix_size) != 0)
			continue;
		if (!take_device(decode, &kinds[i], param, next))
			take_extra(decode, param);
		return;
	}
	take_guest(decode, param, next);
}

void decode_params(struct decode *decode, const virTypedParameter *params, size_t params_len)
{
	decode->known = 0;
	decode->disks.len = decode->nics.len = decode->vcpus.len = 0;
	decode->extras_len = 0;
	decode_add(decode, params, params_len);
}

void decode_add(struct decode *decode, const virTypedParameter *params, size_t params_len)
{
	unsigned next = 0;

	for (size_t i = 0; i < params_len; i++)
		if (memchr(params[i].field, '\0', sizeof(params[i].field)) != NULL)
			take_param(decode, &params[i], &next);
}

void decode_done(struct decode *decode)
{
	free(decode->disks.items);
	free(decode->nics.items);
	free(decode->vcpus.items);
	free(decode->extras);
	*decode = (struct decode){ 0 };
}
