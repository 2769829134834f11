/* SPDX-License-Identifier: MIT */
/* What is taken from a domain's XML, and from its metadata. */
#include "describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void interfaces_and_memory(void **state)
{
	struct describe describe;
	const char *xml = "<domain type='kvm'><name>a</name><memory unit='KiB'>2048"
			  "</memory><currentMemory unit='KiB'>1024</currentMemory>"
			  "<devices><disk/><disk type='block'><source dev='/dev/x'/>"
			  "<target dev='vdb'/></disk><interface type='bridge'><mac "
			  "address='52:54'"
			  "/><target dev='vnet0'/></interface>"
			  "<interface type='user'><mac address='1'/></interface>"
			  "<interface type='network'><source network='n' bridge='b'/>"
			  "<target dev='vnet1'/></interface>"
			  "<interface type='network'><source network='n' dev='eth0'/>"
			  "<target dev='macvtap0'/></interface>"
			  "<interface type='ethernet'><target dev='tap0'/></interface>"
			  "<interface type='direct'><target dev='macvtap1'/></interface>"
			  "<interface type='vhostuser'><target dev='vhu0'/></interface>"
			  "</devices></domain>";

	(void)state;
	assert_true(describe_parse(&describe, NULL, xml));
	assert_int_equal(describe.memory, 1024 * 1024);
	assert_int_equal(describe.disks_len, 2);
	assert_false(describe.disks[0].device);
	assert_true(describe.disks[1].device);
	assert_string_equal(describe.disks[1].path, "/dev/x");
	assert_string_equal(describe.disks[1].name, "vdb");
	assert_int_equal(describe.nics_len, 6);
	assert_string_equal(describe.nics[0].name, "vnet0");
	assert_string_equal(describe.nics[0].address, "52:54");
	assert_int_equal(describe.nics[0].view, DESCRIBE_SWAPPED);
	assert_string_equal(describe.nics[1].name, "vnet1");
	assert_int_equal(describe.nics[1].view, DESCRIBE_SWAPPED);
	assert_int_equal(describe.nics[2].view, DESCRIBE_DAEMON);
	assert_int_equal(describe.nics[3].view, DESCRIBE_SWAPPED);
	assert_int_equal(describe.nics[4].view, DESCRIBE_SAME);
	assert_int_equal(describe.nics[5].view, DESCRIBE_DAEMON);
	assert_string_equal(describe.labels->title, "");
	describe_done(&describe);
}

static void labels(void **state)
{
	struct describe describe;

	(void)state;
	assert_true(describe_parse(&describe, NULL,
				   "<domain><title>Web, front</title><metadata>"
				   "<nova:instance xmlns:nova='http://openstack.org/xmlns/libvirt/"
				   "nova/1.1'><nova:flavor name='m1.small'><nova:memory>1"
				   "</nova:memory></nova:flavor><nova:owner><nova:user uuid='u'>"
				   "mallory</nova:user><nova:project uuid='p'>lab</nova:project>"
				   "</nova:owner></nova:instance></metadata></domain>"));
	assert_string_equal(describe.labels->title, "Web, front");
	assert_string_equal(describe.labels->owner, "mallory");
	assert_string_equal(describe.labels->project, "lab");
	assert_string_equal(describe.labels->flavor, "m1.small");
	describe_done(&describe);
	assert_null(describe.labels);
}

static void what_is_kept(void **state)
{
	struct describe describe, kept;

	(void)state;
	assert_true(describe_parse(&describe, NULL,
				   "<domain><memory>1</memory><title>t</title><devices>"
				   "<disk><source dev='/dev/x'/><target dev='vda'/>"
				   "</disk><interface type='bridge'><target dev='v0'/>"
				   "</interface></devices></domain>"));
	describe_keep(&kept, &describe);
	assert_int_equal(kept.memory, 1024);
	assert_null(kept.labels);
	assert_int_equal(kept.disks_len, 1);
	assert_string_equal(kept.disks[0].path, "/dev/x");
	assert_string_equal(kept.nics[0].name, "v0");
	describe_done(&kept);
	describe_forget_disks(&describe);
	describe_keep(&kept, &describe);
	assert_null(kept.disks);
	assert_int_equal(kept.disks_len, 0);
	assert_int_equal(kept.nics_len, 1);
	describe_done(&kept);
	describe_done(&describe);
}

static void what_is_no_domain(void **state)
{
	struct describe describe;

	(void)state;
	assert_false(describe_parse(&describe, NULL, ""));
	assert_false(describe_parse(&describe, NULL, "<domain>"));
	assert_false(describe_parse(&describe, NULL, "<network/>"));
	assert_true(describe_parse(&describe, NULL,
				   "<domain><memory>99999999999999999999999</memory>"
				   "<devices/></domain>"));
	assert_int_equal(describe.memory, 0);
	assert_int_equal(describe.nics_len, 0);
	describe_done(&describe);
}

static void text_and_attributes_by_xpath(void **state)
{
	const char *xml = "<instance><name>web &amp; co</name>"
			  "<owner id='7'/><flavor/><flavor/></instance>";
	char out[8];

	(void)state;
	assert_true(describe_find(xml, "/instance/name/text()", out, sizeof(out)));
	assert_string_equal(out, "web & c");
	assert_true(describe_find(xml, "/instance/owner/@id", out, sizeof(out)));
	assert_string_equal(out, "7");
	assert_false(describe_find(xml, "/instance/flavor", out, sizeof(out)));
	assert_false(describe_find(xml, "/instance/name", out, sizeof(out)));
	assert_false(describe_find(xml, "count(//flavor)", out, sizeof(out)));
	assert_false(describe_find(xml, "/instance/[", out, sizeof(out)));
	assert_false(describe_find("<a", "/a", out, sizeof(out)));
}

static void chains_of_images(void **state)
{
	static const char xml[] =
		"<domain><devices><disk type='file'><source file='/other'/><target "
		"dev='vda'/></disk>"
		"<disk type='block'><source dev='/dev/vg/top'/><backingStore type='file'>"
		"<format type='qcow2'/><source file='/images/middle &amp; more'/>"
		"<backingStore type='network'><source protocol='rbd' name='pool/base'/>"
		"<backingStore/></backingStore></backingStore><target dev='vdb'/></disk>"
		"<disk type='file'><source file='/two&#10;lines'/><target dev='vdc'/></disk>"
		"<disk type='file' device='cdrom'><target dev='sda'/></disk></devices></domain>";
	static const char expected[] = "/dev/vg/top\n/images/middle & more\npool/base";
	char out[256];

	(void)state;
	assert_true(describe_chain(xml, "vdb", out, sizeof(out)));
	assert_string_equal(out, expected);
	assert_true(describe_chain(xml, "vdb", out, sizeof(expected)));
	assert_string_equal(out, expected);
	assert_false(describe_chain(xml, "vdb", out, sizeof(expected) - 1));
	assert_true(describe_chain(xml, "vda", out, sizeof(out)));
	assert_string_equal(out, "/other");
	assert_true(describe_chain(xml, "sda", out, sizeof(out)));
	assert_string_equal(out, "");
	assert_false(describe_chain(xml, "vdc", out, sizeof(out)));
	assert_false(describe_chain(xml, "vdd", out, sizeof(out)));
	assert_false(describe_chain("", "vda", out, sizeof(out)));
	assert_false(describe_chain("<domain/>", "vda", out, sizeof(out)));
}

/* What a guest shares with others, of disks that are no file and no device. */
static void storages_by_network(void **state)
{
	static const struct {
		const char *source, *storage;
	} cases[] = {
		{ "<source file='/x'/>", "" },
		{ "<source protocol='rbd' name='volumes/web1'><host name='mon2' port='6789'/>"
		  "<host name='mon1'/></source>",
		  "rbd:volumes@mon1" },
		{ "<source protocol='rbd' name='volumes/ns/web1'/>", "rbd:volumes" },
		{ "<source protocol='iscsi' name='iqn.x:y/1'><host name='san'/></source>",
		  "iscsi:iqn.x:y@san" },
		{ "<source protocol='nbd' name='web1'><host name='server' port='1'/></source>",
		  "nbd:server" },
		{ "<source protocol='nbd' name='web1'><host transport='unix' socket='/run/x y'/>"
		  "</source>",
		  "@/run/x_y" },
		{ "<source protocol='https' name='a'/>", "" },
		{ "<source pool='default' volume='web1'/>", "@pool_default" },
		{ "<source protocol='gluster' name=''><host/></source>", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct describe describe;
		char xml[512];

		snprintf(xml, sizeof(xml), "<domain><devices><disk>%s</disk></devices></domain>",
			 cases[i].source);
		assert_true(describe_parse(&describe, NULL, xml));
		assert_int_equal(describe.disks_len, 1);
		assert_string_equal(describe.disks[0].storage, cases[i].storage);
		describe_done(&describe);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interfaces_and_memory),
		cmocka_unit_test(chains_of_images),
		cmocka_unit_test(labels),
		cmocka_unit_test(storages_by_network),
		cmocka_unit_test(what_is_kept),
		cmocka_unit_test(what_is_no_domain),
		cmocka_unit_test(text_and_attributes_by_xpath),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
