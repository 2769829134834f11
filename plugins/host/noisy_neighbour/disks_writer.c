/* SPDX-License-Identifier: MIT */
/* disks_writer: all but explanations are of the writer's thread, so nothing locks.  A series that
 * is of no disk costs a comparison. */
#include "disks_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/kit/alloc.h>
#include <collector/label.h>
#include <collector/private/storage_label.h>
#include <collector/serve.h>

#define PLACE_PERIOD                                                                               \
	(30 * MC_SECOND) /* After which it looks again where the disks of a guest are. */
#define LATE_MAX 3       /* Intervals; older values are of a backlog. */
#define LATE_LEAST (10 * MC_SECOND)
#define MS_SIZE 32

/* Slots of series of no disk, and of those for which there was no room. */
static const struct disks_slot not_taken, refused;

void disks_writer_start(struct disks_writer *writer, struct mc_ctx *ctx, unsigned hits,
			bool guests_are_hosts)
{
	writer->rule = (struct contention_rule){ .latency_min = writer->latency_min / 1e3,
						 .factor = writer->factor,
						 .hits = hits };
	writer->guests_are_hosts = guests_are_hosts;
	report_init(&writer->report, ctx, guests_are_hosts);
	writer->is_wanted = true;
	/* The verdict is that of the disk. */
	writer->report.rules[RESOURCE_DISK] = (struct verdict_rule){ .max = 0.5, .hits = 1 };
	mc_subscribe(ctx, true);
}

void disks_writer_stop(struct disks_writer *writer)
{
	if (writer->is_wanted)
		report_done(&writer->report);
	writer->is_wanted = false;
}

/* --- Series ----------------------------------------------------------------- */

static bool kind_of(const struct mc_series *series, enum disks_kind *kind)
{
	static const char *const types[DISKS_KINDS] = {
		[DISKS_OPS] = "disk_ops",
		[DISKS_OCTETS] = "disk_octets",
		[DISKS_TIME] = "disk_time",
		[DISKS_LATENCY] = "disk_latency",
	};
	const char *type = mc_type(series)->name;

	/* Also the percentiles of a latency, which are of no disk that has requests. */
	for (unsigned i = 0; i < DISKS_KINDS; i++)
		if (strcmp(type, types[i]) == 0 && mc_type(series)->sources_len == 2) {
			*kind = i;
			return strcmp(mc_plugin(series), "virt") == 0;
		}
	return false;
}

static struct disks_slot *have_slot(struct disks_writer *writer, const struct mc_series *series,
				    void **slot)
{
	enum disks_kind kind;
	struct disk *disk;

	if (*slot == &refused)
		writer->refused--;
	*slot = (void *)&not_taken;
	if (!kind_of(series, &kind))
		return NULL;
	if (writer->disks.len >= (size_t)writer->disks_max) {
		writer->refused++;
		*slot = (void *)&refused;
		return NULL;
	}
	disk = disks_have(&writer->disks, mc_host(series), mc_plugin_instance(series),
			  mc_type_instance(series));
	if ((disk->used & 1U << kind) != 0) /* Another series has that name. */
		return NULL;
	disk->used |= 1U << kind;
	*slot = &disk->slots[kind];
	return &disk->slots[kind];
}

struct moment { /* Of a batch: two calls a value would cost as much as the rest. */
	mc_time wall, now;
};

static void take(struct disks_writer *writer, const struct mc_sample *sample,
		 const struct disks_slot *slot, const struct moment *moment)
{
	mc_time late = LATE_MAX * sample->interval;
	const struct disks_value value = { sample->time,
					   sample->interval,
					   { mc_rate(sample, 0), mc_rate(sample, 1) } };

	if (late < LATE_LEAST)
		late = LATE_LEAST;
	if (sample->time >= moment->wall - late)
		disks_take(&writer->disks, slot, &value, moment->now);
}

static void take_batch(struct disks_writer *writer, struct mc_ctx *ctx,
		       const struct mc_batch *batch)
{
	const struct moment moment = { mc_wall(), mc_now() };

	MC_FOR_EACH_SAMPLE (sample, batch) {
		void **slot = mc_slot(ctx, sample->series);
		const struct disks_slot *taken = *slot;

		if (taken == &not_taken)
			continue;
		if (taken == NULL ||
		    (taken == &refused && writer->disks.len < (size_t)writer->disks_max))
			taken = have_slot(writer, sample->series, slot);
		if (taken != NULL && taken != &refused)
			take(writer, sample, taken, &moment);
	}
}

/* --- Where disks are -------------------------------------------------------- */

struct place { /* Labels of a guest. */
	char hypervisor[MC_LABEL_SIZE], storage[MC_LABEL_SIZE];
};

static void take_label(void *argument, const struct mc_field *label)
{
	struct place *place = argument;

	if (strcmp(label->name, MC_STORAGE_LABEL) == 0)
		snprintf(place->storage, sizeof(place->storage), "%s", label->value);
	else if (strcmp(label->name, "hypervisor") == 0)
		snprintf(place->hypervisor, sizeof(place->hypervisor), "%s", label->value);
}

static void place_guest(struct disks_writer *writer, struct mc_ctx *ctx, struct disks_guest *guest)
{
	struct place place = { .storage = "" };

	mc_each_sent_label(ctx, guest->host, take_label, &place);
	for (struct disk *disk = guest->first; disk != NULL; disk = disk->next) {
		char storage[MC_STORAGE_SIZE];

		if (!places_find(place.storage, disk->name, storage))
			storage[0] = '\0';
		disks_place(&writer->disks, disk, place.hypervisor, storage);
	}
}

/* A disk that is new is looked up at once, with all others of its guest. */
static void place_touched(struct disks_writer *writer, struct mc_ctx *ctx)
{
	mc_time now = mc_now();

	for (struct disk *disk = writer->disks.touched; disk != NULL; disk = disk->touched) {
		struct disks_guest *guest = disk->guest;

		if (guest->placed == now ||
		    (disk->whole != 0 && now - guest->placed < PLACE_PERIOD))
			continue;
		guest->placed = now;
		place_guest(writer, ctx, guest);
	}
}

/* --- In words --------------------------------------------------------------- */

struct output {
	struct disks_writer *writer;
	struct mc_ctx *ctx;
	struct mc_batch *out; /* NULL at first. */
};

static const char *name_of(const struct disks_writer *writer, const char *host,
			   const char *instance)
{
	return writer->guests_are_hosts || instance[0] == '\0' ? host : instance;
}

/* "1500", "68", "3.0", "0.04". */
static void print_ms(double seconds, char out[MS_SIZE])
{
	double ms = 1e3 * seconds;

	snprintf(out, MS_SIZE, "%.*f", ms >= 10 ? 0 : ms >= 1 ? 1 : 2, ms);
}

static void report_disk(struct output *output, const struct disks_news *news)
{
	const struct disks_writer *writer = output->writer;
	const struct disk *disk = news->disk;
	char text[256], what[MC_STORAGE_SIZE + 32], now[MS_SIZE], before[MS_SIZE];
	struct finding finding = {
		.resource = RESOURCE_DISK,
		.guest = name_of(writer, disk->guest->host, disk->guest->instance),
		.text = text,
		.part = 1,
		.share_of = what,
		.culprits_len = news->names_len,
	};

	print_ms(disk->state.latency, now);
	print_ms(disk->state.mean_latency, before);
	snprintf(text, sizeof(text), "waits %s ms a request on %.63s (%s ms before)", now,
		 disk->name, before);
	snprintf(what, sizeof(what), "of the %s on %s are of",
		 news->measure == CONTENTION_BYTES ? "bytes" : "requests", disk->storage->name);
	for (size_t i = 0; i < news->names_len; i++)
		finding.culprits[i] = (struct culprit){
			.kind = CULPRIT_GUEST,
			.name = name_of(writer, news->names[i].host, news->names[i].instance),
			.part = news->names[i].part,
		};
	report_take(&output->writer->report, &finding, output->out);
}

static void report_well(const struct disks_guest *guest, struct output *output)
{
	struct disks_writer *writer = output->writer;
	const struct finding well = { .resource = RESOURCE_DISK,
				      .guest = name_of(writer, guest->host, guest->instance) };

	report_take(&writer->report, &well, output->out);
}

static void show(void *argument, const struct disks_news *news)
{
	struct output *output = argument;

	if (output->out == NULL)
		output->out = mc_begin(output->ctx);
	if (news->names_len > 0)
		report_disk(output, news);
	else
		report_well(news->disk->guest, output);
}

/* --- Callbacks -------------------------------------------------------------- */

void disks_writer_write(struct disks_writer *writer, struct mc_ctx *ctx,
			const struct mc_batch *batch)
{
	struct output output = { .writer = writer, .ctx = ctx };

	take_batch(writer, ctx, batch);
	if (writer->disks.touched == NULL)
		return;
	place_touched(writer, ctx);
	disks_judge(&writer->disks, &writer->rule, mc_now(), show, &output);
	if (output.out != NULL)
		mc_commit(output.out);
	if (writer->refused > 0)
		mc_complain(ctx, &writer->full, 0,
			    "there are as many disks as DiskLimit: others are not looked at");
	else
		mc_works(ctx, &writer->full, "there are fewer disks than DiskLimit again");
}

void disks_writer_ended(struct disks_writer *writer, struct mc_ctx *ctx,
			const struct mc_series *series)
{
	const struct disks_slot *slot = *mc_slot(ctx, series);
	const struct disks_news news = { .disk = slot != NULL ? slot->disk : NULL };
	struct output output = { .writer = writer, .ctx = ctx };

	/* Slots of series that are not looked at have no disk. */
	if (news.disk == NULL || !disks_end(slot->disk))
		return;
	show(&output, &news);
	mc_commit(output.out);
}

/* The last disk that ends takes what is left of the tables with it. */
void disks_writer_forget(struct disks_writer *writer, void *slot)
{
	if (slot == &refused)
		writer->refused--;
	else if (slot != &not_taken)
		disks_release(&writer->disks, slot);
}

void disks_writer_explain(struct disks_writer *writer, const struct mc_series *series,
			  struct mc_answer *answer)
{
	if (writer->is_wanted)
		report_explain(&writer->report, series, answer);
}
