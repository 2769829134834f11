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

#define LOOKS 10      /* Reads after the last wait in which it looks closer. */
#define LOOK_PART 5   /* It begins at this part of what is too much. */
#define FAULTS_MIN 10 /* Major faults a second of a guest that waits for memory. */
#define LIMIT_PART 20 /* It is at its own limit when less than this part of it is left. */
#define NOTE_SIZE 64
#define TEXT_SIZE 64

void memory_init(struct memory *memory, struct report *report, struct guests *guests)
{
	memory->report = report;
	memory->guests = guests;
	memory->pressure = -1;
	memory->groups.files.folder = -1;
}

void memory_done(struct memory *memory)
{
	if (memory->report == NULL)
		return;
	mc_kept_close(&memory->guests->files, &memory->pressure);
	groups_done(&memory->groups);
}

static double part_of(uint64_t now, uint64_t before, double time)
{
	return time > 0 && now >= before ? (double)(now - before) * 1000 / time : 0;
}

/* --- Sizes ---------------------------------------------------------------- */

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
	own->growth.now = stat.rss * (uint64_t)sysconf(_SC_PAGESIZE);
	if (is_step)
		growth_step(&own->growth, own->growth.now, memory->scans > 0);
	if (own->has_faults && stat.major_faults > own->all_faults && time > 0)
		own->faults = (double)(stat.major_faults - own->all_faults) * MC_SECOND / time;
	own->all_faults = stat.major_faults;
	own->has_faults = true;
}

static void take_group(struct memory *memory, struct one_group *group, bool is_step)
{
	char path[MC_KEPT_PATH_SIZE];
	uint64_t bytes;

	snprintf(path, sizeof(path), "%s/memory.stat", group->path);
	if (mc_kept_read_once(&memory->groups.files, path) <= 0 ||
	    !parse_group_memory(memory->groups.files.text, &bytes))
		return;
	group->memory.now = bytes;
	if (is_step)
		growth_step(&group->memory, bytes, memory->scans > 0);
}

static void take_sizes(struct memory *memory, bool is_step, double time)
{
	for (size_t i = 0; i < memory->guests->len; i++)
		take_guest(memory, &memory->guests->items[i], is_step, time);
	for (size_t i = 0; i < memory->groups.len; i++)
		take_group(memory, &memory->groups.items[i], is_step);
	if (!is_step)
		return;
	memmove(&memory->steps[1], memory->steps, (GROWTH_STEPS - 1) * sizeof(*memory->steps));
	memory->steps[0] = mc_now();
	memory->scans++;
}

/* Whether a guest is in that group or below: it is counted by itself. */
static bool has_guest(const struct memory *memory, const char *group)
{
	size_t size = strlen(group);

	for (size_t i = 0; i < memory->guests->len; i++) {
		const char *own = memory->guests->items[i].group;

		if (strncmp(own, group, size) == 0 && (own[size] == '/' || own[size] == '\0'))
			return true;
	}
	return false;
}

/* --- Whether a guest waits ------------------------------------------------ */

static bool read_group(struct memory *memory, const char *group, const char *file)
{
	char path[MC_KEPT_PATH_SIZE];

	return snprintf(path, sizeof(path), "%s/%s", group, file) < (int)sizeof(path) &&
	       mc_kept_read_once(&memory->groups.files, path) > 0;
}

/* Its own control group, which libvirt divides further; false if others are in it. */
static bool own_group(const struct memory *memory, const struct guest *guest,
		      char out[GUESTS_GROUP_SIZE])
{
	const char *divided = strstr(guest->group, "/libvirt/");

	snprintf(out, GUESTS_GROUP_SIZE, "%.*s",
		 divided != NULL ? (int)(divided - guest->group) : GUESTS_GROUP_SIZE - 1,
		 guest->group);
	if (out[0] == '\0' || memory->groups.version != 2)
		return false;
	for (size_t i = 0; i < memory->guests->len; i++)
		if (&memory->guests->items[i] != guest &&
		    strcmp(memory->guests->items[i].group, guest->group) == 0)
			return false;
	return true;
}

/* It waits because of itself. */
static bool is_at_limit(struct memory *memory, const char *group)
{
	static const char *const limits[] = { "memory.max", "memory.high" };
	uint64_t used, limit;

	if (!read_group(memory, group, "memory.current") ||
	    !parse_count(memory->groups.files.text, &used))
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (read_group(memory, group, limits[i]) &&
		    parse_count(memory->groups.files.text, &limit) &&
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
	double part = 0;
	uint64_t stalled;

	if (!own_group(memory, guest, group) || !read_group(memory, group, "memory.pressure") ||
	    !parse_pressure(memory->groups.files.text, &stalled))
		return own->faults >= FAULTS_MIN ? host : 0;
	if (own->has_stalled)
		part = part_of(stalled, own->stalled, time);
	own->stalled = stalled;
	own->has_stalled = true;
	return is_at_limit(memory, group) ? 0 : part;
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

/* Guests first, then groups; freed by the caller. */
static uint64_t *list_grown(const struct memory *memory, size_t *len)
{
	size_t guests = memory->guests->len;
	uint64_t *grown;

	*len = guests + memory->groups.len;
	grown = mc_alloc_array(*len, sizeof(*grown));
	for (size_t i = 0; i < guests; i++)
		grown[i] = growth_of(&memory->guests->items[i].memory.growth);
	for (size_t i = 0; i < memory->groups.len; i++) {
		uint64_t bytes = growth_of(&memory->groups.items[i].memory);

		if (bytes >= GROWTH_MIN && has_guest(memory, memory->groups.items[i].path))
			bytes = 0;
		grown[guests + i] = bytes;
	}
	return grown;
}

struct grown {
	const uint64_t *bytes;
	size_t len;
};

static void blame(const struct memory *memory, const struct grown *grown, size_t victim,
		  double wait, struct mc_batch *out)
{
	const struct guests *guests = memory->guests;
	char text[TEXT_SIZE], notes[GROWTH_TOP][NOTE_SIZE];
	struct top shares;
	struct finding finding = {
		.resource = RESOURCE_MEMORY,
		.guest = guests->items[victim].name,
		.text = text,
		.part = wait,
	};

	growth_blame(grown->bytes, grown->len, victim, wait, &shares);
	finding.culprits_len = shares.len;
	snprintf(text, sizeof(text), "waits %.0f %% of the time for memory", 100 * wait);
	for (size_t i = 0; i < finding.culprits_len; i++) {
		bool is_guest = shares.items[i].user < guests->len;
		const struct growth *growth =
			is_guest ? &guests->items[shares.items[i].user].memory.growth
				 : &memory->groups.items[shares.items[i].user - guests->len].memory;

		print_note(memory, growth, notes[i]);
		finding.culprits[i] = (struct culprit){
			.kind = is_guest ? CULPRIT_GUEST : CULPRIT_GROUP,
			.name = is_guest ? guests->items[shares.items[i].user].name
					 : memory->groups.items[shares.items[i].user - guests->len]
						   .path,
			.part = shares.items[i].part,
			.note = notes[i],
		};
	}
	report_take(memory->report, &finding, out);
}

static void look(struct memory *memory, double host, double time, struct mc_batch *out)
{
	double least = report_least(memory->report, RESOURCE_MEMORY);
	struct grown grown;
	uint64_t *bytes;

	bytes = list_grown(memory, &grown.len);
	grown.bytes = bytes;
	for (size_t i = 0; i < memory->guests->len; i++) {
		struct guest *guest = &memory->guests->items[i];
		double wait = guest->is_second ? 0 : wait_of(memory, guest, host, time);

		if (wait > least)
			blame(memory, &grown, i, wait, out);
	}
	free(bytes);
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

static bool is_contended(struct memory *memory, double host)
{
	if (host >= memory->report->rules[RESOURCE_MEMORY].max / LOOK_PART)
		memory->looks = LOOKS;
	else if (memory->looks > 0)
		memory->looks--;
	return memory->looks > 0;
}

/* The next wait of each guest is the first again. */
static void forget_waits(struct memory *memory)
{
	for (size_t i = 0; i < memory->guests->len; i++) {
		memory->guests->items[i].memory.has_faults = false;
		memory->guests->items[i].memory.has_stalled = false;
	}
}

/* Groups are looked at where they count memory. */
static bool find_groups(struct memory *memory, bool anew)
{
	struct mc_ctx *ctx = memory->report->ctx;

	if (anew && memory->groups.version == 0)
		groups_find_mount(&memory->groups, ctx);
	if (memory->groups.version != 2)
		return false;
	if (anew)
		groups_scan(&memory->groups, ctx);
	return groups_enter(&memory->groups, ctx);
}

void memory_read(struct memory *memory, double time, bool anew, struct mc_batch *out)
{
	double host = read_pressure(memory, time);
	bool looks, has_groups;

	if (host < 0)
		return;
	looks = is_contended(memory, host);
	report_begin(memory->report, RESOURCE_MEMORY);
	if (anew || looks) {
		has_groups = find_groups(memory, anew);
		take_sizes(memory, anew, time);
		if (looks)
			look(memory, host, time, out);
		if (has_groups)
			groups_leave(&memory->groups);
	}
	if (!looks && (anew || memory->has_looked))
		forget_waits(memory);
	memory->has_looked = looks;
	report_end(memory->report, RESOURCE_MEMORY, out);
}
