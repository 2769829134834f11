/* SPDX-License-Identifier: MIT */
/* SIOCGIWRATE of linux/wireless.h. */
#include "rate.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/wireless.h>

double rate_of(int fd, const char *interface)
{
	struct iwreq request = { 0 };

	if (strlen(interface) >= sizeof(request.ifr_name))
		return NAN;
	memcpy(request.ifr_name, interface, strlen(interface) + 1);
	if (ioctl(fd, SIOCGIWRATE, &request) < 0 || request.u.bitrate.value <= 0)
		return NAN;
	return request.u.bitrate.value;
}
