/* SPDX-License-Identifier: MIT */
#include "driver.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

_Static_assert(DRIVER_NAME_SIZE == ETH_GSTRING_LEN + 1, "linux/ethtool.h");

/* The kernel writes as much as the driver has, whatever room there is, and the number of a
 * driver's statistics may grow between two calls.  So after the buffer there is a page without
 * write access: the kernel returns EFAULT. */
int driver_open(struct driver *driver, size_t max)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = sizeof(struct ethtool_gstrings) + max * ETH_GSTRING_LEN;
	void *buffer;
	int fd;

	size = (size + page - 1) / page * page;
	buffer =
		mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED)
		return -errno;
	driver->buffer = buffer;
	driver->buffer_size = size;
	driver->max = max;
	if (mprotect((char *)buffer + size, page, PROT_NONE) != 0)
		return -errno;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	driver->socket = fd + 1;
	return 0;
}

void driver_done(struct driver *driver)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (driver->buffer != NULL)
		munmap(driver->buffer, driver->buffer_size + page);
	if (driver->socket != 0)
		close(driver->socket - 1);
	*driver = (struct driver){ 0 };
}

static int ask(struct driver *driver, const char *interface, unsigned long request,
	       struct ifreq *ask)
{
	if (strlen(interface) >= sizeof(ask->ifr_name))
		return -ENODEV;
	memcpy(ask->ifr_name, interface, strlen(interface) + 1);
	return ioctl(driver->socket - 1, request, ask) < 0 ? -errno : 0;
}

static int ask_driver(struct driver *driver, const char *interface, void *what)
{
	struct ifreq request = { .ifr_data = what };

	return ask(driver, interface, SIOCETHTOOL, &request);
}

int driver_index(struct driver *driver, const char *interface)
{
	struct ifreq request = { 0 };
	int rc = ask(driver, interface, SIOCGIFINDEX, &request);

	return rc < 0 ? rc : request.ifr_ifindex;
}

int driver_count(struct driver *driver, const char *interface)
{
	struct ethtool_sset_info *question = driver->buffer;
	int rc;

	*question = (struct ethtool_sset_info){ .cmd = ETHTOOL_GSSET_INFO,
						.sset_mask = 1U << ETH_SS_STATS };
	rc = ask_driver(driver, interface, question);
	if (rc < 0)
		return rc;
	if (question->sset_mask == 0) /* There is no such set. */
		return 0;
	return question->data[0] > INT32_MAX ? -EOVERFLOW : (int)question->data[0];
}

void driver_name(const char raw[32], char name[DRIVER_NAME_SIZE])
{
	size_t start = 0, end = strnlen(raw, ETH_GSTRING_LEN);

	while (start < end && raw[start] == ' ')
		start++;
	while (end > start && raw[end - 1] == ' ')
		end--;
	memcpy(name, raw + start, end - start);
	name[end - start] = '\0';
}

int driver_names(struct driver *driver, const char *interface, size_t count, char *names)
{
	struct ethtool_gstrings *question = driver->buffer;
	int rc;

	if (count > driver->max)
		return -EOVERFLOW;
	*question = (struct ethtool_gstrings){ .cmd = ETHTOOL_GSTRINGS,
					       .string_set = ETH_SS_STATS,
					       .len = (uint32_t)count };
	rc = ask_driver(driver, interface, question);
	if (rc < 0)
		return rc;
	if (question->len != count)
		return -EAGAIN;
	for (size_t i = 0; i < count; i++)
		driver_name((const char *)question->data + i * ETH_GSTRING_LEN,
			    names + i * DRIVER_NAME_SIZE);
	return 0;
}

int driver_numbers(struct driver *driver, const char *interface, size_t count,
		   const unsigned long long **numbers)
{
	struct ethtool_stats *question = driver->buffer;
	int rc;

	if (count > driver->max)
		return -EOVERFLOW;
	*question = (struct ethtool_stats){ .cmd = ETHTOOL_GSTATS, .n_stats = (uint32_t)count };
	rc = ask_driver(driver, interface, question);
	if (rc < 0)
		return rc;
	if (question->n_stats != count)
		return -EAGAIN;
	*numbers = question->data;
	return 0;
}
