/* SPDX-License-Identifier: MIT */
/* What a guest may use at most, from its XML. */
#include "describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct limits parse(const char *inner)
{
	struct describe describe;
	struct limits limits;
	char xml[4096];

	snprintf(xml, sizeof(xml), "<domain>%s</domain>", inner);
	assert_true(describe_parse(&describe, &limits, xml));
	describe_done(&describe);
	return limits;
}

static double cpus(const char *inner)
{
	struct limits limits = parse(inner);
	double found = limits.cpus;

	guest_limits_done(&limits);
	return found;
}

static void test_cpu(void **state)
{
	static const char tune[] = "<cputune><period>100000</period><quota>75000</quota></cputune>";
	char text[512];

	(void)state;
	assert_true(cpus("") == 0);
	assert_true(cpus(tune) == 0.75);
	snprintf(text, sizeof(text), "<vcpu>2</vcpu>%s", tune);
	assert_true(cpus(text) == 1.5);
	snprintf(text, sizeof(text), "<vcpu placement='static' current='2'>8</vcpu>%s", tune);
	assert_true(cpus(text) == 1.5);
	/* That of all threads is less, or is all there is. */
	assert_true(cpus("<vcpu>4</vcpu><cputune><period>1000</period><quota>1000</quota>"
			 "<global_period>1000</global_period><global_quota>3000</global_quota>"
			 "</cputune>") == 3);
	assert_true(cpus("<vcpu>4</vcpu><cputune><global_period>1000</global_period>"
			 "<global_quota>500</global_quota></cputune>") == 0.5);
	assert_true(cpus("<vcpu>2</vcpu><cputune><period>1000</period><quota>500</quota>"
			 "<global_period>1000</global_period><global_quota>3000</global_quota>"
			 "</cputune>") == 1);
	/* None, as libvirt shows it, and numbers that are none. */
	assert_true(cpus("<cputune><period>100000</period><quota>-1</quota></cputune>") == 0);
	assert_true(cpus("<cputune><quota>75000</quota></cputune>") == 0);
	assert_true(cpus("<cputune><period>0</period><quota>75000</quota></cputune>") == 0);
	assert_true(cpus("<cputune><period>x</period><quota>75000</quota></cputune>") == 0);
	assert_true(cpus("<vcpu>99999999999999999999</vcpu><cputune><period>1</period>"
			 "<quota>1</quota></cputune>") == 1);
}

static void test_disks(void **state)
{
	struct limits limits =
		parse("<devices><disk><target dev='hda'/></disk><disk><source dev='/dev/x'/>"
		      "<target dev='vda'/><iotune><total_bytes_sec>1048576</total_bytes_sec>"
		      "<read_iops_sec>500</read_iops_sec><write_iops_sec>-2</write_iops_sec>"
		      "</iotune></disk><disk><target dev='vdb'/><iotune><write_bytes_sec>7"
		      "</write_bytes_sec></iotune></disk><disk><target dev='vdc'/><iotune>"
		      "<total_bytes_sec>0</total_bytes_sec></iotune></disk></devices>");
	struct limits copy;

	(void)state;
	assert_int_equal(limits.disks_len, 2);
	assert_string_equal(limits.disks[0].name, "vda");
	assert_string_equal(limits.disks[0].path, "/dev/x");
	assert_int_equal(limits.disks[0].bytes[LIMITS_TOTAL], 1048576);
	assert_int_equal(limits.disks[0].bytes[LIMITS_READ], 0);
	assert_int_equal(limits.disks[0].requests[LIMITS_READ], 500);
	assert_int_equal(limits.disks[0].requests[LIMITS_WRITE], 0);
	guest_limits_keep(&copy, &limits);
	guest_limits_done(&limits);
	assert_string_equal(copy.disks[1].name, "vdb");
	assert_string_equal(copy.disks[1].path, "");
	assert_int_equal(copy.disks[1].bytes[LIMITS_WRITE], 7);
	guest_limits_done(&copy);
}

static uint64_t nodes_of(const char *set)
{
	struct limits limits;
	uint64_t found;
	char text[256];

	snprintf(text, sizeof(text), "<numatune><memory nodeset='%s'/></numatune>", set);
	limits = parse(text);
	found = limits.numa_nodes;
	guest_limits_done(&limits);
	return found;
}

static void test_placement(void **state)
{
	struct limits limits = parse("<cputune><shares>512</shares></cputune><numatune>"
				     "<memory mode='strict' nodeset='0-1,3'/></numatune>");

	(void)state;
	assert_int_equal(limits.shares, 512);
	assert_string_equal(limits.numa_mode, "strict");
	assert_int_equal(limits.numa_nodes, 0xb);
	guest_limits_done(&limits);
	assert_int_equal(nodes_of("5"), 0x20);
	assert_int_equal(nodes_of("62-99,5"), UINT64_C(3) << 62 | 0x20);
	assert_int_equal(nodes_of("3-1"), 0);
	assert_int_equal(nodes_of("1,,x"), 2);
	assert_int_equal(nodes_of("1-x"), 2);
	assert_int_equal(nodes_of("99999999999999999999999"), 0);
	assert_int_equal(nodes_of(""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_disks),
		cmocka_unit_test(test_placement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
