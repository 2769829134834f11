/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <collector/private/alerts.h>
#include <collector/private/status.h>
#include <collector/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/append.h>

#include "subject.h"

#define READS 5                /* A state ends after this number without the guest, ... */
#define LEAST (60 * MC_SECOND) /* ... but not before. */
#define HOST_NAME "host"       /* In names of series. */

const char *const report_resources[RESOURCES_LEN] = { "cpu", "disk", "link", "memory" };

static const struct {
	const char *type, *over, *advice;
} about[RESOURCES_LEN] = {
	[RESOURCE_CPU] = {
		"steal_from", "no longer waits for a CPU because of its neighbours",
		"Move one of them to another host or to CPUs of its own, or limit it: virsh "
		"vcpupin, virsh schedinfo.",
	},
	[RESOURCE_DISK] = {
		"disk_wait_from", "no longer waits for a disk because of its neighbours",
		"Move a disk of one of them to other storage, or limit it: virsh blkdeviotune.",
	},
	[RESOURCE_LINK] = {
		"link_share_of", "no longer shares a full link with busier neighbours",
		"Move one of them to another host or link, or limit it: virsh domiftune.",
	},
	[RESOURCE_MEMORY] = {
		"memory_wait_from", "no longer waits for memory because of its neighbours",
		"Move one of them to another host, or limit it: virsh setmem, virsh memtune, "
		"MemoryMax of a service.",
	},
};

struct report_entry {
	struct mc_map_node node;
	enum resource resource;
	bool was_taken; /* Since the last report_end(). */
	struct verdict verdict;
	char *sentence;                                    /* NULL: it does not suffer. */
	char named[REPORT_CULPRITS_MAX][REPORT_NAME_SIZE]; /* Series of the last read; "". */
	char key[REPORT_NAME_SIZE];                        /* The resource, then the name. */
};

static const char *name_of(const struct report_entry *entry)
{
	return entry->key + 1;
}

static const struct finding nobody; /* Nothing is wrong. */

static bool is_worth_a_name(const struct culprit *culprit)
{
	return culprit->part >= VERDICT_NAMED_MIN;
}

void report_sentence(const struct finding *finding, char out[REPORT_TEXT_SIZE])
{
	snprintf(out, REPORT_TEXT_SIZE, "%s %s", finding->guest, finding->text);
	for (size_t i = 0; i < finding->culprits_len; i++) {
		const struct culprit *culprit = &finding->culprits[i];

		if (!is_worth_a_name(culprit))
			break;
		mc_append(out, REPORT_TEXT_SIZE, "%s %.0f %% ", i == 0 ? ":" : ",",
			  100 * culprit->part);
		if (i == 0 && finding->share_of != NULL)
			mc_append(out, REPORT_TEXT_SIZE, "%s ", finding->share_of);
		if (culprit->kind == CULPRIT_HOST)
			mc_append(out, REPORT_TEXT_SIZE, "this host");
		else
			mc_append(out, REPORT_TEXT_SIZE,
				  culprit->kind == CULPRIT_GROUP ? "control group %s" : "'%s'",
				  culprit->name);
		if (culprit->note != NULL)
			mc_append(out, REPORT_TEXT_SIZE, "%s", culprit->note);
	}
}

/* --- Entries -------------------------------------------------------------- */

static size_t make_key(char key[REPORT_NAME_SIZE], enum resource resource, const char *guest)
{
	int size = snprintf(key, REPORT_NAME_SIZE, "%c%s", 'a' + (int)resource, guest);

	return size < REPORT_NAME_SIZE ? (size_t)size : (size_t)REPORT_NAME_SIZE - 1;
}

static struct report_entry *find(const struct report *report, enum resource resource,
				 const char *guest)
{
	char key[REPORT_NAME_SIZE];
	size_t size = make_key(key, resource, guest);

	return (struct report_entry *)mc_map_find(&report->map, key, size);
}

static struct report_entry *add(struct report *report, enum resource resource, const char *guest)
{
	struct report_entry *entry = mc_alloc_zero(sizeof(*entry));

	entry->resource = resource;
	entry->node.key = entry->key;
	entry->node.key_size = make_key(entry->key, resource, guest);
	MC_ARRAY_GROW(report->entries, report->entries_len, report->entries_room);
	report->entries[report->entries_len++] = entry;
	pthread_mutex_lock(&report->lock);
	mc_map_add(&report->map, &entry->node);
	pthread_mutex_unlock(&report->lock);
	return entry;
}

static void forget(struct report *report, size_t number)
{
	struct report_entry *entry = report->entries[number];

	pthread_mutex_lock(&report->lock);
	mc_map_remove(&report->map, &entry->node);
	pthread_mutex_unlock(&report->lock);
	memmove(&report->entries[number], &report->entries[number + 1],
		(--report->entries_len - number) * sizeof(struct report_entry *));
	free(entry->sentence);
	free(entry);
}

static bool has_anything(const struct report_entry *entry)
{
	bool has_series = false;

	for (size_t i = 0; i < REPORT_CULPRITS_MAX; i++)
		has_series = has_series || entry->named[i][0] != '\0';
	return has_series || entry->verdict.is_bad || entry->verdict.hits > 0;
}

double report_least(const struct report *report, enum resource resource)
{
	return report->rules[resource].max - report->rules[resource].hysteresis;
}

/* --- Series and states ---------------------------------------------------- */

static struct mc_id id_of(const struct report *report, const struct report_entry *entry,
			  const char *type_instance)
{
	struct mc_id id =
		subject_of(name_of(entry), report->guests_are_hosts, about[entry->resource].type);

	id.type_instance = type_instance;
	return id;
}

static const char *series_name(const struct culprit *culprit)
{
	return culprit->kind == CULPRIT_HOST ? HOST_NAME : culprit->name;
}

/* Of all that have this name, as two guests may. */
static double part_of(const struct finding *finding, const char *name)
{
	double part = 0;

	for (size_t i = 0; i < finding->culprits_len; i++)
		if (is_worth_a_name(&finding->culprits[i]) &&
		    strncmp(series_name(&finding->culprits[i]), name, REPORT_NAME_SIZE - 1) == 0)
			part += finding->culprits[i].part;
	return part;
}

/* A series lasts as long as its neighbour is noisy: nobody is to be alerted when it ends. */
static void put(const struct report *report, const struct report_entry *entry, const char *name,
		double percent, struct mc_batch *out)
{
	struct mc_id id = id_of(report, entry, name);

	mc_gauge(out, mc_series(out, id), percent);
	mc_expect_end(report->ctx, &id, true);
}

/* Those of the read before who are not named any more get a last 0. */
static void put_series(const struct report *report, struct report_entry *entry,
		       const struct finding *finding, struct mc_batch *out)
{
	for (size_t i = 0; i < REPORT_CULPRITS_MAX; i++) {
		if (entry->named[i][0] != '\0' && part_of(finding, entry->named[i]) == 0)
			put(report, entry, entry->named[i], 0, out);
		entry->named[i][0] = '\0';
	}
	for (size_t i = 0; i < finding->culprits_len; i++) {
		char *name = entry->named[i];

		if (!is_worth_a_name(&finding->culprits[i]))
			break;
		snprintf(name, REPORT_NAME_SIZE, "%s", series_name(&finding->culprits[i]));
		for (size_t j = 0; j < i && name[0] != '\0'; j++)
			if (strcmp(entry->named[j], name) == 0)
				name[0] = '\0'; /* It has been put. */
		if (name[0] != '\0')
			put(report, entry, name, 100 * part_of(finding, name), out);
	}
}

static void stand(const struct report *report, const struct report_entry *entry, const char *reason)
{
	mc_time lasting = report->ctx->interval * READS;

	mc_stand(report->ctx, &(struct mc_standing){
				      .id = id_of(report, entry, NULL),
				      .severity = entry->verdict.is_bad ? MC_WARNING : MC_OKAY,
				      .reason = reason,
				      .advice = about[entry->resource].advice,
				      .lasting = lasting > LEAST ? lasting : LEAST,
			      });
}

/* For people who ask; NULL: there is nothing to say. */
static void keep(struct report *report, struct report_entry *entry, const char *sentence)
{
	char *old = entry->sentence, *new = sentence != NULL ? mc_alloc_copy(sentence) : NULL;

	pthread_mutex_lock(&report->lock);
	entry->sentence = new;
	pthread_mutex_unlock(&report->lock);
	free(old);
}

static void take(struct report *report, struct report_entry *entry, const struct finding *finding,
		 struct mc_batch *out)
{
	const struct verdict_rule *rule = &report->rules[entry->resource];
	char reason[REPORT_TEXT_SIZE];
	double named = 0;
	bool has_changed;

	put_series(report, entry, finding->part <= rule->max ? &nobody : finding, out);
	for (size_t i = 0; i < finding->culprits_len; i++)
		named += finding->culprits[i].part;
	has_changed = verdict_take(&entry->verdict, rule, finding->part, named);
	if (entry->verdict.is_bad && finding->culprits_len > 0) {
		report_sentence(finding, reason);
		keep(report, entry, reason);
	} else {
		keep(report, entry, NULL);
		if (!has_changed)
			return;
		snprintf(reason, sizeof(reason), "%s %s", name_of(entry),
			 about[entry->resource].over);
	}
	stand(report, entry, reason);
}

void report_take(struct report *report, const struct finding *finding, struct mc_batch *out)
{
	struct report_entry *entry = find(report, finding->resource, finding->guest);
	size_t number = 0;

	if (entry == NULL)
		entry = add(report, finding->resource, finding->guest);
	entry->was_taken = true;
	take(report, entry, finding, out);
	if (has_anything(entry))
		return;
	while (report->entries[number] != entry)
		number++;
	forget(report, number);
}

void report_end(struct report *report, enum resource resource, struct mc_batch *out)
{
	for (size_t i = 0; i < report->entries_len;) {
		struct report_entry *entry = report->entries[i];

		if (entry->resource == resource) {
			if (!entry->was_taken)
				take(report, entry, &nobody, out);
			entry->was_taken = false;
		}
		if (has_anything(entry))
			i++;
		else
			forget(report, i);
	}
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void report_forget_others(struct report *report, const char **names, size_t names_len,
			  struct mc_batch *out)
{
	if (names_len > 1 && report->entries_len > 0)
		qsort(names, names_len, sizeof(*names), compare_names);
	for (size_t i = 0; i < report->entries_len;) {
		struct report_entry *entry = report->entries[i];
		const char *name = name_of(entry);

		if (names_len > 0 &&
		    bsearch(&name, names, names_len, sizeof(*names), compare_names) != NULL) {
			i++;
			continue;
		}
		put_series(report, entry, &nobody, out);
		forget(report, i);
	}
}

/* --- All of it ------------------------------------------------------------ */

void report_init(struct report *report, struct mc_ctx *ctx, bool guests_are_hosts)
{
	report->ctx = ctx;
	report->guests_are_hosts = guests_are_hosts;
	pthread_mutex_init(&report->lock, NULL);
}

void report_done(struct report *report)
{
	if (report->ctx == NULL)
		return;
	while (report->entries_len > 0)
		forget(report, report->entries_len - 1);
	free(report->entries);
	mc_map_done(&report->map);
	pthread_mutex_destroy(&report->lock);
}

void report_explain(struct report *report, const struct mc_series *series, struct mc_answer *answer)
{
	const char *host = mc_host(series);

	if (!report->guests_are_hosts && strcmp(host, report->ctx->host) != 0)
		return;
	for (enum resource resource = 0; resource < RESOURCES_LEN; resource++) {
		const struct report_entry *entry;
		char *sentence = NULL;

		pthread_mutex_lock(&report->lock);
		entry = find(report, resource,
			     report->guests_are_hosts ? host : mc_plugin_instance(series));
		if (entry != NULL && entry->sentence != NULL)
			sentence = mc_alloc_copy(entry->sentence);
		pthread_mutex_unlock(&report->lock);
		if (sentence != NULL)
			mc_explain(answer, "%s", sentence);
		free(sentence);
	}
}
