/* SPDX-License-Identifier: MIT */
/* describe: the parts of a domain's XML (libvirt.org/formatdomain.html) that
 * name its devices.  libxml2 bounds depth and entities. */
#include "describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/xpath.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

#include "xml.h"

#define OPTIONS (XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOBLANKS)

static uint64_t memory_of(xmlNode *node)
{
	/* libvirt always writes KiB, whatever was defined. */
	xmlChar *text = node != NULL ? xmlNodeGetContent(node) : NULL;
	uint64_t kib = 0;

	if (text != NULL && !mc_number_unsigned((const char *)text, 10, UINT64_MAX, &kib))
		kib = 0;
	xmlFree(text);
	return kib < UINT64_MAX / 1024 ? kib * 1024 : 0;
}

/* Writes the text of a node, cut to fit, or "". */
static void content(xmlNode *node, char *out, size_t size)
{
	xmlChar *text = node != NULL ? xmlNodeGetContent(node) : NULL;

	snprintf(out, size, "%s", text != NULL ? (const char *)text : "");
	xmlFree(text);
}

static void take_labels(struct describe *describe, xmlNode *root)
{
	struct describe_labels *labels = mc_alloc_zero(sizeof(*labels));
	xmlNode *instance = xml_child(xml_child(root, "metadata"), "instance");
	xmlNode *owner = xml_child(instance, "owner");

	content(xml_child(root, "title"), labels->title, sizeof(labels->title));
	content(xml_child(owner, "user"), labels->owner, sizeof(labels->owner));
	content(xml_child(owner, "project"), labels->project, sizeof(labels->project));
	xml_attribute(xml_child(instance, "flavor"), "name", labels->flavor,
		      sizeof(labels->flavor));
	describe->labels = labels;
}

/* Whose counters libvirt shows: see virDomainInterfaceStats() in its manual. It swaps directions
 * for all devices but those that look at the network from the guest's side ("direct"); of others
 * than these, the kernel has no counters, or libvirt takes them from somewhere else. */
static enum describe_view view_of(xmlNode *nic)
{
	char type[16], bridge[DESCRIBE_NAME_SIZE];

	xml_attribute(nic, "type", type, sizeof(type));
	xml_attribute(xml_child(nic, "source"), "bridge", bridge, sizeof(bridge));
	if (strcmp(type, "direct") == 0)
		return DESCRIBE_SAME;
	if (strcmp(type, "bridge") == 0 || strcmp(type, "ethernet") == 0 ||
	    (strcmp(type, "network") == 0 && bridge[0] != '\0'))
		return DESCRIBE_SWAPPED;
	return DESCRIBE_DAEMON;
}

static void take_nic(struct describe *describe, xmlNode *nic)
{
	struct describe_nic *grown, taken = { .view = view_of(nic) };

	xml_attribute(xml_child(nic, "target"), "dev", taken.name, sizeof(taken.name));
	xml_attribute(xml_child(nic, "mac"), "address", taken.address, sizeof(taken.address));
	if (taken.name[0] == '\0' || describe->nics_len == DESCRIBE_NICS_MAX)
		return;
	grown = mc_alloc_resize(describe->nics, describe->nics_len + 1, sizeof(*grown));
	describe->nics = grown;
	describe->nics[describe->nics_len++] = taken;
}

static void take_path(struct describe_disk *disk, xmlNode *source)
{
	static const char *const attributes[] = { "dev", "file", "name" };

	for (size_t i = 0; i < 3 && disk->path[0] == '\0'; i++) {
		xml_attribute(source, attributes[i], disk->path, sizeof(disk->path));
		disk->device = i == 0 && disk->path[0] != '\0';
	}
}

/* Of several hosts that serve the same, the first in the alphabet. */
static void add_host(xmlNode *source, char *out, size_t size)
{
	char least[DESCRIBE_NAME_SIZE] = "", name[DESCRIBE_NAME_SIZE];
	size_t used = strlen(out);

	for (xmlNode *at = source->children; at != NULL; at = at->next) {
		if (!xml_is(at, "host"))
			continue;
		xml_attribute(at, "name", name, sizeof(name));
		if (name[0] != '\0' && (least[0] == '\0' || strcmp(name, least) < 0))
			memcpy(least, name, sizeof(least));
	}
	if (least[0] != '\0')
		snprintf(out + used, size - used, "@%s", least);
}

/* The storage of a disk that QEMU reaches by the network: of Ceph and Gluster the pool, of iSCSI
 * the target, of others the server. */
static void take_storage(struct describe_disk *disk, xmlNode *source)
{
	char protocol[16], name[MC_STORAGE_SIZE], socket[MC_STORAGE_SIZE];

	xml_attribute(source, "protocol", protocol, sizeof(protocol));
	xml_attribute(source, "name", name, sizeof(name));
	xml_attribute(xml_child(source, "host"), "socket", socket, sizeof(socket));
	if (protocol[0] == '\0')
		return;
	name[strcspn(name, "/")] = '\0';
	if (socket[0] != '\0') {
		storage_local(socket, disk->storage);
		return;
	}
	if (strcmp(protocol, "rbd") != 0 && strcmp(protocol, "gluster") != 0 &&
	    strcmp(protocol, "iscsi") != 0)
		name[0] = '\0';
	add_host(source, name, sizeof(name));
	if (name[0] != '\0')
		storage_shared(protocol, name + (name[0] == '@'), disk->storage);
}

/* The pool is one of libvirt on this host. */
static void take_pool(struct describe_disk *disk, xmlNode *source)
{
	char pool[DESCRIBE_NAME_SIZE], name[MC_STORAGE_SIZE];

	xml_attribute(source, "pool", pool, sizeof(pool));
	snprintf(name, sizeof(name), "pool %s", pool);
	if (pool[0] != '\0')
		storage_local(name, disk->storage);
}

static void take_disk(struct describe *describe, xmlNode *disk)
{
	struct describe_disk *grown, taken = { .number = 0 };

	xml_attribute(xml_child(disk, "target"), "dev", taken.name, sizeof(taken.name));
	xml_attribute(xml_child(disk, "alias"), "name", taken.alias, sizeof(taken.alias));
	take_path(&taken, xml_child(disk, "source"));
	take_storage(&taken, xml_child(disk, "source"));
	take_pool(&taken, xml_child(disk, "source"));
	if (describe->disks_len == DESCRIBE_DISKS_MAX)
		return;
	grown = mc_alloc_resize(describe->disks, describe->disks_len + 1, sizeof(*grown));
	describe->disks = grown;
	describe->disks[describe->disks_len++] = taken;
}

static void take_channel(struct describe *describe, xmlNode *channel)
{
	char name[DESCRIBE_NAME_SIZE];

	xml_attribute(xml_child(channel, "target"), "name", name, sizeof(name));
	describe->has_agent |= strcmp(name, "org.qemu.guest_agent.0") == 0;
}

bool describe_parse(struct describe *describe, struct limits *limits, const char *xml)
{
	xmlDoc *doc = xmlReadDoc((const xmlChar *)xml, NULL, NULL, OPTIONS);
	xmlNode *root = doc != NULL ? xmlDocGetRootElement(doc) : NULL;
	xmlNode *devices;

	if (root == NULL || !xml_is(root, "domain")) {
		xmlFreeDoc(doc);
		return false;
	}
	*describe = (struct describe){ 0 };
	describe->memory = memory_of(xml_child(root, "currentMemory"));
	if (describe->memory == 0)
		describe->memory = memory_of(xml_child(root, "memory"));
	take_labels(describe, root);
	devices = xml_child(root, "devices");
	for (xmlNode *at = devices != NULL ? devices->children : NULL; at != NULL; at = at->next) {
		if (xml_is(at, "interface"))
			take_nic(describe, at);
		if (xml_is(at, "disk"))
			take_disk(describe, at);
		if (xml_is(at, "channel"))
			take_channel(describe, at);
	}
	if (limits != NULL)
		guest_limits_take(limits, root);
	xmlFreeDoc(doc);
	return true;
}

void describe_forget_disks(struct describe *describe)
{
	free(describe->disks);
	describe->disks = NULL;
	describe->disks_len = 0;
}

static void *copy_items(const void *items, size_t size)
{
	return size > 0 ? mc_alloc_bytes(items, size) : NULL;
}

void describe_keep(struct describe *copy, const struct describe *describe)
{
	*copy = *describe;
	copy->labels = NULL;
	copy->nics = copy_items(describe->nics, describe->nics_len * sizeof(*describe->nics));
	copy->disks = copy_items(describe->disks, describe->disks_len * sizeof(*describe->disks));
}

void describe_done(struct describe *describe)
{
	free(describe->labels);
	free(describe->nics);
	free(describe->disks);
	*describe = (struct describe){ 0 };
}

/* The disk that the guest sees as 'name'; NULL: none. */
static xmlNode *find_disk(xmlNode *root, const char *name)
{
	xmlNode *devices = root != NULL ? xml_child(root, "devices") : NULL;

	for (xmlNode *at = devices != NULL ? devices->children : NULL; at != NULL; at = at->next) {
		char target[DESCRIBE_NAME_SIZE];

		if (!xml_is(at, "disk"))
			continue;
		xml_attribute(xml_child(at, "target"), "dev", target, sizeof(target));
		if (strcmp(target, name) == 0)
			return at;
	}
	return NULL;
}

bool describe_chain(const char *xml, const char *disk, char *out, size_t size)
{
	xmlDoc *doc = xmlReadDoc((const xmlChar *)xml, NULL, NULL, OPTIONS);
	xmlNode *at = find_disk(doc != NULL ? xmlDocGetRootElement(doc) : NULL, disk);
	bool found = at != NULL;
	size_t used = 0;

	out[0] = '\0';
	for (; at != NULL && found; at = xml_child(at, "backingStore")) {
		struct describe_disk image = { .number = 0 };

		take_path(&image, xml_child(at, "source"));
		if (image.path[0] == '\0')
			continue;
		found = strlen(image.path) + 1 < sizeof(image.path) &&
			strchr(image.path, '\n') == NULL && used + strlen(image.path) + 2 <= size;
		if (found)
			used += (size_t)snprintf(out + used, size - used, "%s%s",
						 used > 0 ? "\n" : "", image.path);
	}
	xmlFreeDoc(doc);
	return found;
}

/* The text of the only node found: of a text, or of an attribute. */
static bool take_only(const xmlXPathObject *found, char *out, size_t size)
{
	const xmlNode *node;

	if (found == NULL || found->type != XPATH_NODESET || found->nodesetval == NULL ||
	    found->nodesetval->nodeNr != 1)
		return false;
	node = found->nodesetval->nodeTab[0];
	if (node->type == XML_ATTRIBUTE_NODE)
		node = node->children;
	if (node == NULL || node->type != XML_TEXT_NODE || node->content == NULL)
		return false;
	snprintf(out, size, "%s", (const char *)node->content);
	return true;
}

bool describe_find(const char *xml, const char *expression, char *out, size_t size)
{
	xmlDoc *doc = xmlReadDoc((const xmlChar *)xml, NULL, NULL, OPTIONS);
	xmlXPathContext *context = doc != NULL ? xmlXPathNewContext(doc) : NULL;
	xmlXPathObject *found = NULL;
	bool taken;

	if (context != NULL)
		found = xmlXPathEval((const xmlChar *)expression, context);
	taken = take_only(found, out, size);
	xmlXPathFreeObject(found);
	xmlXPathFreeContext(context);
	xmlFreeDoc(doc);
	return taken;
}
