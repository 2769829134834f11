/* SPDX-License-Identifier: MIT */
/* kit/series/tenant.h - whose the series of a host are: the label "tenant" of the host, which a
 * server gives it by what it knows of the client (host_labels.h), and which is in the journal and
 * in requests of OTLP as all labels are.  In libseries_tenant.  Thread: any. */
#pragma once

#include <collector/label.h>

#define MC_TENANT_LABEL "tenant"

/* Writes the tenant of a host; "" if it has none. */
void mc_tenant(struct mc_ctx *, const char *host, char out[MC_LABEL_SIZE]);
