/* SPDX-License-Identifier: MIT */
/* A guest that is gone is read no more, so its states end by themselves.  States and reasons are
 * those of libvirt/libvirt-domain.h. */
#include "standing.h"

#include <math.h>
#include <stdio.h>

#include <libvirt/libvirt.h>

#include <collector/private/alerts.h>

#define READS 5                /* States end after this number without the guest, ... */
#define LEAST (60 * MC_SECOND) /* ... but not before. */
#define NEARLY_FULL 95         /* Percent. */
#define GB 1e9

static void stand(struct mc_ctx *ctx, const struct guest *guest, const struct mc_standing *what)
{
	struct mc_standing full = *what;

	full.id.host = guest->host;
	full.id.plugin_instance = guest->instance;
	full.lasting = ctx->interval * READS > LEAST ? ctx->interval * READS : LEAST;
	full.quiet = true;
	mc_stand(ctx, &full);
}

static void stand_paused(struct mc_ctx *ctx, const struct guest *guest)
{
	bool by_error =
		guest->state == VIR_DOMAIN_PAUSED && guest->reason == VIR_DOMAIN_PAUSED_IOERROR;
	char reason[256];

	snprintf(reason, sizeof(reason), "guest %.150s is paused by an I/O error of a disk",
		 guest->name);
	stand(ctx, guest,
	      &(struct mc_standing){ .id.type = "domain_state",
				     .severity = by_error ? MC_FAILURE : MC_OKAY,
				     .reason = reason,
				     .advice = "Make room for its disks, then: virsh domblkerror, "
					       "virsh resume." });
}

void standing_guest(struct mc_ctx *ctx, const struct guest *guest)
{
	char reason[256];

	stand_paused(ctx, guest);
	snprintf(reason, sizeof(reason), "guest %.150s %s", guest->name,
		 guest->stuck ? "does not answer" : "answers");
	stand(ctx, guest,
	      &(struct mc_standing){ .id.type = "virt_responsive",
				     .severity = guest->stuck ? MC_WARNING : MC_OKAY,
				     .reason = reason,
				     .advice = "Look at the storage of its disks, and at the state "
					       "of its QEMU process." });
}

void standing_disk(struct mc_ctx *ctx, const struct guest *guest, const char *disk,
		   const struct watermark_rule *rule, const struct watermark_disk *state)
{
	const struct watermark_disk empty = { .size = state->size,
					      .rate = isnan(state->rate) ? 0 : state->rate };
	uint64_t lowest = threshold_bytes(rule, &empty);
	double percent = 100 * (double)state->allocation / (double)state->size;
	enum mc_severity severity = MC_OKAY;
	char reason[256];

	if (lowest != 0 && state->allocation >= lowest)
		severity = percent >= NEARLY_FULL ? MC_FAILURE : MC_WARNING;
	snprintf(reason, sizeof(reason),
		 "disk %.40s of guest %.100s is written up to %.1f %% (%.3g GB left)", disk,
		 guest->name, percent, ((double)state->size - (double)state->allocation) / GB);
	stand(ctx, guest,
	      &(struct mc_standing){ .id.type = "virt_disk_headroom",
				     .id.type_instance = disk,
				     .severity = severity,
				     .reason = reason,
				     .advice = "Extend the volume before the guest is paused." });
}
