/* SPDX-License-Identifier: MIT */
/* Drivers that are well, that have other statistics from one call to the next, and that write more
 * than they were asked for.  The kernel is played by the test. */
#include "driver.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include <cmocka.h>

#define MAX 200

struct kernel {
	unsigned count;    /* Statistics of the driver "eth0". */
	unsigned more;     /* Those that it has grown by since it was asked. */
	bool refuses;      /* Every question. */
	unsigned requests; /* That have come. */
};

/* The descriptor of a socket is all that ioctl() gets to know. */
static struct kernel *kernel_of(struct kernel *set)
{
	static struct kernel *kernel;

	if (set != NULL)
		kernel = set;
	return kernel;
}

static int answer(struct kernel *kernel, void *data)
{
	struct ethtool_sset_info *info = data;
	struct ethtool_gstrings *names = data;
	struct ethtool_stats *numbers = data;

	switch (info->cmd) {
	case ETHTOOL_GSSET_INFO:
		info->data[0] = kernel->count;
		info->sset_mask = kernel->count > 0 ? 1U << ETH_SS_STATS : 0;
		return 0;
	case ETHTOOL_GSTRINGS:
		names->len = kernel->count + kernel->more;
		for (unsigned i = 0; i < names->len; i++)
			snprintf((char *)names->data + i * ETH_GSTRING_LEN, ETH_GSTRING_LEN,
				 " rx_%u ", i);
		return 0;
	case ETHTOOL_GSTATS:
		numbers->n_stats = kernel->count + kernel->more;
		for (unsigned i = 0; i < numbers->n_stats; i++)
			numbers->data[i] = UINT64_MAX - i;
		return 0;
	}
	return EOPNOTSUPP;
}

int __wrap_ioctl(int fd, unsigned request, ...);
int __wrap_ioctl(int fd, unsigned request, ...)
{
	struct kernel *kernel = kernel_of(NULL);
	struct ifreq *ifreq;
	va_list args;

	assert_true(fd >= 0);
	va_start(args, request);
	ifreq = va_arg(args, struct ifreq *);
	va_end(args);
	kernel->requests++;
	errno = ENODEV;
	if (kernel->refuses || strcmp(ifreq->ifr_name, "eth0") != 0)
		return -1;
	if (request == SIOCGIFINDEX) {
		ifreq->ifr_ifindex = 7;
		return 0;
	}
	assert_true(request == SIOCETHTOOL);
	errno = answer(kernel, ifreq->ifr_data);
	return errno == 0 ? 0 : -1;
}

static void test_well(void **state)
{
	struct kernel kernel = { .count = 3 };
	struct driver driver = { 0 };
	char names[3 * DRIVER_NAME_SIZE];
	const unsigned long long *numbers;

	(void)state;
	kernel_of(&kernel);
	assert_int_equal(driver_open(&driver, MAX), 0);
	assert_int_equal(driver_index(&driver, "eth0"), 7);
	assert_int_equal(driver_count(&driver, "eth0"), 3);
	assert_int_equal(driver_names(&driver, "eth0", 3, names), 0);
	assert_string_equal(names, "rx_0");
	assert_string_equal(names + 2 * DRIVER_NAME_SIZE, "rx_2");
	assert_int_equal(driver_numbers(&driver, "eth0", 3, &numbers), 0);
	assert_true(numbers[2] == UINT64_MAX - 2);
	kernel.count = 0;
	assert_int_equal(driver_count(&driver, "eth0"), 0);
	driver_done(&driver);
}

static void test_changed_meanwhile(void **state)
{
	struct kernel kernel = { .count = 3, .more = 1 };
	struct driver driver = { 0 };
	char names[3 * DRIVER_NAME_SIZE];
	const unsigned long long *numbers = NULL;

	(void)state;
	kernel_of(&kernel);
	assert_int_equal(driver_open(&driver, MAX), 0);
	assert_int_equal(driver_names(&driver, "eth0", 3, names), -EAGAIN);
	assert_int_equal(driver_numbers(&driver, "eth0", 3, &numbers), -EAGAIN);
	assert_null(numbers);
	driver_done(&driver);
}

static void test_refused(void **state)
{
	struct kernel kernel = { .count = 3 };
	struct driver driver = { 0 };
	char names[3 * DRIVER_NAME_SIZE];
	const unsigned long long *numbers;

	(void)state;
	kernel_of(&kernel);
	assert_int_equal(driver_open(&driver, MAX), 0);
	assert_int_equal(driver_index(&driver, "a-name-that-is-too-long"), -ENODEV);
	assert_int_equal(kernel.requests, 0);
	assert_int_equal(driver_count(&driver, "eth1"), -ENODEV);
	assert_int_equal(driver_names(&driver, "eth0", MAX + 1, names), -EOVERFLOW);
	assert_int_equal(driver_numbers(&driver, "eth0", MAX + 1, &numbers), -EOVERFLOW);
	kernel.refuses = true;
	assert_int_equal(driver_names(&driver, "eth0", 3, names), -ENODEV);
	assert_int_equal(driver_numbers(&driver, "eth0", 3, &numbers), -ENODEV);
	driver_done(&driver);
	driver_done(&driver);
}

static void test_names(void **state)
{
	char name[DRIVER_NAME_SIZE], raw[32] = "  with blanks  ";

	(void)state;
	driver_name(raw, name);
	assert_string_equal(name, "with blanks");
	memset(raw, ' ', sizeof(raw));
	driver_name(raw, name);
	assert_string_equal(name, "");
	memset(raw, 'x', sizeof(raw)); /* Without '\0'. */
	driver_name(raw, name);
	assert_int_equal(strlen(name), 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_well),
		cmocka_unit_test(test_changed_meanwhile),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
