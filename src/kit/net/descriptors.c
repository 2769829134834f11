/* SPDX-License-Identifier: MIT */
/* getrlimit(2), dup(2): the lowest number is given that is free.  So its number
 * says of a descriptor how many are left, whoever has the others. */
#include "kit/net/descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define RESERVE_LEAST 32
#define RESERVE_PART 8 /* An eighth. */

static rlim_t reserve_of(rlim_t limit)
{
	rlim_t reserve = limit / RESERVE_PART;

	if (reserve < RESERVE_LEAST)
		reserve = RESERVE_LEAST;
	return reserve < limit / 2 ? reserve : limit / 2;
}

bool mc_descriptors_left(bool asks)
{
	struct rlimit limit;
	rlim_t reserve;
	int fd;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return true;
	fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return false;
	close(fd);
	reserve = reserve_of(limit.rlim_cur);
	return (rlim_t)fd < limit.rlim_cur - (asks ? reserve / 2 : reserve);
}
