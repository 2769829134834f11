/* SPDX-License-Identifier: MIT */
/* The kernel is played by the test. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/wireless.h>

#include "rate.h"

int __wrap_ioctl(int fd, unsigned request, ...);
int __wrap_ioctl(int fd, unsigned request, ...)
{
	struct iwreq *asked;
	va_list args;

	va_start(args, request);
	asked = va_arg(args, struct iwreq *);
	va_end(args);
	assert_int_equal(fd, 7);
	assert_int_equal(request, SIOCGIWRATE);
	if (strcmp(asked->ifr_name, "wlan0") == 0)
		asked->u.bitrate.value = 866700000;
	else if (strcmp(asked->ifr_name, "fifteen-bytes-w") == 0)
		asked->u.bitrate.value = 1000000;
	else if (strcmp(asked->ifr_name, "idle") == 0)
		asked->u.bitrate.value = 0;
	else if (strcmp(asked->ifr_name, "odd") == 0)
		asked->u.bitrate.value = -1;
	else
		return errno = EOPNOTSUPP, -1;
	return 0;
}

static void a_link_has_a_rate(void **state)
{
	(void)state;
	assert_true(rate_of(7, "wlan0") == 866700000);
	assert_true(rate_of(7, "fifteen-bytes-w") == 1000000);
}

static void else_it_is_unknown(void **state)
{
	(void)state;
	assert_true(isnan(rate_of(7, "idle")));
	assert_true(isnan(rate_of(7, "odd")));
	assert_true(isnan(rate_of(7, "eth0")));
	assert_true(isnan(rate_of(7, "sixteen-bytes-w0")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_has_a_rate),
		cmocka_unit_test(else_it_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
