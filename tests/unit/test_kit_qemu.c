/* SPDX-License-Identifier: MIT */
/* Which processes are guests, and which threads virtual CPUs. */
#include "kit/base/qemu.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define NAMES_COMMAND(command, wanted) names_command(command, sizeof(command) - 1, wanted)

static void names_command(const char *command, size_t size, const char *wanted)
{
	char name[16] = "?";

	assert_int_equal(mc_qemu_name(command, size, name, sizeof(name)), wanted != NULL);
	if (wanted != NULL)
		assert_string_equal(name, wanted);
}

static void test_commands(void **state)
{
	(void)state;
	NAMES_COMMAND("qemu\0-name\0guest=web_1,debug-threads=on\0-S\0", "web_1");
	NAMES_COMMAND("qemu\0-name\0web\0", "web");
	NAMES_COMMAND("qemu\0-name\0guest=a,,b,,,debug-threads=on\0", "a,b,");
	NAMES_COMMAND("qemu\0-name\0guest=abcdefghijklmnopqrst\0", "abcdefghijklmno");
	NAMES_COMMAND("qemu\0-name\0process=x\0", NULL);
	NAMES_COMMAND("kvm\0-id\0"
		      "101\0-name\0web3,debug-threads=on\0",
		      "web3");
	NAMES_COMMAND("qemu\0-name\0guest=\0", NULL);
	NAMES_COMMAND("qemu\0-name\0", NULL);
	NAMES_COMMAND("qemu\0-name", NULL);
	NAMES_COMMAND("qemu\0-name\0guest=cut", NULL);
	NAMES_COMMAND("sleep\0", NULL);
	NAMES_COMMAND("", NULL);
}

static void test_programs(void **state)
{
	(void)state;
	assert_true(mc_qemu_runs("/usr/bin/qemu-system-x86_64\0-name", 33));
	assert_true(mc_qemu_runs("/usr/libexec/qemu-kvm\0", 22));
	assert_true(mc_qemu_runs("kvm\0", 4));
	assert_false(mc_qemu_runs("kvm", 3)); /* Cut. */
	assert_false(mc_qemu_runs("qemu-img\0", 9));
	assert_false(mc_qemu_runs("/opt/kvm/sleep\0", 15));
	assert_false(mc_qemu_runs("", 0));
}

static void test_uuids(void **state)
{
	static const char line[] = "qemu\0-uuid\0ab-cd\0-m\0"
				   "16";

	(void)state;
	assert_true(mc_qemu_has_uuid(line, sizeof(line), "ab-cd"));
	assert_false(mc_qemu_has_uuid(line, sizeof(line), "ab-c"));
	assert_false(mc_qemu_has_uuid(line, sizeof(line), "ab-cde"));
	assert_false(mc_qemu_has_uuid(line, 11, "ab-cd"));
	assert_false(mc_qemu_has_uuid(line, 0, "ab-cd"));
	assert_false(mc_qemu_has_uuid("-uuid", 5, "ab-cd"));
}

static void test_incoming(void **state)
{
	static const char line[] = "qemu\0-S\0-incoming\0defer\0-m\0"
				   "16";

	(void)state;
	assert_true(mc_qemu_is_incoming(line, sizeof(line)));
	assert_false(mc_qemu_is_incoming(line, 20)); /* Cut in its value. */
	assert_false(mc_qemu_is_incoming("qemu\0-name\0a,-incoming\0", 24));
	assert_false(mc_qemu_is_incoming("", 0));
}

static void test_virtual_cpus(void **state)
{
	unsigned number = 7;

	(void)state;
	assert_true(mc_qemu_vcpu("CPU 3/KVM\n", &number));
	assert_int_equal(number, 3);
	assert_true(mc_qemu_vcpu("CPU 127/TCG", &number));
	assert_int_equal(number, 127);
	assert_true(mc_qemu_vcpu("ALL CPUs/TCG", &number));
	assert_int_equal(number, 0);
	number = 7;
	assert_false(mc_qemu_vcpu("CPU x/KVM", &number));
	assert_false(mc_qemu_vcpu("CPU 3", &number));
	assert_false(mc_qemu_vcpu("CPU 99999999/KVM", &number));
	assert_false(mc_qemu_vcpu("IO iothread1", &number));
	assert_false(mc_qemu_vcpu("", &number));
	assert_int_equal(number, 7);
}

/* --- A /proc -------------------------------------------------------------- */

static void write_file(int folder, const char *path, const char *text)
{
	int fd = openat(folder, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void make_thread(int folder, unsigned tid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "9/task/%u", tid);
	assert_int_equal(mkdirat(folder, path, 0700), 0);
	snprintf(path, sizeof(path), "9/task/%u/comm", tid);
	write_file(folder, path, name);
}

static void remove_thread(int folder, unsigned tid)
{
	char path[64];

	snprintf(path, sizeof(path), "9/task/%u/comm", tid);
	unlinkat(folder, path, 0);
	*strrchr(path, '/') = '\0';
	unlinkat(folder, path, AT_REMOVEDIR);
}

static void test_threads(void **state)
{
	char place[] = "/tmp/test_kit_qemu.XXXXXX";
	struct mc_kept_files proc = { .kept_max = 1 };
	struct mc_qemu_threads threads = { 0 };

	(void)state;
	assert_non_null(mkdtemp(place));
	proc.folder = open(place, O_RDONLY | O_DIRECTORY);
	assert_int_equal(mkdirat(proc.folder, "9", 0700), 0);
	assert_int_equal(mc_qemu_list_vcpus(&proc, 9, &threads), -ENOENT);
	assert_int_equal(mkdirat(proc.folder, "9/task", 0700), 0);
	make_thread(proc.folder, 9, "qemu-system-x86\n");
	make_thread(proc.folder, 10, "qemu-system-x86\n");
	assert_int_equal(mc_qemu_list_vcpus(&proc, 9, &threads), 0);
	assert_false(threads.is_named);
	assert_int_equal(threads.len, 2);
	make_thread(proc.folder, 12, "CPU 1/KVM\n");
	make_thread(proc.folder, 11, "CPU 0/KVM\n");
	assert_int_equal(mc_qemu_list_vcpus(&proc, 9, &threads), 0);
	assert_true(threads.is_named);
	assert_int_equal(threads.len, 2);
	assert_int_equal(threads.items[0].tid, 11);
	assert_int_equal(threads.items[1].vcpu, 1);
	for (unsigned tid = 9; tid <= 12; tid++)
		remove_thread(proc.folder, tid);
	unlinkat(proc.folder, "9/task", AT_REMOVEDIR);
	unlinkat(proc.folder, "9", AT_REMOVEDIR);
	close(proc.folder);
	rmdir(place);
	mc_qemu_threads_done(&threads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),     cmocka_unit_test(test_programs),
		cmocka_unit_test(test_uuids),        cmocka_unit_test(test_incoming),
		cmocka_unit_test(test_virtual_cpus), cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
