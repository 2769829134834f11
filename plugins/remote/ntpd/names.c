/* SPDX-License-Identifier: MIT */
/* Facts: ntpd's drivers and their numbers (refclock documentation of ntpd); collectd's names of
 * them. */
#include "names.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static const char *const drivers[] = {
	"UNKNOWN",    "LOCAL",       "GPS_TRAK",  "WWV_PST",    "SPECTRACOM", "TRUETIME",
	"IRIG_AUDIO", "CHU_AUDIO",   "GENERIC",   "GPS_MX4200", "GPS_AS2201", "GPS_ARBITER",
	"IRIG_TPRO",  "ATOM_LEITCH", "MSF_EES",   "GPSTM_TRUE", "GPS_BANC",   "GPS_DATUM",
	"ACTS_NIST",  "WWV_HEATH",   "GPS_NMEA",  "GPS_VME",    "PPS",        "ACTS_PTB",
	"ACTS_USNO",  "TRUETIME",    "GPS_HP",    "MSF_ARCRON", "SHM",        "GPS_PALISADE",
	"GPS_ONCORE", "GPS_JUPITER", "CHRONOLOG", "DUMBCLOCK",  "ULINK_M320", "PCF",
	"WWV_AUDIO",  "GPS_FG",      "HOPF_S",    "HOPF_P",     "JJY",        "TT_IRIG",
	"GPS_ZYFER",  "GPS_RIPENCC", "NEOCLK4X",  "PCI_TSYNC",  "GPSD_JSON",
};

int names_driver(const char *address, int *unit)
{
	struct in_addr parsed;
	const unsigned char *bytes = (const unsigned char *)&parsed;

	if (inet_pton(AF_INET, address, &parsed) != 1 || bytes[0] != 127 || bytes[1] != 127)
		return -1;
	*unit = bytes[3];
	return bytes[2];
}

const char *names_of_driver(int driver)
{
	if (driver < 0 || (size_t)driver >= sizeof(drivers) / sizeof(drivers[0]))
		return NULL;
	return drivers[driver];
}

void names_of_host(const char *address, char name[NAMES_SIZE])
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
	int rc = -1;

	if (inet_pton(AF_INET, address, &v4.sin_addr) == 1)
		rc = getnameinfo((struct sockaddr *)&v4, sizeof(v4), name, NAMES_SIZE, NULL, 0, 0);
	else if (inet_pton(AF_INET6, address, &v6.sin6_addr) == 1)
		rc = getnameinfo((struct sockaddr *)&v6, sizeof(v6), name, NAMES_SIZE, NULL, 0, 0);
	if (rc != 0)
		snprintf(name, NAMES_SIZE, "%s", address);
}
