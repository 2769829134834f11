/* SPDX-License-Identifier: MIT */
/* XML as programs write it: elements, attributes and text; comments and processing instructions are
 * passed over, and a DOCTYPE is refused.  Pure functions, which allocate nothing.
 *
 * Facts: w3.org/TR/xml. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct xml_text { /* Without a '\0', as it is written. */
	const char *at;
	size_t size;
};

enum xml_item {
	XML_OPEN,  /* An element begins: 'name' and 'attributes'. */
	XML_CLOSE, /* It ends: 'name'. */
	XML_TEXT,  /* 'text', not only blanks. */
	XML_END,   /* The only element has ended. */
	XML_WRONG, /* It is no such text, or is cut. */
};

#define XML_DEPTH_MAX 16

struct xml {
	struct xml_text name, attributes, text;
	size_t depth; /* Of elements that have begun and not ended. */

	/* xml.c's own. */
	const char *at, *end;
	struct xml_text open[XML_DEPTH_MAX]; /* Their names. */
	bool empty;                          /* The last one ends at once. */
};

/* The text stays as long as it is read. */
void xml_open(struct xml *, const char *text, size_t size);
enum xml_item xml_next(struct xml *);

/* Whether it is that text. */
bool xml_is(struct xml_text, const char *text);

/* Copies a text, cut at 'size' bytes, with the five characters in place of their entities. */
void xml_copy(struct xml_text, char *out, size_t size);

/* The same, with the value of an attribute of the element that begins; "" without it. */
void xml_attribute(const struct xml *, const char *name, char *out, size_t size);
