/* SPDX-License-Identifier: MIT */
/* Guests as the kernel shows them. */
#include "kernel.h"

#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char *root = "/nowhere";

/* What kernel.c needs of the core: files below a folder of the test's. */
const char *mc_path(struct mc_ctx *ctx, const char *path, char *out, size_t size)
{
	(void)ctx;
	snprintf(out, size, "%s%s", root, path);
	return out;
}

ssize_t mc_read_file(struct mc_ctx *ctx, const char *path, char **text)
{
	(void)ctx;
	(void)path;
	(void)text;
	return -1;
}

static void cgroups_of_guests(void **state)
{
	char out[64];

	(void)state;
	assert_true(kernel_parse_cgroup("0::/machine.slice/machine-qemu\\x2d1\\x2da.scope/libvirt/"
					"emulator\n",
					out, sizeof(out)));
	assert_string_equal(out, "/machine.slice/machine-qemu\\x2d1\\x2da.scope");
	assert_true(kernel_parse_cgroup("2:cpuacct:/\n1:cpu:/x\n"
					"0::/machine/qemu-1-a.libvirt-qemu/emulator\n",
					out, sizeof(out)));
	assert_string_equal(out, "/machine/qemu-1-a.libvirt-qemu");
	/* A group that is not the guest's alone would count others too. */
	assert_false(kernel_parse_cgroup("0::/\n", out, sizeof(out)));
	assert_false(kernel_parse_cgroup("0::/user.slice\n", out, sizeof(out)));
	assert_false(kernel_parse_cgroup("0::/../qemu\n", out, sizeof(out)));
	assert_false(kernel_parse_cgroup("1:cpu:/qemu\n", out, sizeof(out)));
	assert_false(kernel_parse_cgroup("0::/machine/qemu-12345678", out, 8));
}

static void cpu_time_of_a_cgroup(void **state)
{
	struct kernel_cpu cpu = { 1, 2, 3 };

	(void)state;
	assert_true(kernel_parse_cpu_stat("usage_usec 30\nuser_usec 20\n"
					  "system_usec 10\nnr_periods 0\n",
					  &cpu));
	assert_int_equal(cpu.total, 30000);
	assert_int_equal(cpu.user, 20000);
	assert_int_equal(cpu.system, 10000);
	assert_false(kernel_parse_cpu_stat("usage_usec 31\n", &cpu));
	assert_int_equal(cpu.total, 30000);
}

static void cpu_time_of_a_process(void **state)
{
	struct kernel_cpu cpu;

	(void)state;
	assert_true(kernel_parse_stat("12 (q) 0 1) S 1 2 3 4 5 6 7 8 9 10 "
				      "250 50 0 0 20\n",
				      100, &cpu));
	assert_int_equal(cpu.user, 2500000000);
	assert_int_equal(cpu.system, 500000000);
	assert_int_equal(cpu.total, 3000000000);
	assert_false(kernel_parse_stat("12 (q) S 1 2\n", 100, &cpu));
	assert_false(kernel_parse_stat("", 100, &cpu));
}

static void the_start_of_a_process(void **state)
{
	(void)state;
	assert_int_equal(kernel_parse_start("12 (q) 0 1) S 1 2 3 4 5 6 7 8 9 "
					    "10 250 50 0 0 20 0 1 0 7654 1\n"),
			 7654);
	assert_int_equal(kernel_parse_start("12 (q) S 1 2\n"), 0);
	assert_int_equal(kernel_parse_start(""), 0);
}

/* A guest has ended, and the kernel gave its number to another process. */
static void another_process_of_that_number(void **state)
{
	struct kernel_map map = { .pid = (unsigned)getpid() };
	struct kernel_cpu cpu;
	char text[4096];
	FILE *stat = fopen("/proc/self/stat", "r");

	(void)state;
	assert_non_null(stat);
	assert_non_null(fgets(text, sizeof(text), stat));
	fclose(stat);
	root = "";
	assert_true(kernel_read_cpu(NULL, &map, &cpu));
	map.started = kernel_parse_start(text);
	assert_true(kernel_read_cpu(NULL, &map, &cpu));
	map.started--;
	assert_false(kernel_read_cpu(NULL, &map, &cpu));
	map.started = 0;
	map.cgroup = strdup("/nonexistent/cpu.stat");
	assert_false(kernel_read_cpu(NULL, &map, &cpu));
	kernel_forget(&map);
	root = "/nowhere";
}

static void a_process_that_does_not_die(void **state)
{
	struct kernel_map map = { .pid = (unsigned)getpid() };
	pid_t child;
	siginfo_t info;

	(void)state;
	root = "";
	assert_false(kernel_seems_dead(NULL, &(struct kernel_map){ 0 }));
	assert_false(kernel_seems_dead(NULL, &map));
	child = fork();
	if (child == 0) {
		raise(SIGSTOP);
		_exit(0);
	}
	map.pid = (unsigned)child;
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOWAIT), 0);
	assert_true(kernel_seems_dead(NULL, &map));
	kill(child, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_true(kernel_seems_dead(NULL, &map)); /* Not buried. */
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(kernel_seems_dead(NULL, &map));
	root = "/nowhere";
}

static void interfaces_by_name(void **state)
{
	struct kernel_nics nics = { 0 };
	const struct kernel_nic *nic;

	(void)state;
	kernel_parse_nics("Inter-|   Receive  |  Transmit\n"
			  " face |bytes packets errs drop fifo frame compressed "
			  "multicast|bytes packets errs drop fifo colls carrier "
			  "compressed\n"
			  " vnet1: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n"
			  "    lo:9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9\n"
			  " short: 1 2 3\n"
			  " a-name-that-is-too-long: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n",
			  &nics);
	assert_int_equal(nics.len, 2);
	nic = kernel_nic(&nics, "vnet1");
	assert_non_null(nic);
	assert_int_equal(nic->rx_bytes, 1);
	assert_int_equal(nic->rx_dropped, 4);
	assert_int_equal(nic->tx_packets, 6);
	assert_int_equal(nic->tx_dropped, 8);
	assert_non_null(kernel_nic(&nics, "lo"));
	assert_null(kernel_nic(&nics, "vnet2"));
	assert_null(kernel_nic(&nics, "a-name-that-is-too-long"));
	kernel_parse_nics("", &nics);
	assert_int_equal(nics.len, 0);
	assert_null(kernel_nic(&nics, "lo"));
	kernel_done(&nics);
}

static void guests_that_are_not_here(void **state)
{
	struct kernel_map map = { .pid = 1 };
	struct kernel_cpu cpu;

	(void)state;
	assert_false(kernel_find(NULL, &map, "a", "ab-cd"));
	assert_int_equal(map.pid, 0);
	assert_false(kernel_find(NULL, &map, "../../etc/x", "ab-cd"));
	assert_false(kernel_read_cpu(NULL, &map, &cpu));
	map.pid = INT_MAX;
	assert_false(kernel_read_cpu(NULL, &map, &cpu));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cgroups_of_guests),
		cmocka_unit_test(cpu_time_of_a_cgroup),
		cmocka_unit_test(cpu_time_of_a_process),
		cmocka_unit_test(the_start_of_a_process),
		cmocka_unit_test(another_process_of_that_number),
		cmocka_unit_test(a_process_that_does_not_die),
		cmocka_unit_test(interfaces_by_name),
		cmocka_unit_test(guests_that_are_not_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
