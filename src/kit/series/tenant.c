/* SPDX-License-Identifier: MIT */
#include "kit/series/tenant.h"

#include <stdio.h>
#include <string.h>

static void take(void *argument, const struct mc_field *label)
{
	if (strcmp(label->name, MC_TENANT_LABEL) == 0)
		snprintf(argument, MC_LABEL_SIZE, "%s", label->value);
}

void mc_tenant(struct mc_ctx *ctx, const char *host, char out[MC_LABEL_SIZE])
{
	out[0] = '\0';
	mc_each_label(ctx, host, take, out);
}
