/* SPDX-License-Identifier: MIT */
/* Files of PNP4Nagios that have all labels of a service. */
#include "formats/rrd/pnp_single.h"

#include "formats/rrd/munin_datafile.h"
#include "formats/rrd/pnp_xml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

enum { HEAD = 128, SOURCE = 120 };

/* The head of a file with such kinds: its size. */
static size_t make_head(char *out, const char *const *kinds, uint64_t len)
{
	double cookie = 8.642135E130;

	memset(out, 0, HEAD + len * SOURCE);
	memcpy(out,
	       "RRD\0"
	       "0003",
	       9);
	memcpy(out + 16, &cookie, 8);
	memcpy(out + 24, &len, 8);
	for (uint64_t i = 0; i < len; i++) {
		char *source = out + HEAD + i * SOURCE;

		snprintf(source, 20, "%u", (unsigned)i + 1);
		snprintf(source + 20, 20, "%s", kinds[i]);
	}
	return HEAD + len * SOURCE;
}

static void heads(void **state)
{
	static const char *const kinds[] = { "GAUGE", "DERIVE", "COUNTER" };
	static const char *const others[] = { "GAUGE", "COMPUTE" };
	char head[HEAD + 3 * SOURCE];
	struct mc_pnp_single file;
	size_t size = make_head(head, kinds, 3);

	(void)state;
	assert_true(mc_pnp_single_read(head, size, &file));
	assert_int_equal(file.sources_len, 3);
	assert_int_equal(file.kinds[0], MC_GAUGE);
	assert_int_equal(file.kinds[1], MC_DERIVE);
	assert_int_equal(file.kinds[2], MC_COUNTER);
	for (size_t cut = 0; cut < size; cut++)
		assert_false(mc_pnp_single_read(head, cut, &file));
	head[HEAD + SOURCE] = '3'; /* "1", "3", ...: not by position. */
	assert_false(mc_pnp_single_read(head, size, &file));
	size = make_head(head, others, 2);
	assert_false(mc_pnp_single_read(head, size, &file));
	size = make_head(head, kinds, 1);
	head[16]++; /* Of another machine. */
	assert_false(mc_pnp_single_read(head, size, &file));
	size = make_head(head, kinds, 1);
	memset(head + 24, 0xff, 8);
	assert_false(mc_pnp_single_read(head, size, &file));
}

/* An .xml of the names in "a b c", the update of which ended with 'code'. */
static const char *xml(const char *names, const char *code)
{
	static char out[4096];
	size_t used = 0;
	unsigned number = 0;

	while (*names != '\0') {
		size_t size = strcspn(names, " ");

		used += (size_t)snprintf(out + used, sizeof(out) - used,
					 "<DATASOURCE>\n<TEMPLATE>x</TEMPLATE>\n"
					 "<RRDFILE>y</RRDFILE><DS>%u</DS>\n"
					 "<NAME>%.*s</NAME>\n<LABEL>z</LABEL></DATASOURCE>\n",
					 ++number, (int)size, names);
		names += size + strspn(names + size, " ");
	}
	snprintf(out + used, sizeof(out) - used, "<RRD><RC>%s</RC></RRD>", code);
	return out;
}

static int source(const char *text, unsigned sources_len, const char *label)
{
	char why[MC_PNP_SINGLE_WHY] = "";
	int found = mc_pnp_single_source(text, sources_len, label, why);

	/* -2: there is a reason. */
	return found < 0 && why[0] != '\0' ? -2 : found;
}

static void labels(void **state)
{
	(void)state;
	assert_int_equal(source(xml("a _var_log its", "0"), 3, "a"), 0);
	/* As a series has "/var log", and as a label is. */
	assert_int_equal(source(xml("a _var_log its", "0"), 3, "_var log"), 1);
	assert_int_equal(source(xml("a _var_log its", "0"), 3, "it's"), 2);
	assert_int_equal(source(xml("a _var_log its", "0"), 3, "new"), -1);
	assert_int_equal(source(xml("a b", "0"), 2, ""), -1);
}

static void lists_that_are_not_believed(void **state)
{
	(void)state;
	assert_int_equal(source(xml("a b", "0"), 3, "a"), -2);
	assert_int_equal(source(xml("a b c d", "0"), 3, "a"), -2);
	assert_int_equal(source(xml("a b c", "1"), 3, "a"), -2);
	assert_int_equal(source(xml("a b a", "0"), 3, "a"), -2);
	assert_int_equal(source("", 1, "a"), -2);
	assert_int_equal(source("<DATASOURCE><DS>2</DS><NAME>a</NAME>"
				"</DATASOURCE><RRD><RC>0</RC></RRD>",
				1, "a"),
			 -2);
	assert_int_equal(source("<DATASOURCE><DS>1</DS><NAME>a</DATASOURCE>"
				"<RRD><RC>0</RC></RRD>",
				1, "a"),
			 -2);
}

static void rows(void **state)
{
	static const struct mc_rrd_rules rules = { .step = 60, .heartbeat = 8640, .rows = 10 };
	static const struct mc_pnp_single file = { 3, { MC_GAUGE, MC_DERIVE, MC_GAUGE } };
	struct mc_rrd_layout *list = NULL;
	const struct mc_rrd_layout *layout =
		mc_pnp_single_layout(&list, &rules, &file, 60 * MC_SECOND);
	struct mc_pnp_row *row = mc_pnp_row_new(&file, NULL);
	char out[MC_RRD_UPDATE_SIZE(3)];

	(void)state;
	assert_int_equal(layout->sources_len, 3);
	assert_string_equal(layout->argv[1], "DS:2:DERIVE:8640:0.000000:U");
	mc_pnp_row_set(row, layout, 7, 2, (union mc_value){ .gauge = 1.5 });
	mc_rrd_update(layout, row->second, row->values, out);
	assert_string_equal(out, "7:U:U:1.5");
	mc_pnp_row_set(row, layout, 7, 1, (union mc_value){ .derive = -3 });
	mc_rrd_update(layout, row->second, row->values, out);
	assert_string_equal(out, "7:U:-3:1.5");
	row->second = 0;
	mc_pnp_row_set(row, layout, 8, 0, (union mc_value){ .gauge = 2 });
	mc_rrd_update(layout, row->second, row->values, out);
	assert_string_equal(out, "8:2:U:U");
	free(row);
	mc_rrd_layouts_free(list);
}

static void services(void **state)
{
	static const char xml[] =
		"<NAGIOS><DATASOURCE><DS>1</DS><NAME>_var</NAME><LABEL>/var &lt;a&gt;</LABEL>"
		"<UNIT>%%</UNIT></DATASOURCE><DATASOURCE><NAME>b</NAME></DATASOURCE>"
		"<NAGIOS_DISP_HOSTNAME>web</NAGIOS_DISP_HOSTNAME>"
		"<NAGIOS_DISP_SERVICEDESC>C: &amp; D</NAGIOS_DISP_SERVICEDESC></NAGIOS>";
	const char *at = xml;
	struct mc_pnp_xml_source source;
	struct mc_pnp_xml service;

	(void)state;
	mc_pnp_xml_read(xml, &service);
	assert_string_equal(service.host, "web");
	assert_string_equal(service.service, "C: & D");
	assert_true(mc_pnp_xml_next(&at, &source));
	assert_string_equal(source.label, "/var <a>");
	assert_string_equal(source.unit, "%");
	assert_true(mc_pnp_xml_next(&at, &source));
	assert_string_equal(source.label, "b");
	assert_string_equal(source.unit, "");
	assert_false(mc_pnp_xml_next(&at, &source));
	mc_pnp_xml_read("<NAGIOS_DATATYPE>HOSTPERFDATA</NAGIOS_DATATYPE>", &service);
	assert_string_equal(service.service, "_HOST_");
	assert_string_equal(service.host, "");
}

static const char *field(const char *text)
{
	static char line[256], out[256];
	struct mc_munin_field parts;

	snprintf(line, sizeof(line), "%s", text);
	if (!mc_munin_datafile_field(line, &parts))
		return "none";
	snprintf(out, sizeof(out), "%s|%s|%s|%s", parts.group, parts.host, parts.service,
		 parts.field);
	return out;
}

static void fields_of_munin(void **state)
{
	(void)state;
	assert_string_equal(field("lab;web:cpu.user.label user\n"), "lab|web|cpu|user");
	assert_string_equal(field("a;b;web.lab:disks.sda.reads.label r: x"),
			    "a;b|web.lab|disks.sda|reads");
	assert_string_equal(field("lab;web:cpu.user.type DERIVE"), "none");
	assert_string_equal(field("lab;web:cpu.graph_title x.label"), "none");
	assert_string_equal(field("web:cpu.user.label user"), "none");
	assert_string_equal(field(";web:cpu.user.label user"), "none");
	assert_string_equal(field("lab;:cpu.user.label user"), "none");
	assert_string_equal(field("lab;web:user.label user"), "none");
	assert_string_equal(field("lab;web:.user.label user"), "none");
	assert_string_equal(field("version 2.0.73"), "none");
	assert_string_equal(field(""), "none");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads),
		cmocka_unit_test(labels),
		cmocka_unit_test(lists_that_are_not_believed),
		cmocka_unit_test(rows),
		cmocka_unit_test(services),
		cmocka_unit_test(fields_of_munin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
