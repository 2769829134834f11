/* SPDX-License-Identifier: MIT */
/* Any text as XML, and as a page of named's statistics. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "names.h"
#include "xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(void *argument, const struct statistics_value *value)
{
	struct names_of_value names;

	(void)argument;
	assert(value->group < STATISTICS_GROUPS && value->number[0] != '\0');
	assert(strlen(value->view) < STATISTICS_NAME_SIZE);
	assert(strlen(value->zone) < STATISTICS_NAME_SIZE);
	if (names_of_value(value, &names))
		assert(names.type != NULL && names.type_instance[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	size_t depth = 0;
	char value[16];
	enum xml_item item;
	struct xml xml;

	xml_open(&xml, text, size);
	do {
		item = xml_next(&xml);
		depth += item == XML_OPEN;
		depth -= item == XML_CLOSE;
		assert(xml.depth == depth && depth <= XML_DEPTH_MAX);
		if (item == XML_OPEN)
			xml_attribute(&xml, "name", value, sizeof(value));
		if (item == XML_TEXT)
			assert(xml.text.at >= text && xml.text.at + xml.text.size <= text + size);
		if (item == XML_OPEN || item == XML_CLOSE)
			assert(xml.name.size > 0);
		assert(item != XML_END || depth == 0);
	} while (item != XML_END && item != XML_WRONG);
	statistics_read(text, size, look, NULL);
	return 0;
}
