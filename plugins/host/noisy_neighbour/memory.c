/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#include "kit/base/process_stat.h"

#include "parse.h"

#define LOOK_PART 5   /* It begins at this part of what is too much. */
#define FAULTS_MIN 10 /* Major faults a second of a guest that waits for memory. */
#define LIMIT_PART 20 /* A group is at its limit when less than this part of it is left. */
#define STEP_MIN (5 * MC_SECOND) /* Searches for guests may come sooner. */
#define NOTE_SIZE 64
#define TEXT_SIZE 64

void memory_init(struct memory *memory, struct report *report, struct guests *guests,
		 struct groups *groups)
{
	memory->report = report;
	memory->guests = guests;
	memory->groups = groups;
	memory->pressure = -1;
}

void memory_done(struct memory *memory)
{
	if (memory->report == NULL)
		return;
	mc_kept_close(&memory->guests->files, &memory->pressure);
}

static double part_of(uint64_t now, uint64_t before, double time)
{
	return time > 0 && now >= before ? (double)(now - before) * 1000 / time : 0;
}

/* --- Sizes ---------------------------------------------------------------- */

/* Its pages in swap count, too: when they come back it has not grown. */
static uint64_t swapped(struct memory *memory, const struct guest *guest)
{
	struct mc_kept_files *files = &memory->guests->files;
	char path[MC_KEPT_PATH_SIZE];
	uint64_t bytes = 0;

	if (mc_kept_read_once(files, mc_kept_pid_path(path, guest->pid, "status")) > 0)
		parse_swapped(files->text, &bytes);
	return bytes;
}

static void take_guest(struct memory *memory, struct guest *guest, bool is_step, double time)
{
	struct guest_memory *own = &guest->memory;
	struct mc_process_stat stat;
	char path[MC_KEPT_PATH_SIZE];

	own->faults = 0;
	if (mc_kept_read_once(&memory->guests->files, mc_kept_pid_path(path, guest->pid, "stat")) <=
		    0 ||
	    !mc_process_stat(memory->guests->files.text, &stat))
		return;
	own->growth.now = stat.rss * (uint64_t)sysconf(_SC_PAGESIZE) + swapped(memory, guest);
	if (is_step)
		growth_step(&own->growth, own->growth.now, memory->steps_len > 0);
	if (own->has_faults && stat.major_faults > own->all_faults && time > 0)
		own->faults = (double)(stat.major_faults - own->all_faults) * MC_SECOND / time;
	own->all_faults = stat.major_faults;
	own->has_faults = true;
}

static bool read_group(struct memory *memory, const char *group, const char *file)
{
	char path[MC_KEPT_PATH_SIZE];

	return snprintf(path, sizeof(path), "%s/%s", group, file) < (int)sizeof(path) &&
	       mc_kept_read_once(&memory->groups->files, path) > 0;
}

static void take_group(struct memory *memory, struct one_group *group, bool is_step)
{
	const char *text = memory->groups->files.text;
	uint64_t bytes, swapped = 0;

	if (!read_group(memory, group->path, "memory.stat") || !parse_group_memory(text, &bytes))
		return;
	if (read_group(memory, group->path, "memory.swap.current"))
		parse_count(text, &swapped);
	group->memory.now = bytes + swapped;
	if (is_step)
		growth_step(&group->memory, group->memory.now, memory->steps_len > 0);
}

static void take_sizes(struct memory *memory, bool is_step, double time)
{
	for (size_t i = 0; i < memory->guests->len; i++)
		take_guest(memory, &memory->guests->items[i], is_step, time);
	/* Of version 1 these are groups of another hierarchy. */
	for (size_t i = 0; memory->groups->version == 2 && i < memory->groups->len; i++)
		take_group(memory, &memory->groups->items[i], is_step);
	if (!is_step)
		return;
	memmove(&memory->steps[1], memory->steps, (GROWTH_STEPS - 1) * sizeof(*memory->steps));
	memory->steps[0] = mc_now();
	memory->steps_len++;
}

static bool is_due(const struct memory *memory)
{
	return memory->steps_len == 0 || mc_now() - memory->steps[0] >= STEP_MIN;
}

/* --- Whether a guest waits ------------------------------------------------ */

/* Its own control group, which libvirt divides further; false if others are in it. */
static bool own_group(const struct memory *memory, const struct guest *guest,
		      char out[GUESTS_GROUP_SIZE])
{
	const char *divided = strstr(guest->group, "/libvirt/");

	snprintf(out, GUESTS_GROUP_SIZE, "%.*s",
		 divided != NULL ? (int)(divided - guest->group) : GUESTS_GROUP_SIZE - 1,
		 guest->group);
	if (out[0] == '\0' || memory->groups->version != 2)
		return false;
	for (size_t i = 0; i < memory->guests->len; i++)
		if (&memory->guests->items[i] != guest &&
		    strcmp(memory->guests->items[i].group, guest->group) == 0)
			return false;
	return true;
}

static bool is_at_limit(struct memory *memory, const char *group)
{
	static const char *const limits[] = { "memory.max", "memory.high" };
	uint64_t used, limit;

	if (!read_group(memory, group, "memory.current") ||
	    !parse_count(memory->groups->files.text, &used))
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (read_group(memory, group, limits[i]) &&
		    parse_count(memory->groups->files.text, &limit) &&
		    used >= limit - limit / LIMIT_PART)
			return true;
	return false;
}

/* The part of the time that it waited: by its group, or by that of the host while the kernel reads
 * its pages again. */
static double wait_of(struct memory *memory, struct guest *guest, double host, double time)
{
	struct guest_memory *own = &guest->memory;
	char group[GUESTS_GROUP_SIZE];
	uint64_t stalled, before = own->stalled;
	bool has_before = own->has_stalled;

	if (!own_group(memory, guest, group) || !read_group(memory, group, "memory.pressure") ||
	    !parse_pressure(memory->groups->files.text, &stalled))
		return own->faults >= FAULTS_MIN ? host : 0;
	own->stalled = stalled;
	own->has_stalled = true;
	return has_before ? part_of(stalled, before, time) : 0;
}

/* --- A closer look -------------------------------------------------------- */

static void print_note(const struct memory *memory, const struct growth *growth,
		       char out[NOTE_SIZE])
{
	double bytes = (double)growth_of(growth), mib = bytes / (1 << 20);
	mc_time begun = memory->steps[growth->steps_len > 0 ? growth->steps_len - 1 : 0];
	double seconds = (double)(mc_now() - begun) / MC_SECOND;

	if (mib < 1000)
		snprintf(out, NOTE_SIZE, ", which grew by %.0f MiB in %.0f s", mib, seconds);
	else
		snprintf(out, NOTE_SIZE, ", which grew by %.1f GiB in %.0f s", mib / 1024, seconds);
}

static bool is_in(const char *path, const char *group)
{
	size_t size = strlen(group);

	return size == 0 ||
	       (strncmp(path, group, size) == 0 && (path[size] == '/' || path[size] == '\0'));
}

/* Its guests are counted themselves. */
static bool has_guest(const struct memory *memory, const char *group)
{
	for (size_t i = 0; i < memory->guests->len; i++)
		if (is_in(memory->guests->items[i].group, group))
			return true;
	return false;
}

/* The innermost group around that one that is at its limit, or itself: those outside do not make it
 * wait.  "": none, it is all of this host. */
static void find_limit(struct memory *memory, char group[GUESTS_GROUP_SIZE])
{
	while (group[0] != '\0' && !is_at_limit(memory, group)) {
		char *slash = strrchr(group, '/');

		*(slash != NULL ? slash : group) = '\0';
	}
}

/* By how much each in that group grew: guests first, then groups; freed by the caller. */
static uint64_t *list_grown(const struct memory *memory, const char *limit, size_t *len)
{
	const struct guests *guests = memory->guests;
	const struct groups *groups = memory->groups;
	uint64_t *grown;

	*len = guests->len + groups->len;
	grown = mc_alloc_array(*len, sizeof(*grown));
	for (size_t i = 0; i < guests->len; i++)
		if (is_in(guests->items[i].group, limit))
			grown[i] = growth_of(&guests->items[i].memory.growth);
	for (size_t i = 0; i < groups->len; i++) {
		const struct one_group *group = &groups->items[i];
		uint64_t bytes = growth_of(&group->memory);

		if (bytes > 0 && is_in(group->path, limit) && !has_guest(memory, group->path))
			grown[guests->len + i] = bytes;
	}
	return grown;
}

static void take_shares(const struct memory *memory, const struct top *shares,
			struct finding *finding, char notes[GROWTH_TOP][NOTE_SIZE])
{
	size_t guests_len = memory->guests->len;

	for (size_t i = 0; i < shares->len; i++) {
		size_t user = shares->items[i].user;
		bool is_guest = user < guests_len;
		const struct guest *guest = is_guest ? &memory->guests->items[user] : NULL;
		const struct one_group *group =
			is_guest ? NULL : &memory->groups->items[user - guests_len];

		print_note(memory, is_guest ? &guest->memory.growth : &group->memory, notes[i]);
		finding->culprits[i] = (struct culprit){
			.kind = is_guest ? CULPRIT_GUEST : CULPRIT_GROUP,
			.name = is_guest ? guest->name : group->path,
			.part = shares->items[i].part,
			.note = notes[i],
		};
	}
	finding->culprits_len = shares->len;
}

static void blame(struct memory *memory, size_t victim, double wait, struct mc_batch *out)
{
	const struct guest *guest = &memory->guests->items[victim];
	char text[TEXT_SIZE], notes[GROWTH_TOP][NOTE_SIZE];
	char group[GUESTS_GROUP_SIZE], limit[GUESTS_GROUP_SIZE] = "";
	struct finding finding = {
		.resource = RESOURCE_MEMORY,
		.guest = guest->name,
		.text = text,
		.part = wait,
	};
	struct top shares;
	uint64_t *grown;
	size_t len;

	if (own_group(memory, guest, group)) {
		memcpy(limit, group, sizeof(limit));
		find_limit(memory, limit);
		if (strcmp(limit, group) == 0)
			return; /* It waits because of itself. */
	}
	grown = list_grown(memory, limit, &len);
	growth_blame(grown, len, victim, wait, &shares);
	free(grown);
	snprintf(text, sizeof(text), "waits %.0f %% of the time for memory", 100 * wait);
	take_shares(memory, &shares, &finding, notes);
	report_take(memory->report, &finding, out);
}

static void look(struct memory *memory, double host, double time, struct mc_batch *out)
{
	double least = report_least(memory->report, RESOURCE_MEMORY);

	for (size_t i = 0; i < memory->guests->len; i++) {
		struct guest *guest = &memory->guests->items[i];
		double wait = guest->is_second ? 0 : wait_of(memory, guest, host, time);

		if (wait > least)
			blame(memory, i, wait, out);
	}
}

/* --- A read --------------------------------------------------------------- */

/* The part of the time that anything on this host waited for memory; below 0: unknown. */
static double read_pressure(struct memory *memory, double time)
{
	struct mc_ctx *ctx = memory->report->ctx;
	uint64_t stalled;
	double part = 0;

	if (mc_kept_read(&memory->guests->files, "pressure/memory", &memory->pressure) <= 0 ||
	    !parse_pressure(memory->guests->files.text, &stalled)) {
		memory->has_before = false;
		if (memory->guests->len > 0)
			mc_complain(ctx, &memory->no_pressure, 0,
				    "the kernel does not count waits for memory: it needs "
				    "CONFIG_PSI, and psi=1 where that is off");
		return -1;
	}
	mc_works(ctx, &memory->no_pressure, "the kernel counts waits for memory");
	if (memory->has_before)
		part = part_of(stalled, memory->stalled, time);
	memory->stalled = stalled;
	memory->has_before = true;
	return part;
}

/* The next wait of each guest is the first again. */
static void forget_waits(struct memory *memory)
{
	for (size_t i = 0; i < memory->guests->len; i++) {
		memory->guests->items[i].memory.has_faults = false;
		memory->guests->items[i].memory.has_stalled = false;
	}
}

void memory_read(struct memory *memory, double time, bool anew, struct mc_batch *out)
{
	double contended = memory->report->rules[RESOURCE_MEMORY].max / LOOK_PART;
	double host = read_pressure(memory, time);
	bool looks;

	if (host < 0)
		return;
	looks = look_take(&memory->look, host >= contended);
	if (anew || looks) {
		groups_enter(memory->groups, memory->report->ctx);
		take_sizes(memory, anew && is_due(memory), time);
		if (looks)
			look(memory, host, time, out);
		groups_leave(memory->groups);
	}
	if (!looks && (anew || memory->look.has_begun))
		forget_waits(memory);
	memory->look.has_begun = looks;
	report_end(memory->report, RESOURCE_MEMORY, out);
}
