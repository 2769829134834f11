/* SPDX-License-Identifier: MIT */
#include "moving.h"

#include <pthread.h>
#include <stdatomic.h>

#include "virt.h"

bool moving_is_said(int event, int detail)
{
	switch (event) {
	case VIR_DOMAIN_EVENT_STARTED:
		return detail == VIR_DOMAIN_EVENT_STARTED_MIGRATED;
	case VIR_DOMAIN_EVENT_SUSPENDED:
		return detail == VIR_DOMAIN_EVENT_SUSPENDED_MIGRATED ||
		       detail == VIR_DOMAIN_EVENT_SUSPENDED_POSTCOPY;
	case VIR_DOMAIN_EVENT_RESUMED:
		return detail == VIR_DOMAIN_EVENT_RESUMED_MIGRATED ||
		       detail == VIR_DOMAIN_EVENT_RESUMED_POSTCOPY;
	default:
		return false;
	}
}

void moving_take(struct mc_ctx *ctx, virDomainPtr domain, int event, int detail)
{
	struct virt *self = ctx->self;
	unsigned char uuid[VIR_UUID_BUFLEN];
	struct guest *guest;

	if (!moving_is_said(event, detail) || virDomainGetUUID(domain, uuid) < 0)
		return;
	pthread_mutex_lock(&self->lock);
	guest = guests_find(&self->guests, uuid);
	if (guest != NULL)
		atomic_store(&guest->moves_until, mc_now() + MOVING_MAX);
	pthread_mutex_unlock(&self->lock);
}

bool moving_lasts(const struct guest *guest, mc_time now)
{
	return now < atomic_load(&guest->moves_until);
}
