/* SPDX-License-Identifier: MIT */
#include "extend.h"

#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/lock.h>
#include <collector/private/alerts.h>

#include "extend_look.h"
#include "extend_queue.h"
#include "virt.h"

/* Disks that are beyond their watermarks at the same time; others wait for the next read. */
#define DISKS_MAX 4096

#define OUTPUT_MAX (64 << 10)

struct extension { /* Of a disk. */
	struct extend_entry entry;
	struct extender *extender;
	const struct extend_rule *rule;
	struct mc_command *command;
	struct extend_disk disk; /* Its texts are in 'text'. */
	char *text;

	/* Of the thread. */
	uint64_t from, wanted; /* Bytes. */
	mc_time begun;         /* When its program was. */
	bool extended;         /* By the program, as that says. */
	mc_time asked;         /* When libvirt was last asked. */
};

struct extender {
	struct mc_ctx *ctx;
	extend_done *done;
	const struct mc_blocks *rules;
	struct mc_command *commands; /* One for each rule. */
	const char **env;
	struct mc_loop loop;
	struct mc_loop_timer timer;
	struct mc_loop_wakeup wakeup;
	struct mc_spawner *spawner;
	struct extend_looks *looks;
	pthread_t thread;
	bool threaded;

	pthread_mutex_t lock;
	/* Of struct extension; but 'running', and 'runs', 'failures' and 'backoff' of entries, are
	 * the thread's. */
	struct extend_queue queue MC_GUARDED_BY(lock);
	struct mc_once full MC_GUARDED_BY(lock);
};

/* --- Options ------------------------------------------------------------------- */

static const struct mc_option extend_options[] = {
	{ "Command", MC_OPT_STRINGS(struct extend_rule, words.argv), .required = true,
	  .help = "Program that extends a disk, and its arguments; it has ended with 0 when the "
		  "disk is larger.",
	  .sample = "/usr/local/sbin/extend-disk" },
	{ "User", MC_OPT_STRING(struct extend_rule, words.user),
	  .help = "User, or USER:GROUP, that the program runs as; by default that of the "
		  "collector, unless that is root.",
	  .sample = "root" },
	{ "Domain", MC_OPT_STRING(struct extend_rule, guests), .default_value = "*",
	  .help = "Glob for the names of guests." },
	{ "Disk", MC_OPT_STRING(struct extend_rule, disks), .default_value = "*",
	  .help = "Glob for the names of disks, as guests see them." },
	{ "Step", MC_OPT_INT(struct extend_rule, step), .default_value = "1073741824",
	  .help = "Bytes by which a disk is to grow, at least.", .min = 1, .max = 1e18 },
	{ "StepPercent", MC_OPT_NUMBER(struct extend_rule, percent), .default_value = "0",
	  .help = "Percentage of its size by which it is to grow, at least.", .max = 1000 },
	{ "Timeout", MC_OPT_TIME(struct extend_rule, time_max), .default_value = "30",
	  .help = "Seconds after which the program is ended.", .min = 0.001, .max = 1e6 },
	{ "RetryMax", MC_OPT_TIME(struct extend_rule, retry), .default_value = "60",
	  .help = "Longest time between a failure and the next try.", .min = 1, .max = 3600 },
	{ 0 },
};
const struct mc_block extend_block = { sizeof(struct extend_rule), extend_options };

void extend_check(struct mc_ctx *ctx, const struct mc_blocks *rules)
{
	const struct extend_rule *items = rules->items;

	for (size_t i = 0; i < rules->len; i++)
		mc_command_check(ctx, &items[i].words, items[i].words.user != NULL);
}

static size_t find_rule(const struct extender *self, const struct extend_disk *disk)
{
	const struct extend_rule *rules = self->rules->items;
	size_t i = 0;

	while (i < self->rules->len && (fnmatch(rules[i].guests, disk->guest, 0) != 0 ||
					fnmatch(rules[i].disks, disk->disk, 0) != 0))
		i++;
	return i;
}

/* --- States and the log ---------------------------------------------------------- */

static void stand(const struct extension *extension, enum mc_severity severity, const char *reason)
{
	const struct extend_disk *disk = &extension->disk;

	mc_stand(extension->extender->ctx,
		 &(struct mc_standing){
			 .id = { .host = disk->host,
				 .plugin_instance = disk->instance,
				 .type = "virt_disk_extension",
				 .type_instance = disk->disk },
			 .severity = severity,
			 .reason = reason,
			 .advice =
				 "Look into the log for what the program of <Extend> printed, and "
				 "whether the volume group or file system has free space." });
}

static void stand_asked(const struct extension *extension, const char *why)
{
	char reason[512];

	snprintf(reason, sizeof(reason),
		 "disk %.60s of guest %.120s is to be extended from %llu to %llu bytes%s%.200s",
		 extension->disk.disk, extension->disk.guest, (unsigned long long)extension->from,
		 (unsigned long long)extension->wanted, *why != '\0' ? ", which has failed: " : "",
		 why);
	stand(extension, *why != '\0' ? MC_FAILURE : MC_WARNING, reason);
}

static void set_running(struct extension *extension, bool runs)
{
	struct extender *self = extension->extender;

	pthread_mutex_lock(&self->lock);
	if (runs)
		extend_queue_begin(&self->queue, &extension->entry);
	else
		extend_queue_end(&self->queue, &extension->entry);
	pthread_mutex_unlock(&self->lock);
}

static void failed(struct extension *extension, const char *why)
{
	struct mc_ctx *ctx = extension->extender->ctx;

	set_running(extension, false);
	extend_queue_failed(&extension->entry, mc_now());
	mc_log(ctx, MC_WARN, "disk '%s' of guest '%s' ('%s') was not extended to %llu bytes: %s",
	       extension->disk.disk, extension->disk.guest, extension->disk.path,
	       (unsigned long long)extension->wanted, why);
	stand_asked(extension, why);
}

static void succeeded(struct extension *extension, const struct extend_look *look)
{
	struct mc_ctx *ctx = extension->extender->ctx;
	char reason[256];

	set_running(extension, false);
	extend_queue_worked(&extension->entry);
	mc_log(ctx, MC_NOTE,
	       "disk '%s' of guest '%s' ('%s') was extended from %llu to %llu bytes in %.3f s, the "
	       "next threshold is %s %llu",
	       extension->disk.disk, extension->disk.guest, extension->disk.path,
	       (unsigned long long)extension->from, (unsigned long long)look->size,
	       (double)(mc_now() - extension->begun) * 1e-9, look->set ? "at" : "not set yet, at",
	       (unsigned long long)look->threshold);
	snprintf(reason, sizeof(reason), "disk %.60s of guest %.120s has %llu bytes",
		 extension->disk.disk, extension->disk.guest, (unsigned long long)look->size);
	stand(extension, MC_OKAY, reason);
}

/* --- Disks ----------------------------------------------------------------------- */

static void free_extension(struct extension *extension)
{
	free(extension->text);
	free(extension);
}

/* Copies it with its texts. */
static void copy_disk(struct extension *extension, const struct extend_disk *disk)
{
	const char *from[] = { disk->guest, disk->host, disk->instance, disk->disk, disk->path };
	const char **to[] = { &extension->disk.guest, &extension->disk.host,
			      &extension->disk.instance, &extension->disk.disk,
			      &extension->disk.path };
	size_t size = 0;

	for (size_t i = 0; i < 5; i++)
		size += strlen(from[i]) + 1;
	extension->disk = *disk;
	extension->text = mc_alloc_zero(size);
	size = 0;
	for (size_t i = 0; i < 5; i++) {
		size_t len = strlen(from[i]) + 1;

		memcpy(extension->text + size, from[i], len);
		*to[i] = extension->text + size;
		size += len;
	}
}

static void set_sizes(struct extension *extension, uint64_t size)
{
	extension->from = size;
	extension->wanted =
		extend_queue_wanted(extension->rule->step, extension->rule->percent, size);
}

static struct extension *find(struct extender *self, const struct extend_disk *disk)
	MC_REQUIRES(self->lock)
{
	for (struct extend_entry *at = self->queue.first; at != NULL; at = at->next) {
		struct extension *extension = (struct extension *)at;

		if (memcmp(extension->disk.uuid, disk->uuid, VIR_UUID_BUFLEN) == 0 &&
		    strcmp(extension->disk.disk, disk->disk) == 0)
			return extension;
	}
	return NULL;
}

static void add(struct extender *self, const struct extend_disk *disk, size_t rule)
	MC_REQUIRES(self->lock)
{
	struct extension *extension = mc_alloc_zero(sizeof(*extension));

	extension->extender = self;
	extension->rule = (const struct extend_rule *)self->rules->items + rule;
	extension->command = &self->commands[rule];
	copy_disk(extension, disk);
	set_sizes(extension, disk->size);
	if (extend_queue_add(&self->queue, &extension->entry, extension->rule->retry))
		return;
	mc_complain(self->ctx, &self->full, 0,
		    "%d disks wait to be extended: further ones are not asked for", DISKS_MAX);
	free_extension(extension);
}

void extend_ask(struct extender *self, const struct extend_disk *disk)
{
	struct extension *extension;
	size_t rule;

	if (self == NULL)
		return;
	rule = find_rule(self, disk);
	if (rule == self->rules->len)
		return;
	pthread_mutex_lock(&self->lock);
	extension = find(self, disk);
	if (extension == NULL)
		add(self, disk, rule);
	else if (disk->by_event)
		extension->entry.crossed = mc_now();
	pthread_mutex_unlock(&self->lock);
	if (extension == NULL)
		mc_loop_wake(&self->wakeup);
}

/* --- Programs -------------------------------------------------------------------- */

enum { OWN_VARIABLES = 8 };

/* The environment with what is asked; the first OWN_VARIABLES are to be freed, and the list. */
static const char **environment_of(const struct extension *extension, const char *chain)
{
	const struct extend_disk *disk = &extension->disk;
	const char *const *base = extension->extender->env;
	const char **env;
	size_t len = 0;

	while (base[len] != NULL)
		len++;
	env = mc_alloc_array(len + OWN_VARIABLES + 1, sizeof(*env));
	env[0] = mc_alloc_printf("COLLECTOR_GUEST=%s", disk->guest);
	env[1] = mc_alloc_printf("COLLECTOR_UUID=%s", disk->uuid_text);
	env[2] = mc_alloc_printf("COLLECTOR_DISK=%s", disk->disk);
	env[3] = mc_alloc_printf("COLLECTOR_PATH=%s", disk->path);
	env[4] = mc_alloc_printf("COLLECTOR_SIZE=%llu", (unsigned long long)extension->from);
	env[5] = mc_alloc_printf("COLLECTOR_WANTED=%llu", (unsigned long long)extension->wanted);
	env[6] = mc_alloc_printf("COLLECTOR_FAILURES=%u", extension->entry.failures);
	env[7] = mc_alloc_printf("COLLECTOR_CHAIN=%s", chain);
	memcpy(env + OWN_VARIABLES, base, (len + 1) * sizeof(*env));
	return env;
}

static void take_line(void *argument, const struct mc_child_line *line)
{
	struct extension *extension = argument;

	mc_command_say(extension->command, NULL, line->text);
}

/* Its turn is over; it stays if its guest was faster, and it is beyond its watermark again. */
static void leave(struct extension *extension, bool beyond)
{
	struct extender *self = extension->extender;
	bool stays;

	pthread_mutex_lock(&self->lock);
	stays = extend_queue_stays(&extension->entry, beyond, extension->asked);
	if (!stays)
		extend_queue_remove(&self->queue, &extension->entry);
	pthread_mutex_unlock(&self->lock);
	if (!stays)
		free_extension(extension);
}

/* Has libvirt asked how large the disk is, which nobody else knows exactly while it is extended. */
static void ask_size(struct extension *extension, bool extended)
{
	const struct extend_disk *disk = &extension->disk;
	struct extend_look *look = mc_alloc(sizeof(*look));

	*look = (struct extend_look){ .argument = extension,
				      .device = strncmp(disk->path, "/dev/", 5) == 0,
				      .mark = disk->mark,
				      .from = extended ? extension->from : UINT64_MAX };
	memcpy(look->uuid, disk->uuid, sizeof(look->uuid));
	snprintf(look->disk, sizeof(look->disk), "%s", disk->disk);
	extension->extended = extended;
	extension->asked = mc_now();
	extend_look_ask(extension->extender->ctx, extension->extender->looks, look);
}

/* The first of three steps: whether it is beyond its watermark now.  The last read may have been
 * before its extension, and a program that is given a former size could make it smaller. */
static void begin(struct extension *extension)
{
	set_running(extension, true);
	ask_size(extension, false);
}

static void take_end(void *argument, const struct mc_child_end *end)
{
	struct extension *extension = argument;
	char why[256];

	mc_command_ended(extension->command, end, 0);
	if (end->errnum == 0 && end->status == 0 && end->signal == 0 && !end->timed_out &&
	    !end->flooded) {
		ask_size(extension, true);
		return;
	}
	if (end->errnum != 0)
		snprintf(why, sizeof(why), "%s: %s", end->why, strerror(end->errnum));
	else if (end->timed_out)
		snprintf(why, sizeof(why), "the program has not ended within its Timeout");
	else if (end->flooded)
		snprintf(why, sizeof(why), "the program has printed too much");
	else if (end->signal != 0)
		snprintf(why, sizeof(why), "the program was ended by signal %d", end->signal);
	else
		snprintf(why, sizeof(why), "the program has ended with status %d", end->status);
	failed(extension, why);
}

/* The second step. */
static void run_program(struct extension *extension, const char *chain)
{
	struct extender *self = extension->extender;
	struct mc_program program = extension->command->program;
	const char **env = environment_of(extension, chain);
	int rc;

	extension->begun = mc_now();
	program.env = env;
	program.never_root = extension->rule->words.user == NULL;
	program.time_max = extension->rule->time_max;
	program.output_max = OUTPUT_MAX;
	program.line = take_line;
	program.ended = take_end;
	program.argument = extension;
	rc = mc_spawn(self->spawner, &program, NULL);
	for (unsigned i = 0; i < OWN_VARIABLES; i++)
		free((void *)env[i]);
	free(env);
	if (rc < 0)
		failed(extension, strerror(-rc));
	else if (extension->entry.failures == 0)
		stand_asked(extension, "");
}

/* Whether the guest still writes to it: a snapshot may have been taken since the last read. */
static bool is_same_image(const char *path, const char *chain)
{
	size_t size = strcspn(chain, "\n");

	return chain[0] != '/' || (strlen(path) == size && memcmp(path, chain, size) == 0);
}

/* Nothing is to be done any more. */
static void stop(struct extension *extension, const char *reason)
{
	if (extension->entry.failures > 0 || extension->extended)
		stand(extension, MC_OKAY, reason);
	set_running(extension, false);
	leave(extension, false);
}

/* Before the program. */
static void take_size(struct extension *extension, const struct extend_look *look)
{
	if (look->beyond && is_same_image(extension->disk.path, look->chain)) {
		set_sizes(extension, look->size);
		run_program(extension, look->chain);
		return;
	}
	stop(extension, "the disk is below its watermark, or has another image");
}

/* The last step, after the program. */
static void take_new_size(struct extension *extension, const struct extend_look *look)
{
	struct extender *self = extension->extender;

	if (look->size <= extension->from) {
		failed(extension, "the program has ended with 0, and the size is what it was");
		return;
	}
	succeeded(extension, look);
	self->done(self->ctx, look);
	leave(extension, look->beyond);
}

static void take_look(const struct extend_look *look)
{
	struct extension *extension = look->argument;
	char why[LINK_REASON_SIZE + 64];

	if (look->gone) {
		stop(extension, "the guest does not run here, or the disk is gone");
	} else if (!look->answered) {
		snprintf(why, sizeof(why), "libvirt does not say how large it is: %s",
			 look->reason);
		failed(extension, why);
	} else if (extension->extended) {
		take_new_size(extension, look);
	} else {
		take_size(extension, look);
	}
}

/* One that is to be begun; NULL: none.  Only this thread takes some out. */
static struct extension *next_due(struct extender *self, mc_time *due)
{
	struct extend_entry *found;

	pthread_mutex_lock(&self->lock);
	found = extend_queue_next(&self->queue, mc_now(), due);
	pthread_mutex_unlock(&self->lock);
	return (struct extension *)found;
}

static void after_round(void *argument)
{
	struct extender *self = argument;
	struct extend_look *look;
	struct extension *at;
	mc_time due;

	while ((look = extend_look_take(self->ctx, self->looks)) != NULL) {
		take_look(look);
		free(look);
	}
	while ((at = next_due(self, &due)) != NULL)
		begin(at);
	mc_loop_set_timer(&self->loop, &self->timer, due);
}

/* after_round() does it. */
static void on_wake(void *argument)
{
	(void)argument;
}

static void *run(void *argument)
{
	struct extender *self = argument;

	mc_loop_run(&self->loop);
	return NULL;
}

/* --- Life -------------------------------------------------------------------------- */

int extend_new(struct mc_ctx *ctx, const struct mc_blocks *rules, size_t running_max,
	       extend_done *done, struct extender **extender)
{
	const struct extend_rule *items = rules->items;
	const struct virt *virt = ctx->self;
	struct extender *self;
	int rc;

	if (rules->len == 0)
		return 0;
	*extender = self = mc_alloc_zero(sizeof(*self));
	pthread_mutex_init(&self->lock, NULL);
	self->ctx = self->loop.ctx = ctx;
	self->rules = rules;
	pthread_mutex_lock(&self->lock);
	self->queue = (struct extend_queue){ .len_max = DISKS_MAX, .running_max = running_max };
	pthread_mutex_unlock(&self->lock);
	self->done = done;
	self->env = mc_command_env(ctx);
	self->commands = mc_alloc_zero(rules->len * sizeof(*self->commands));
	for (size_t i = 0; i < rules->len; i++)
		mc_command_init(&self->commands[i], ctx, &items[i].words, self->env);
	rc = mc_loop_wakeup_init(&self->wakeup);
	self->looks = extend_look_new(virt->connection, &self->wakeup);
	return rc < 0 ? mc_fail(ctx, -rc, "cannot make an eventfd") : mc_loop_init(&self->loop);
}

void extend_free(struct extender *self) MC_NO_LOCK
{
	if (self == NULL)
		return;
	mc_spawner_free(self->spawner);
	extend_look_free(self->ctx, self->looks);
	mc_loop_done(&self->loop);
	mc_loop_wakeup_done(&self->wakeup);
	while (self->queue.first != NULL) {
		struct extension *first = (struct extension *)self->queue.first;

		extend_queue_remove(&self->queue, &first->entry);
		free_extension(first);
	}
	for (size_t i = 0; i < self->rules->len; i++)
		mc_command_done(&self->commands[i]);
	free(self->commands);
	free(self->env);
	pthread_mutex_destroy(&self->lock);
	free(self);
}

int extend_begin(struct extender *self)
{
	int rc;

	if (self == NULL)
		return 0;
	self->loop.after_round = after_round;
	self->loop.argument = self;
	self->timer.expired = self->wakeup.woken = on_wake;
	rc = mc_loop_watch_wakeup(&self->loop, &self->wakeup);
	if (rc < 0)
		return rc;
	self->spawner = mc_spawner_new(&self->loop, NULL);
	mc_loop_set_timer(&self->loop, &self->timer, mc_now());
	rc = -pthread_create(&self->thread, NULL, run, self);
	self->threaded = rc == 0;
	return rc;
}

void extend_end(struct extender *self)
{
	if (self == NULL || !self->threaded)
		return;
	pthread_join(self->thread, NULL);
	self->threaded = false;
}
