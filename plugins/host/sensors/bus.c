/* SPDX-License-Identifier: MIT */
#include "bus.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/number.h>

/* Takes a number of this base, and the character 'end' after it. */
static bool take(const char **at, unsigned base, char end, uint32_t *number)
{
	const char *next = *at;
	uint32_t sum = 0;

	for (unsigned digit; (digit = mc_number_digit(*next)) < base; next++)
		if (__builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum))
			return false;
	if (next == *at || *next != end)
		return false;
	*number = sum;
	*at = end == '\0' ? next : next + 1;
	return true;
}

/* "3-0048": bus and address. */
static bool i2c(const char *prefix, const char *at, char *out, size_t size)
{
	uint32_t bus, address;

	if (!take(&at, 10, '-', &bus) || !take(&at, 16, '\0', &address))
		return false;
	snprintf(out, size, "%s-i2c-%u-%02x", prefix, bus, address);
	return true;
}

/* "spi0.1". */
static bool spi(const char *prefix, const char *at, char *out, size_t size)
{
	uint32_t bus, address;

	if (strncmp(at, "spi", 3) != 0)
		return false;
	at += 3;
	if (!take(&at, 10, '.', &bus) || !take(&at, 10, '\0', &address))
		return false;
	snprintf(out, size, "%s-spi-%u-%x", prefix, bus, address);
	return true;
}

/* "0000:00:18.3": domain, bus, slot, function. */
static bool pci(const char *prefix, const char *at, char *out, size_t size)
{
	uint32_t domain, bus, slot, function;

	if (!take(&at, 16, ':', &domain) || !take(&at, 16, ':', &bus) ||
	    !take(&at, 16, '.', &slot) || !take(&at, 16, '\0', &function))
		return false;
	snprintf(out, size, "%s-pci-%04x", prefix,
		 (domain << 16) + (bus << 8) + (slot << 3) + function);
	return true;
}

/* "coretemp.0"; without a number it is 0. */
static bool platform(const char *prefix, const char *at, char *out, size_t size)
{
	const char *point = strchr(at, '.');
	uint32_t address = 0;

	if (point != NULL) {
		point++;
		if (!take(&point, 10, '\0', &address))
			address = 0;
	}
	snprintf(out, size, "%s-isa-%04x", prefix, address);
	return true;
}

static bool acpi(const char *prefix, const char *at, char *out, size_t size)
{
	(void)at;
	snprintf(out, size, "%s-acpi-0", prefix);
	return true;
}

/* "0003:1B1C:0C10.0004": bus, vendor, product, number. */
static bool hid(const char *prefix, const char *at, char *out, size_t size)
{
	uint32_t bus, vendor, product, number;

	if (!take(&at, 16, ':', &bus) || !take(&at, 16, ':', &vendor) ||
	    !take(&at, 16, '.', &product) || !take(&at, 16, '\0', &number))
		return false;
	snprintf(out, size, "%s-hid-%u-%x", prefix, bus, number);
	return true;
}

/* "r8169-0-200:00". */
static bool mdio(const char *prefix, const char *at, char *out, size_t size)
{
	const char *colon = strchr(at, ':');
	uint32_t address = 0;

	if (colon != NULL) {
		colon++;
		if (!take(&colon, 10, '\0', &address))
			address = 0;
	}
	snprintf(out, size, "%s-mdio-%x", prefix, address);
	return true;
}

/* "0:0:1:0": host, channel, target, unit. */
static bool scsi(const char *prefix, const char *at, char *out, size_t size)
{
	uint32_t host, channel, target, unit;

	if (!take(&at, 10, ':', &host) || !take(&at, 10, ':', &channel) ||
	    !take(&at, 10, ':', &target) || !take(&at, 16, '\0', &unit))
		return false;
	snprintf(out, size, "%s-scsi-%u-%x", prefix, host, (channel << 8) + (target << 4) + unit);
	return true;
}

bool bus_name(const char *prefix, const char *subsystem, const char *device, char *out, size_t size)
{
	static const struct {
		const char *subsystem;
		bool (*name)(const char *prefix, const char *at, char *out, size_t size);
	} buses[] = {
		{ "i2c", i2c },
		{ "spi", spi },
		{ "pci", pci },
		{ "platform", platform },
		{ "of_platform", platform },
		{ "acpi", acpi },
		{ "hid", hid },
		{ "mdio_bus", mdio },
		{ "scsi", scsi },
	};

	for (size_t i = 0; i < sizeof(buses) / sizeof(*buses); i++)
		if (strcmp(buses[i].subsystem, subsystem) == 0)
			return buses[i].name(prefix, device, out, size);
	return false;
}

void bus_virtual_name(const char *prefix, char *out, size_t size)
{
	snprintf(out, size, "%s-virtual-0", prefix);
}
