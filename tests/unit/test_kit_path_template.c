/* SPDX-License-Identifier: MIT */
/* Templates of paths. */
#include "formats/rrd/path_template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static bool label(void *argument, const char *name, char *out, size_t size)
{
	const char *value = argument;

	if (value == NULL || strcmp(name, "group") != 0)
		return false;
	snprintf(out, size, "%s", value);
	return true;
}

/* The path, or '!' and the reason. */
static const char *fill(const char *text, const char *name, const char *group)
{
	static char out[MC_PATH_TEMPLATE_SIZE + 1];
	char why[MC_PATH_TEMPLATE_WHY], path[MC_PATH_TEMPLATE_SIZE];
	struct mc_path_facts facts = { name, "d", label, (void *)group };

	if (mc_path_template_fill(text, &facts, path, why))
		snprintf(out, sizeof(out), "%s", path);
	else
		snprintf(out, sizeof(out), "!%s", why);
	return out;
}

static const char *fault(const char *text)
{
	static char why[MC_PATH_TEMPLATE_WHY];

	snprintf(why, sizeof(why), "sound");
	mc_path_template_is_sound(text, why);
	return why;
}

static const char munin[] = "%{label:group/;//}/%{host}-%{plugin_instance/./-}"
			    "-%{type_instance}-%{kind}";

static void paths_of_others(void **state)
{
	(void)state;
	assert_string_equal(fill(munin, "lab.example/munin-mg.sub_1/derive-b", "grp;sub"),
			    "grp/sub/lab.example-mg-sub_1-b-d");
	assert_string_equal(fill("%{host}/%{plugin_instance/& :\\/_}_"
				 "%{type_instance}",
				 "h/perfdata-a &b: c\\/gauge-x", NULL),
			    "h/a__b__c__x");
	assert_string_equal(fill("%{host}/%{plugin}-%{plugin_instance}/"
				 "%{type}-%{type_instance}",
				 "h/cpu-0/cpu-idle", NULL),
			    "h/cpu-0/cpu-idle");
	assert_string_equal(fill("%{type}%{plugin}", "h/cpu/load", NULL), "loadcpu");
	assert_string_equal(fill("%{plugin_instance}x%{type_instance}", "h/a-b-c/d-e-f", NULL),
			    "b-cxe-f");
	assert_string_equal(fill("100%", "h/p/t", NULL), "100%");
}

static void no_path_leads_elsewhere(void **state)
{
	char long_name[400];

	(void)state;
	assert_string_equal(fill(munin, "h/munin-a/derive-b", NULL),
			    "!its host has no label 'group'");
	assert_string_equal(fill(munin, "h/munin-a/derive-b", "../.."),
			    "!a part of the path begins with a dot");
	assert_string_equal(fill(munin, "h/munin-a/derive-b", "a;..;b"),
			    "!a part of the path begins with a dot");
	assert_string_equal(fill(munin, "h/munin-a/derive-b", "/etc"), "_etc/h-a-b-d");
	assert_string_equal(fill(munin, "h/munin-a/derive-b", ";"), "!a part of the path is empty");
	assert_string_equal(fill(munin, "h/munin-a/derive-b\n", "g"),
			    "!the path has a control character");
	assert_string_equal(fill("%{plugin_instance}/%{type_instance}", "h/p/t-x", NULL),
			    "!a part of the path is empty");
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_string_equal(fill("%{host}", long_name, NULL), "!a part of the path is too long");
	assert_string_equal(fill("%{host}/%{host}/%{host}/%{host}", long_name, NULL),
			    "!the path is too long");
}

static void templates(void **state)
{
	(void)state;
	assert_string_equal(fault(munin), "sound");
	assert_string_equal(fault("%{host}_%{type_instance}"), "sound");
	assert_string_equal(fault("%{hostname}-%{type_instance}"),
			    "has an unknown field 'hostname'");
	assert_string_equal(fault("%{host}/%{type}"), "has neither %{plugin_instance} nor "
						      "%{type_instance}: series would share files");
	assert_string_equal(fault("a/%{type_instance"),
			    "has no sound field at '%{type_instance': it is "
			    "%{NAME} or %{NAME/CHARS/C}");
	assert_string_equal(fault("%{type_instance//x}"),
			    "has no sound field at '%{type_instance//x}': it "
			    "is %{NAME} or %{NAME/CHARS/C}");
	assert_string_equal(fault("%{type_instance/a/}"),
			    "has no sound field at '%{type_instance/a/}': it "
			    "is %{NAME} or %{NAME/CHARS/C}");
	assert_string_equal(fault("%{type_instance/a/bc}"),
			    "has no sound field at '%{type_instance/a/bc}': "
			    "it is %{NAME} or %{NAME/CHARS/C}");
	assert_string_equal(fault("%{label:}%{type_instance}"), "has an unknown field 'label:'");
	assert_string_equal(fault("../%{type_instance}"),
			    "gives no path: a part of the path begins with a "
			    "dot");
	assert_string_equal(fault("/%{type_instance}"),
			    "gives no path: a part of the path is empty");
	assert_string_equal(fault(""), "gives no path: a part of the path is "
				       "empty");
}

/* HOST PLUGIN INSTANCE TYPE INSTANCE of a path, or "none". */
static const char *back(const char *text, const char *path)
{
	static char out[5 * MC_PATH_PART_SIZE];
	struct mc_path_parts parts;

	if (!mc_path_template_match(text, path, 'd', &parts))
		return "none";
	snprintf(out, sizeof(out), "%s|%s|%s|%s|%s", parts.items[0], parts.items[1], parts.items[2],
		 parts.items[3], parts.items[4]);
	return out;
}

static void paths_are_read_back(void **state)
{
	(void)state;
	assert_string_equal(back("%{host}_%{type_instance}", "my_router_7"), "my_router||||7");
	assert_string_equal(back("%{plugin_instance/;//}", "a/b/c_1"), "||a;b;c_1||");
	assert_string_equal(back("%{host}/%{plugin}-%{plugin_instance}/%{type}", "h/p-q-r/t"),
			    "h|p-q|r|t|");
	assert_string_equal(back("%{host}/%{type_instance}-%{kind}", "h/x-d"), "h||||x");
	assert_string_equal(back("%{host}/%{type_instance}-%{kind}", "h/x-g"), "none");
	assert_string_equal(back("%{host}/%{host}-%{type_instance}", "h/h-x"), "h||||x");
	assert_string_equal(back("%{host}/%{host}-%{type_instance}", "h/g-x"), "none");
	assert_string_equal(back("x/%{type_instance}", "y/a"), "none");
	assert_string_equal(back("%{type_instance}", "a/b"), "none");
	assert_string_equal(back("%{label:group}/%{host}", "a/b"), "none");
	assert_string_equal(
		back("%{host}%{type}%{plugin}%{plugin_instance}-%{type_instance}x",
		     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
		"none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_of_others),
		cmocka_unit_test(no_path_leads_elsewhere),
		cmocka_unit_test(templates),
		cmocka_unit_test(paths_are_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
