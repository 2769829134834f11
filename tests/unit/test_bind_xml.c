/* SPDX-License-Identifier: MIT */
/* Texts that are XML, and texts that are not. */
#include "unit.h"

#include <string.h>

#include "xml.h"

static struct xml xml;

static enum xml_item last_item(const char *text)
{
	enum xml_item item;

	xml_open(&xml, text, strlen(text));
	do {
		item = xml_next(&xml);
	} while (item != XML_END && item != XML_WRONG);
	return item;
}

static void elements(void **state)
{
	static const char text[] =
		"<?xml?><a b='1' name = \"x&lt;&amp;y\">t<c/>\n<!-- <d> --></a >";
	char out[16];

	(void)state;
	xml_open(&xml, text, strlen(text));
	assert_int_equal(xml_next(&xml), XML_OPEN);
	assert_true(xml_is(xml.name, "a"));
	xml_attribute(&xml, "name", out, sizeof(out));
	assert_string_equal(out, "x<&y");
	xml_attribute(&xml, "b", out, sizeof(out));
	assert_string_equal(out, "1");
	xml_attribute(&xml, "nam", out, sizeof(out));
	assert_string_equal(out, "");
	xml_attribute(&xml, "name", out, 3);
	assert_string_equal(out, "x<");
	assert_int_equal(xml_next(&xml), XML_TEXT);
	assert_true(xml_is(xml.text, "t"));
	assert_int_equal(xml_next(&xml), XML_OPEN);
	assert_int_equal(xml.depth, 2);
	assert_int_equal(xml_next(&xml), XML_CLOSE);
	assert_true(xml_is(xml.name, "c"));
	assert_int_equal(xml_next(&xml), XML_CLOSE);
	assert_int_equal(xml_next(&xml), XML_END);
}

static void wrong(void **state)
{
	static const char *const texts[] = { "",          "text",         "<a>",
					     "<a></b>",   "</a>",         "<a/><b/>",
					     "<a",        "<a b=\"></a>", "<a><!-- ",
					     "< a/>",     "<a/>text",     "<!DOCTYPE a><a/>",
					     "<a><b</a>", "<a></a",       "<a><?x </a>" };
	char deep[64] = "";

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(last_item(texts[i]), XML_WRONG);
	for (size_t i = 0; i <= XML_DEPTH_MAX; i++)
		memcpy(deep + 3 * i, "<a>", 4);
	xml_open(&xml, deep, strlen(deep));
	for (size_t i = 0; i < XML_DEPTH_MAX; i++)
		assert_int_equal(xml_next(&xml), XML_OPEN);
	assert_int_equal(xml_next(&xml), XML_WRONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements),
		cmocka_unit_test(wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
