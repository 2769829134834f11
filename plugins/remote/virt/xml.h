/* SPDX-License-Identifier: MIT */
/* Parts of libvirt's XML.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct _xmlNode; /* xmlNode of <libxml/tree.h>. */

bool xml_is(const struct _xmlNode *node, const char *name);

/* NULL without such a child, or without a parent. */
struct _xmlNode *xml_child(const struct _xmlNode *parent, const char *name);

/* Writes an attribute, cut to fit, or "". */
void xml_attribute(struct _xmlNode *node, const char *name, char *out, size_t size);
