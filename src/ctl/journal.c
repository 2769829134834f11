/* SPDX-License-Identifier: MIT */
/* collectorctl journal: looks at the files of a journal (wire/frame.h), also
 * while a collector writes it, and changes nothing. */
#include "ctl/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/otlp.h>

#include "base/alloc.h"
#include "ctl/json.h"

#define LOCK_NAME "lock"

/* --- Files --------------------------------------------------------------- */

static int by_first(const void *a, const void *b)
{
	const struct journal_segment *left = a, *right = b;

	return (left->first > right->first) - (left->first < right->first);
}

static bool ends_with(const char *name, const char *end)
{
	size_t size = strlen(name), end_size = strlen(end);

	return size > end_size && strcmp(name + size - end_size, end) == 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether a collector has it: it holds a lock as long as it runs. */
static bool is_locked(int folder)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int file = openat(folder, LOCK_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool locked;

	if (file < 0)
		return false;
	locked = fcntl(file, F_OFD_GETLK, &whole) == 0 &&
		 whole.l_type != F_UNLCK;
	close(file);
	return locked;
}

static void take_name(struct journal *journal, const char *name)
{
	struct journal_segment segment = { 0 };

	journal->found |= strcmp(name, LOCK_NAME) == 0;

	if (frame_parse_name(name, &segment.first, &segment.epoch)) {
		segment.name = alloc_copy(name);
		journal->segments = alloc_resize(journal->segments,
						 journal->segments_len + 1,
						 sizeof(segment));
		journal->segments[journal->segments_len++] = segment;
	} else if (ends_with(name, FRAME_CURSOR_SUFFIX)) {
		journal->cursors =
			alloc_resize(journal->cursors, journal->cursors_len + 1,
				     sizeof(*journal->cursors));
		journal->cursors[journal->cursors_len++] = alloc_copy(name);
	}
}

/* CTL_OK or an exit code. */
static int open_journal(struct journal *journal, const char *path)
{
	DIR *list = opendir(path);
	struct dirent *entry;

	journal->path = path;
	if (list == NULL)
		return ctl_failed("cannot read '%s': %s", path,
				  strerror(errno));
	while ((entry = readdir(list)) != NULL)
		take_name(journal, entry->d_name);
	journal->folder = dup(dirfd(list));
	closedir(list);
	if (!journal->found && journal->segments_len == 0 &&
	    journal->cursors_len == 0)
		return ctl_failed("there is no journal in '%s'", path);
	journal->in_use = is_locked(journal->folder);
	if (journal->cursors_len > 0)
		qsort(journal->cursors, journal->cursors_len,
		      sizeof(*journal->cursors), by_name);
	if (journal->segments_len > 0)
		qsort(journal->segments, journal->segments_len,
		      sizeof(*journal->segments), by_first);
	return CTL_OK;
}

static void close_journal(struct journal *journal)
{
	for (size_t i = 0; i < journal->segments_len; i++)
		free(journal->segments[i].name);
	for (size_t i = 0; i < journal->cursors_len; i++)
		free(journal->cursors[i]);
	free(journal->segments);
	free(journal->cursors);
	if (journal->folder >= 0)
		close(journal->folder);
}

/* The bytes that the file has at this moment. */
static bool load(const struct journal *journal, struct journal_segment *segment)
{
	int file = openat(journal->folder, segment->name,
			  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	size_t got = 0;
	ssize_t n = 1;

	segment->data = NULL;
	segment->size = 0;
	if (file < 0)
		return false;
	if (fstat(file, &st) == 0 && S_ISREG(st.st_mode)) {
		segment->data = alloc_zero(st.st_size);
		while (got < (size_t)st.st_size && n > 0) {
			n = read(file, segment->data + got, st.st_size - got);
			got += n > 0 ? n : 0;
		}
		segment->size = got;
	}
	close(file);
	return segment->data != NULL;
}

/* --- Records ------------------------------------------------------------- */

static void take_record(struct journal *journal,
			struct journal_segment *segment,
			const struct frame *frame)
{
	if (journal->next > 0 && frame->before > journal->before) {
		journal->gaps++;
		journal->missing += frame->before - journal->before;
	}
	journal->next = frame->seq + 1;
	journal->before = frame->before + frame->samples;
	if (frame->type == FRAME_SEAL) {
		segment->sealed = true;
		return;
	}
	segment->records++;
	segment->samples += frame->samples;
	if (frame->type != FRAME_BATCH)
		return;
	if (segment->oldest == 0)
		segment->oldest = frame->time;
	segment->newest = frame->time;
}

static void check_head(struct journal_segment *segment)
{
	struct frame_segment head;

	segment->headless =
		frame_read_segment(segment->data, segment->size, &head) != 0 ||
		head.first != segment->first || head.epoch != segment->epoch;
}

/* Goes through the records of a file; those that a later file has again are the
 * later file's. */
static void walk(struct journal *journal, struct journal_segment *segment,
		 uint64_t end, journal_visit *visit)
{
	struct frame_walk walk = { segment->data, segment->size,
				   FRAME_SEGMENT_SIZE, segment->epoch,
				   segment->first - 1 };
	enum frame_step step;
	struct frame frame;
	size_t from;

	while ((step = frame_next(&walk, &frame, &from)) != FRAME_END) {
		if (step == FRAME_DAMAGED) {
			segment->pieces++;
			segment->damaged += walk.at - from;
		} else if (step == FRAME_REST) {
			segment->rest = walk.at - from;
		} else if (frame.seq < end || frame.type == FRAME_SEAL) {
			take_record(journal, segment, &frame);
			if (visit != NULL && frame.type != FRAME_SEAL)
				visit(journal, segment, &frame);
		}
	}
}

/* Loads one file after the other; only one is in memory at a time. */
int journal_each(struct journal *journal, journal_visit *visit)
{
	for (size_t i = 0; i < journal->segments_len; i++) {
		struct journal_segment *segment = &journal->segments[i];
		bool last = i + 1 == journal->segments_len;
		uint64_t end =
			last ? UINT64_MAX : journal->segments[i + 1].first;

		if (!load(journal, segment)) {
			if (errno == ENOENT) /* Removed meanwhile. */
				continue;
			return ctl_failed("cannot read '%s/%s': %s",
					  journal->path, segment->name,
					  strerror(errno));
		}
		check_head(segment);
		walk(journal, segment, end, visit);
		segment->growing = last && journal->in_use && segment->rest > 0;
		journal->damaged += segment->damaged + segment->headless;
		if (!segment->growing)
			journal->damaged += segment->rest;
		free(segment->data);
	}
	return CTL_OK;
}

/* --- verify -------------------------------------------------------------- */

static const char *plural(uint64_t number)
{
	return number == 1 ? "" : "s";
}

static void tell_damage(const struct journal_segment *s)
{
	if (s->headless)
		printf("%s: its head is damaged\n", s->name);
	if (s->damaged > 0)
		printf("%s: %" PRIu64 " bytes in %" PRIu64
		       " place%s are no record\n",
		       s->name, s->damaged, s->pieces, plural(s->pieces));
	if (s->growing)
		printf("%s: %" PRIu64 " bytes at its end are being written\n",
		       s->name, s->rest);
	else if (s->rest > 0)
		printf("%s: %" PRIu64 " bytes at its end are no record\n",
		       s->name, s->rest);
}

static int verify(struct journal *journal)
{
	uint64_t records = 0, samples = 0;
	int status = journal_each(journal, NULL);

	if (status != CTL_OK)
		return status;
	for (size_t i = 0; i < journal->segments_len; i++) {
		records += journal->segments[i].records;
		samples += journal->segments[i].samples;
		tell_damage(&journal->segments[i]);
	}
	if (journal->gaps > 0)
		printf("%" PRIu64 " sample%s missing in %" PRIu64 " place%s\n",
		       journal->missing,
		       journal->missing == 1 ? " is" : "s are", journal->gaps,
		       plural(journal->gaps));
	printf("%zu segment%s, %" PRIu64 " records, %" PRIu64 " samples: %s\n",
	       journal->segments_len, plural(journal->segments_len), records,
	       samples,
	       journal->damaged + journal->gaps > 0 ? "damaged" : "undamaged");
	return journal->damaged + journal->gaps > 0 ? CTL_FAILED : CTL_OK;
}

/* --- export -------------------------------------------------------------- */

static void source_name(const struct mc_otlp *otlp, unsigned i, char out[128])
{
	const struct mc_otlp_text *source = &otlp->sources[i];

	snprintf(out, 128, "%.*s", source->size > 0 ? (int)source->size : 5,
		 source->size > 0 ? source->at : "value");
}

/* Of what is not a gauge, as they were when it was recorded; null at first and
 * after a reset. */
static void export_rates(struct json *json, const struct mc_otlp *otlp)
{
	char name[128];
	bool any = false;

	for (unsigned i = 0; i < otlp->values_len; i++)
		any |= otlp->kinds[i] != MC_GAUGE;
	if (!any)
		return;
	json_map(json, "rates");
	for (unsigned i = 0; i < otlp->values_len; i++) {
		if (otlp->kinds[i] == MC_GAUGE)
			continue;
		source_name(otlp, i, name);
		json_number(json, name, otlp->own.rates[i]);
	}
	json_map_end(json);
}

static void export_sample(const struct mc_otlp *otlp, uint64_t seq)
{
	struct json *json = json_open(false);
	char name[128];

	json_unsigned(json, "record", seq);
	json_text(json, "name", otlp->name.name);
	json_number(json, "time", (double)otlp->stamp.time * CTL_NS);
	json_number(json, "interval", (double)otlp->stamp.interval * CTL_NS);
	json_map(json, "values");
	for (unsigned i = 0; i < otlp->values_len; i++) {
		source_name(otlp, i, name);
		json_value(json, name, otlp->kinds[i], &otlp->values[i]);
	}
	json_map_end(json);
	export_rates(json, otlp);
	json_close(json, stdout);
}

static void export_gap(const struct frame_gap *gap, uint64_t seq)
{
	struct json *json = json_open(false);

	json_unsigned(json, "record", seq);
	json_map(json, "gap");
	json_unsigned(json, "from", gap->from);
	json_unsigned(json, "to", gap->to);
	json_unsigned(json, "samples", gap->samples);
	json_text(json, "reason", gap->reason == 1 ? "quota" : "unknown");
	json_map_end(json);
	json_close(json, stdout);
}

static void export_record(struct journal *journal,
			  const struct journal_segment *segment,
			  const struct frame *frame)
{
	enum mc_otlp_item item;
	struct frame_gap gap;
	struct mc_otlp *otlp;

	(void)journal;
	(void)segment;
	if (frame_read_gap(frame, &gap))
		export_gap(&gap, frame->seq);
	if (frame->type != FRAME_BATCH)
		return;
	otlp = alloc_zero(sizeof(*otlp)); /* Some KiB: not for the stack. */
	mc_otlp_open(otlp, frame->payload, frame->size, false, "");
	while ((item = mc_otlp_next(otlp)) != MC_OTLP_END)
		if (item == MC_OTLP_SAMPLE)
			export_sample(otlp, frame->seq);
	free(otlp);
}

static int export(struct journal *journal)
{
	int status = journal_each(journal, export_record);

	if (status != CTL_OK)
		return status;
	if (fflush(stdout) != 0)
		return ctl_failed("cannot write: %s", strerror(errno));
	if (journal->damaged + journal->gaps == 0)
		return CTL_OK;
	return ctl_failed("'%s' is damaged, %" PRIu64 " samples are missing "
			  "for sure: see 'journal verify'",
			  journal->path, journal->missing);
}

/* --- The command ---------------------------------------------------------- */

int journal_run(const struct ctl *ctl, int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(struct journal *);
	} actions[] = { { "list", journal_list },
			{ "verify", verify },
			{ "export", export } };
	const char *path = argc > 2 ? argv[2] : CTL_JOURNAL;
	struct journal journal = { .ctl = ctl, .folder = -1 };

	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		int status;

		if (strcmp(argv[1], actions[i].name) != 0)
			continue;
		status = open_journal(&journal, path);
		if (status == CTL_OK)
			status = actions[i].run(&journal);
		close_journal(&journal);
		return status;
	}
	return ctl_usage("'%s' is not list, verify or export", argv[1]);
}
