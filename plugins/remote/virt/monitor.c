/* SPDX-License-Identifier: MIT */
#include "monitor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libvirt/libvirt-qemu.h>
#include <libvirt/virterror.h>

#define COMMAND_SIZE 1024
#define QUERY "{\"execute\":\"query-blockstats\"}"

/* 'answer' is to be freed. */
static int send(virDomainPtr domain, const char *command, char **answer)
{
	const virError *error;

	*answer = NULL;
	if (virDomainQemuMonitorCommand(domain, command, answer, 0) == 0 && *answer != NULL)
		return 0;
	error = virGetLastError();
	switch (error != NULL ? error->code : VIR_ERR_OK) {
	case VIR_ERR_NO_SUPPORT:
		return -ENOTSUP;
	case VIR_ERR_ACCESS_DENIED:
	case VIR_ERR_OPERATION_DENIED:
		return -EPERM;
	default: /* The guest has just ended, or another operation holds it. */
		return -EAGAIN;
	}
}

static int begin(virDomainPtr domain, struct histogram_disk *disk)
{
	char command[COMMAND_SIZE], *answer;
	int rc;

	if (!histogram_command(disk, command, sizeof(command)))
		return -EINVAL;
	rc = send(domain, command, &answer);
	if (rc < 0)
		return rc;
	rc = histogram_parse_done(answer, strlen(answer));
	free(answer);
	if (rc == 0)
		histogram_begin(disk);
	return rc;
}

static int begin_all(virDomainPtr domain, size_t refused, struct histogram_disks *disks)
{
	size_t missing = 0;
	int rc = 0;

	for (size_t i = 0; i < disks->len; i++)
		missing += !disks->items[i].counted;
	if (missing == refused)
		return 0;
	for (size_t i = 0; i < disks->len && rc != -ENOSYS; i++)
		if (!disks->items[i].counted)
			rc = begin(domain, &disks->items[i]);
	return rc == -ENOSYS ? rc : 0;
}

int monitor_histograms(virDomainPtr domain, size_t refused, struct histogram_disks *disks)
{
	char *answer;
	int rc = send(domain, QUERY, &answer);

	if (rc < 0)
		return rc;
	rc = histogram_parse(answer, strlen(answer), disks);
	free(answer);
	if (rc == 0)
		rc = begin_all(domain, refused, disks);
	if (rc < 0)
		histogram_free(disks);
	return rc;
}
