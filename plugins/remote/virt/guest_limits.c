/* SPDX-License-Identifier: MIT */
#include "guest_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/tree.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

#include "xml.h"

#define VCPUS_MAX 65536

/* The number that is the text of a child; 0 if it is missing, negative or no number. */
static uint64_t number(const xmlNode *parent, const char *name)
{
	xmlNode *node = xml_child(parent, name);
	xmlChar *text = node != NULL ? xmlNodeGetContent(node) : NULL;
	uint64_t found = 0;

	if (text != NULL && !mc_number_unsigned((const char *)text, 10, INT64_MAX, &found))
		found = 0;
	xmlFree(text);
	return found;
}

/* --- CPU -------------------------------------------------------------------- */

/* Those that are plugged in; 1 if the XML has no number. */
static uint64_t count_vcpus(const xmlNode *root)
{
	char text[32];
	uint64_t len = 0;

	xml_attribute(xml_child(root, "vcpu"), "current", text, sizeof(text));
	if (text[0] == '\0' || !mc_number_unsigned(text, 10, VCPUS_MAX, &len))
		len = number(root, "vcpu");
	return len == 0 || len > VCPUS_MAX ? 1 : len;
}

/* 0: there is no limit. */
static double share_of(const xmlNode *cputune, const char *quota, const char *period)
{
	double most = (double)number(cputune, quota), of = (double)number(cputune, period);

	return most > 0 && of > 0 ? most / of : 0;
}

/* A quota is for each virtual CPU, a global one for all threads of the guest. */
static double count_cpus(const xmlNode *root)
{
	const xmlNode *cputune = xml_child(root, "cputune");
	double each = share_of(cputune, "quota", "period") * (double)count_vcpus(root);
	double all = share_of(cputune, "global_quota", "global_period");

	return each > 0 && (all == 0 || each < all) ? each : all;
}

/* --- Disks ------------------------------------------------------------------ */

static bool take_rates(struct limits_disk *disk, const xmlNode *iotune)
{
	static const char *const names[LIMITS_WAYS][2] = {
		[LIMITS_TOTAL] = { "total_bytes_sec", "total_iops_sec" },
		[LIMITS_READ] = { "read_bytes_sec", "read_iops_sec" },
		[LIMITS_WRITE] = { "write_bytes_sec", "write_iops_sec" },
	};
	bool found = false;

	for (unsigned i = 0; i < LIMITS_WAYS; i++) {
		disk->bytes[i] = number(iotune, names[i][0]);
		disk->requests[i] = number(iotune, names[i][1]);
		found |= disk->bytes[i] != 0 || disk->requests[i] != 0;
	}
	return found;
}

static void take_disk(struct limits *limits, const xmlNode *node)
{
	static const char *const paths[] = { "dev", "file", "name" };
	struct limits_disk disk = { .path = "" };

	if (limits->disks_len == LIMITS_DISKS_MAX || !take_rates(&disk, xml_child(node, "iotune")))
		return;
	xml_attribute(xml_child(node, "target"), "dev", disk.name, sizeof(disk.name));
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) && disk.path[0] == '\0'; i++)
		xml_attribute(xml_child(node, "source"), paths[i], disk.path, sizeof(disk.path));
	limits->disks =
		mc_alloc_resize(limits->disks, limits->disks_len + 1, sizeof(*limits->disks));
	limits->disks[limits->disks_len++] = disk;
}

/* --- Memory ----------------------------------------------------------------- */

/* A set such as "0-1,3", as libvirt writes it; up to the first that is wrong. */
static uint64_t read_nodes(const char *text)
{
	uint64_t nodes = 0;
	char *end;

	while (*text >= '0' && *text <= '9') {
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (end[0] == '-' && end[1] >= '0' && end[1] <= '9')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long i = first; i <= last && i < LIMITS_NODES_MAX; i++)
			nodes |= UINT64_C(1) << i;
		text = *end == ',' ? end + 1 : end;
	}
	return nodes;
}

/* --- The whole -------------------------------------------------------------- */

void guest_limits_take(struct limits *limits, const xmlNode *root)
{
	const xmlNode *devices = xml_child(root, "devices");
	xmlNode *memory = xml_child(xml_child(root, "numatune"), "memory");
	char nodes[256];

	*limits = (struct limits){ .cpus = count_cpus(root),
				   .shares = number(xml_child(root, "cputune"), "shares") };
	xml_attribute(memory, "mode", limits->numa_mode, sizeof(limits->numa_mode));
	xml_attribute(memory, "nodeset", nodes, sizeof(nodes));
	limits->numa_nodes = read_nodes(nodes);
	for (const xmlNode *at = devices != NULL ? devices->children : NULL; at != NULL;
	     at = at->next)
		if (xml_is(at, "disk"))
			take_disk(limits, at);
}

void guest_limits_keep(struct limits *copy, const struct limits *limits)
{
	size_t size = limits->disks_len * sizeof(*limits->disks);

	*copy = *limits;
	copy->disks = size > 0 ? mc_alloc_bytes(limits->disks, size) : NULL;
}

void guest_limits_done(struct limits *limits)
{
	free(limits->disks);
	*limits = (struct limits){ 0 };
}
