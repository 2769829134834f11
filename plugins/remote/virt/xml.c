/* SPDX-License-Identifier: MIT */
#include "xml.h"

#include <stdio.h>
#include <string.h>

#include <libxml/tree.h>

bool xml_is(const xmlNode *node, const char *name)
{
	return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

xmlNode *xml_child(const xmlNode *parent, const char *name)
{
	for (xmlNode *at = parent != NULL ? parent->children : NULL; at != NULL; at = at->next)
		if (xml_is(at, name))
			return at;
	return NULL;
}

void xml_attribute(xmlNode *node, const char *name, char *out, size_t size)
{
	xmlChar *value = node != NULL ? xmlGetProp(node, (const xmlChar *)name) : NULL;

	snprintf(out, size, "%s", value != NULL ? (const char *)value : "");
	xmlFree(value);
}
