/* SPDX-License-Identifier: MIT */
#include "agent_put.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/metadata.h>
#include <collector/quota.h>

#include "agent_facts.h"
#include "virt.h"

static struct mc_series *put(struct mc_batch *out, const struct guest *guest, const char *type,
			     const char *instance, double value)
{
	struct mc_series *series =
		mc_series(out, MC_ID(.host = guest->host, .plugin_instance = guest->instance,
				     .type = type, .type_instance = instance));

	mc_put_at(out, series, (struct mc_stamp){ mc_wall(), guest->slow },
		  &(union mc_value){ .gauge = value }, 1);
	return series;
}

struct part { /* Of a file system. */
	const char *type, *name;
	double value;
};

static void put_part(struct mc_batch *out, const struct guest *guest,
		     const struct agent_file_system *at, const struct part *part)
{
	const struct mc_attribute attributes[] = {
		{ "device", at->device },
		{ "mountpoint", at->point },
		{ "fstype", at->type },
	};
	char instance[AGENT_NAME_SIZE + 8];

	snprintf(instance, sizeof(instance), "%s-%s", at->name, part->name);
	mc_set_metadata(out, put(out, guest, part->type, instance, part->value), 0,
			&(struct mc_metadata){
				.warning = { NAN, NAN },
				.failure = { NAN, NAN },
				.attributes = attributes,
				.attributes_len = sizeof(attributes) / sizeof(attributes[0]),
			});
}

void agent_put_facts(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
		     const struct agent_facts *facts)
{
	static const struct mc_quota_limits limits = { .series = 1024, .new_series = 256 };
	char name[NAMES_SIZE + 32];

	if (guest->agent.quota == NULL) {
		snprintf(name, sizeof(name), "agent of guest %s", guest->name);
		guest->agent.quota = mc_quota_new(ctx, MC_QUOTA_SOURCE, name, &limits);
	}
	mc_charge(out, guest->agent.quota);
	for (size_t i = 0; i < facts->file_systems_len; i++) {
		const struct agent_file_system *at = &facts->file_systems[i];
		double used = (double)at->used, total = (double)at->total;

		const struct part parts[] = {
			{ "df_complex", "free", total - used },
			{ "df_complex", "used", used },
			{ "percent_bytes", "used", 100 * used / total },
		};

		for (size_t k = 0; k < (at->image ? 2 : 3); k++) /* An image does not fill. */
			put_part(out, guest, at, &parts[k]);
	}
	if (facts->has_users)
		put(out, guest, "users", "", facts->users);
	if (!isnan(facts->load[0]))
		mc_put_at(out,
			  mc_series(out, MC_ID(.host = guest->host,
					       .plugin_instance = guest->instance, .type = "load")),
			  (struct mc_stamp){ mc_wall(), guest->slow },
			  (union mc_value[3]){ { .gauge = facts->load[0] },
					       { .gauge = facts->load[1] },
					       { .gauge = facts->load[2] } },
			  3);
	mc_charge(out, NULL);
	if (facts->left_out > 0)
		mc_complain(ctx, &guest->agent.left_out, 0,
			    "guest '%s' has %zu file systems that are left out: more than %d, or "
			    "of equal names",
			    guest->name, facts->left_out, AGENT_FILE_SYSTEMS_MAX);
}

void agent_put_labels(struct guest *guest, const struct agent_facts *facts)
{
	struct agent_labels labels;

	memset(&labels, 0, sizeof(labels)); /* Also between texts, which are compared. */
	snprintf(labels.os, sizeof(labels.os), "%s", facts->os);
	snprintf(labels.kernel, sizeof(labels.kernel), "%s", facts->kernel);
	snprintf(labels.hostname, sizeof(labels.hostname), "%s", facts->hostname);
	snprintf(labels.addresses, sizeof(labels.addresses), "%s", facts->addresses);
	if (guest->agent.labels == NULL)
		guest->agent.labels = mc_alloc_zero(sizeof(labels));
	if (memcmp(guest->agent.labels, &labels, sizeof(labels)) == 0)
		return;
	*guest->agent.labels = labels;
	guest->described = false;
}
