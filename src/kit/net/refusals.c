/* SPDX-License-Identifier: MIT */
#include <collector/kit/refusals.h>

#include <inttypes.h>
#include <stdio.h>

#include <collector/kit/address.h>

#define PAUSE (3600 * MC_SECOND)
#define SHOWN_MAX 64 /* Bytes of a text. */

/* Their number so far; 0: no report is due. */
static uint64_t count(struct mc_refusals *refusals, unsigned reason, uint64_t number)
{
	uint64_t total = atomic_fetch_add(&refusals->counts[reason], number) + number;
	mc_time now = mc_now(), logged = atomic_load(&refusals->logged[reason]);

	if (logged != 0 && now - logged < PAUSE)
		return 0;
	/* Another thread may be faster. */
	return atomic_compare_exchange_strong(&refusals->logged[reason], &logged, now) ? total : 0;
}

/* " 'TEXT'", what can be shown of it. */
static void quote(const struct mc_refused *refused, char out[SHOWN_MAX + 4])
{
	size_t size = refused->size < SHOWN_MAX ? refused->size : SHOWN_MAX;
	char *to = out;

	*to++ = ' ';
	*to++ = '\'';
	for (size_t i = 0; i < size; i++)
		*to++ = refused->text[i] >= ' ' && refused->text[i] <= '~' ? refused->text[i] : '?';
	*to++ = '\'';
	*to = '\0';
}

void mc_refuse(struct mc_refusals *refusals, struct mc_ctx *ctx, unsigned reason,
	       const struct mc_refused *refused)
{
	char text[SHOWN_MAX + 4] = "", address[MC_ADDRESS_TEXT_SIZE];
	bool known = refused->sender != NULL;
	uint64_t total = count(refusals, reason, 1);

	if (total == 0)
		return;
	if (refused->text != NULL)
		quote(refused, text);
	mc_log(ctx, MC_WARN, "refuses %s%s%s%s: %s (%" PRIu64 " so far)", refused->what, text,
	       known ? " of " : "", known ? mc_address_text(refused->sender, address) : "",
	       refusals->reasons[reason].text, total);
}

void mc_refuse_dropped(struct mc_refusals *refusals, struct mc_ctx *ctx, unsigned reason,
		       uint64_t number)
{
	uint64_t total = count(refusals, reason, number);

	if (total > 0)
		mc_log(ctx, MC_WARN, "the kernel dropped %" PRIu64 " datagrams: %s", total,
		       refusals->reasons[reason].text);
}

void mc_refusals_report(const struct mc_refusals *refusals, struct mc_batch *batch)
{
	for (unsigned i = 0; i < refusals->len; i++) {
		const char *name = refusals->reasons[i].name;

		if (name != NULL)
			mc_put_derive(batch, (int64_t)refusals->counts[i], .type = "errors",
				      .type_instance = name);
	}
}
