/* SPDX-License-Identifier: MIT */
#include "daemon/process/limits.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "base/log.h"

void limits_raise_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
		files.rlim_cur = files.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &files) < 0)
			log_warn("cannot raise the limit of open files: %s", strerror(errno));
	}
}
