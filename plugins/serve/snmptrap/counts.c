/* SPDX-License-Identifier: MIT */
#include "counts.h"

#include <inttypes.h>

#include <collector/kit/address.h>
#include <collector/kit/once.h>

#define PAUSE (3600 * MC_SECOND)

static const struct {
	const char *name, *text;
} reasons[COUNTS_REASONS] = {
	[USM_LEVEL] = { "level", "its user must use other protocols" },
	[USM_TIME] = { "time", "it is not of now: it may be a replay" },
	[USM_USER] = { "user", "there is no such <User>" },
	[USM_ENGINE] = { "engine", "it is for another engine" },
	[USM_DIGEST] = { "digest",
			 "its AuthProtocol or AuthPassphrase differs" },
	[USM_CIPHER] = { "cipher",
			 "its PrivacyProtocol or PrivacyPassphrase differs" },
	[COUNTS_CUT] = { "oversized", "it is too long" },
	[COUNTS_MESSAGE] = { "message", "it is no message of SNMP" },
	[COUNTS_PDU] = { "pdu", "it is no trap and no inform" },
	[COUNTS_COMMUNITY] = { "community",
			       "its community is not one of ours" },
	[COUNTS_SENDER] = { "sender_limit", "its sender sends more than "
					    "SenderLimit allows" },
	[COUNTS_OVERFLOW] = { "overflow", "the kernel's buffer was full, see "
					  "ReceiveBuffer" },
};

void counts_refuse(struct counts *counts, struct mc_ctx *ctx,
		   enum counts_reason reason,
		   const struct sockaddr_storage *sender, uint64_t number)
{
	char address[MC_ADDRESS_TEXT_SIZE];
	uint64_t total =
		atomic_fetch_add(&counts->refused[reason], number) + number;

	if (!mc_once_in(&counts->logged[reason], mc_now(), PAUSE))
		return;
	if (sender != NULL)
		mc_log(ctx, MC_WARN,
		       "refuses a message of %s: %s (%" PRIu64 " so far)",
		       mc_address_text(sender, address), reasons[reason].text,
		       total);
	else
		mc_log(ctx, MC_WARN,
		       "the kernel dropped %" PRIu64 " messages: %s", total,
		       reasons[reason].text);
}

static void put_total(struct mc_batch *batch, const char *type,
		      const char *instance, uint64_t total)
{
	const struct mc_id id = { .type = type, .type_instance = instance };

	mc_derive(batch, mc_series(batch, id), (int64_t)total);
}

void counts_report(const struct counts *counts, struct mc_batch *batch)
{
	put_total(batch, "total_values", "traps", counts->traps);
	put_total(batch, "total_values", "informs", counts->informs);
	for (unsigned i = USM_GOOD + 1; i < COUNTS_REASONS; i++)
		put_total(batch, "errors", reasons[i].name, counts->refused[i]);
}
