/* SPDX-License-Identifier: MIT */
#include "extend_look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>

#include "describe.h"

#define PATIENCE (5 * MC_SECOND)

struct look_job {
	struct connection_job job;
	struct extend_look look;
};

static void job_free(struct connection_job *job)
{
	free(job);
}

static void take_sizes(struct extend_look *look, const virDomainBlockInfo *info)
{
	struct watermark_disk disk = { .size = look->device ? info->physical : info->capacity,
				       .allocation = info->allocation };
	struct watermark_disk empty = { .size = disk.size };
	uint64_t lowest = threshold_bytes(&look->mark, &empty);

	look->size = disk.size;
	look->beyond = lowest != 0 && disk.allocation >= lowest;
	look->threshold = threshold_bytes(&look->mark, &disk);
}

static void look_at_chain(struct extend_look *look, virDomainPtr domain)
{
	char *xml = virDomainGetXMLDesc(domain, 0);

	if (xml == NULL || !describe_chain(xml, look->disk, look->chain, sizeof(look->chain)))
		look->chain[0] = '\0';
	free(xml);
}

static int job_run(struct connection_job *job, virConnectPtr conn, bool fresh)
{
	struct extend_look *look = &((struct look_job *)job)->look;
	virDomainPtr domain = virDomainLookupByUUID(conn, look->uuid);
	virDomainBlockInfo info;
	int rc = 0;

	(void)fresh;
	if (domain == NULL)
		return connection_explain(job, "guest");
	if (virDomainGetBlockInfo(domain, look->disk, &info, 0) < 0) {
		rc = connection_explain(job, look->disk);
	} else {
		take_sizes(look, &info);
		look_at_chain(look, domain);
		look->set = look->size > look->from && look->threshold > 0 &&
			    virDomainSetBlockThreshold(domain, look->disk, look->threshold, 0) == 0;
	}
	virDomainFree(domain);
	return rc;
}

int extend_look(struct mc_ctx *ctx, struct link *link, struct extend_look *look)
{
	struct look_job *job;
	int rc;

	if (connection_busy(link)) {
		snprintf(look->reason, sizeof(look->reason), "it hangs");
		return -EBUSY;
	}
	job = mc_alloc_zero(sizeof(*job));
	job->job.run = job_run;
	job->job.free = job_free;
	job->look = *look;
	rc = connection_call(ctx, link, &job->job, PATIENCE);
	if (rc == -ETIMEDOUT) { /* The job is not ours any more. */
		snprintf(look->reason, sizeof(look->reason), "it hangs");
		return rc;
	}
	*look = job->look;
	snprintf(look->reason, sizeof(look->reason), "%s", job->job.reason);
	free(job);
	return rc;
}
