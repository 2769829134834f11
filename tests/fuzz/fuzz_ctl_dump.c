/* SPDX-License-Identifier: MIT */
/* A file that collectorctl is to print as a dump, packed or not. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctl/command/dump_fields.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("dump", MFD_CLOEXEC);
	struct dump_fields *fields;
	struct mc_otlp_span field;
	char path[32];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fields = dump_fields_open(path);
	assert(fields != NULL);
	for (int i = 0; i < 1000 && dump_fields_next(fields, &field); i++)
		assert(field.end - field.at >= 2);
	dump_fields_are_whole(fields);
	dump_fields_close(fields);
	close(fd);
	return 0;
}
