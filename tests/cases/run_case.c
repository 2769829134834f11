/* SPDX-License-Identifier: MIT */
/* run_case - tests of plugins, as data.
 *
 *   run_case [-u] [FOLDER...]
 *
 * A case is a folder plugins/ROLE/NAME/cases/CASE/ with
 *   conf       the plugin's configuration; "Interval" counts, too (else 10)
 *   root/      what the plugin finds below "/", see fixture.h
 *   root2/ ... what it finds one interval later, and so on
 *   peer       who is at the other end of a socket, see peer.h
 *   expect     every series and value of each read, what was logged, and what
 *              the peer has received
 *
 * There are as many reads as roots, but at least two of a plugin that reads. To
 * one that writes or judges a root's file "put" goes, see feed.h, and
 * notifications are expected instead of samples; of a judge both, and its
 * samples are those that a writer gets then.  The clock is stopped and
 * stepped, but for run(), which works meanwhile.  Without arguments all cases
 * below $top_srcdir are run whose plugin was built; -u writes 'expect' instead
 * of comparing it.
 */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include <collector/writer.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "conf/option.h"
#include "conf/parse.h"
#include "engine/change/engine.h"
#include "engine/change/plugin.h"
#include "model/type.h"
#include "model/types_db.h"

#include "feed.h"
#include "fixture.h"
#include "peer.h"

#define SKIPPED 77
#define HOST "host"
#define TEXT_SIZE (1 << 20)

/* --- What a read shows --------------------------------------------------- */

struct printer { /* A writer. */
	FILE *out;
};

static void print_value(FILE *out, enum mc_kind kind, union mc_value value)
{
	switch (kind) {
	case MC_GAUGE:
		fprintf(out, " %.15g", value.gauge);
		break;
	case MC_DERIVE:
		fprintf(out, " %" PRId64, value.derive);
		break;
	case MC_COUNTER:
	case MC_ABSOLUTE:
		fprintf(out, " %" PRIu64, value.counter);
		break;
	}
}

static int print_batch(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	FILE *out = ((struct printer *)ctx->self)->out;

	MC_FOR_EACH_SAMPLE (sample, batch) {
		const struct mc_type *type = mc_type(sample->series);

		const char *name = mc_name(sample->series);

		/* Without the host, if it is this one. */
		fputs(strncmp(name, HOST "/", sizeof(HOST)) == 0 ? name + sizeof(HOST) : name, out);
		for (unsigned i = 0; i < sample->values_len; i++)
			print_value(out, type->sources[i].kind, sample->values[i]);
		fputc('\n', out);
	}
	return 0;
}

static int print_notification(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	FILE *out = ((struct printer *)ctx->self)->out;

	fprintf(out, "%s: %s\n", mc_severity_name(notification->severity),
		notification->message != NULL ? notification->message : "");
	return 0;
}

/* What samples a plugin was given is no news, but what it makes of them. */
static const struct mc_plugin printers[] = {
	{
		.api = MC_API,
		.name = "printer",
		.help = "Prints every sample.",
		.self_size = sizeof(struct printer),
		.writer = &(const struct mc_writer){ .write = print_batch },
	},
	{
		.api = MC_API,
		.name = "printer",
		.help = "Prints every notification.",
		.self_size = sizeof(struct printer),
		.writer = &(const struct mc_writer){ .notify = print_notification },
	},
};

static bool is_fed(const struct mc_plugin *plugin)
{
	const struct mc_writer *writer = plugin_writer(plugin);

	return plugin->judge != NULL || (writer->write != NULL && !writer->on_request);
}

static void print_log(void *argument, enum mc_level level, const char *line)
{
	if (level < MC_DEBUG)
		fprintf(argument, "%s: %s\n", log_level_name(level), line);
}

/* --- One case ------------------------------------------------------------ */

struct setup { /* All that an engine needs to run one plugin. */
	const struct mc_plugin *plugin;
	struct type_set *types;
	struct problems problems;
	struct arena arena;
	struct conf_keep keep;
	struct conf_node *tree;
	mc_time interval;
	struct peer *peer; /* NULL: there is none. */

	/* What a writer gets when a judge was asked, until the read is over:
	 * notifications, which another thread prints, are before it. */
	FILE *taken; /* NULL: it is no judge. */
	char *taken_text;
	size_t taken_size;
};

/* A file, of which the first TEXT_SIZE bytes count, ended by '\0'; "" if there
 * is none.  Freed by the caller. */
static char *slurp(const char *folder, const char *name, size_t *size)
{
	char path[PATH_MAX], *text = alloc_zero(TEXT_SIZE + 1);
	FILE *in;

	*size = 0;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	in = fopen(path, "r");
	if (in != NULL) {
		*size = fread(text, 1, TEXT_SIZE, in);
		fclose(in);
	}
	return text;
}

static void load_types(struct setup *setup)
{
	const char *top = getenv("top_srcdir");
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/" TYPES_DB, top != NULL ? top : ".");
	setup->types = type_set_new();
	if (types_db_read(setup->types, path, &setup->problems) < 0) {
		fprintf(stderr, "run_case: cannot read '%s'\n", path);
		exit(99);
	}
	for (size_t i = 0; setup->plugin->new_types != NULL && setup->plugin->new_types[i] != NULL;
	     i++)
		type_set_add(setup->types, setup->plugin->new_types[i], (struct place){ 0 });
}

static void load_conf(struct setup *setup, const char *folder)
{
	size_t size;
	char *text = slurp(folder, "conf", &size);

	setup->peer = peer_new(folder);
	if (setup->peer != NULL) {
		char *filled = peer_fill(setup->peer, text);

		free(text);
		text = filled;
		size = strlen(text);
	}
	setup->tree = conf_parse(text, size, "conf", &setup->problems, &setup->arena);
	setup->interval = 10 * MC_SECOND;
	for (size_t i = 0; i < setup->tree->children_len; i++) {
		const struct conf_node *node = setup->tree->children[i];

		if (strcasecmp(node->name, "Interval") == 0)
			setup->interval = (mc_time)(node->values[0].number * (double)MC_SECOND);
	}
	free(text);
}

static void configure(struct setup *setup, void *self)
{
	const struct conf_node *blocks[16];
	struct option_source source = { .owner = setup->plugin->name, .parents = blocks };

	for (size_t i = 0; i < setup->tree->children_len; i++) {
		const struct conf_node *node = setup->tree->children[i];

		if (strcasecmp(node->name, "Plugin") == 0 && source.parents_len < 16)
			blocks[source.parents_len++] = node;
	}
	if (setup->plugin->options != NULL)
		option_fill(setup->plugin->options, &source, self, &setup->keep, &setup->problems);
}

static void print_problems(const struct problems *problems, FILE *out)
{
	for (size_t i = 0; i < problems->len; i++) {
		char line[1024];

		problem_format(&problems->items[i], line, sizeof(line));
		fprintf(out, "%s\n", line);
	}
}

/* The folder of that read, from 1; false if the case has none. */
static bool find_root(const char *folder, unsigned n, char path[PATH_MAX])
{
	if (n == 1)
		snprintf(path, PATH_MAX, "%s/root", folder);
	else
		snprintf(path, PATH_MAX, "%s/root%u", folder, n);
	return access(path, F_OK) == 0;
}

/* The plugin's own series first, then by name; of one series as they came, so
 * by place. */
static int by_series(const void *a, const void *b, void *plugin)
{
	const char *one = *(char *const *)a, *other = *(char *const *)b;
	size_t n = strcspn(one, " "), m = strcspn(other, " ");
	size_t size = strlen(plugin);
	int order = (strncmp(other, plugin, size) == 0) - (strncmp(one, plugin, size) == 0);

	if (order == 0)
		order = strncmp(one, other, n < m ? n : m);
	if (order == 0)
		order = (n > m) - (n < m);
	return order != 0 ? order : (one > other) - (one < other);
}

/* Batches are in order, but which of them a writer gets in one is not known: so
 * lines are printed in the order of their series. */
static void print_taken(const struct setup *setup, FILE *out)
{
	char **lines = alloc_array(setup->taken_size + 1, sizeof(char *));
	char plugin[128];
	size_t len = 0;

	for (char *line = setup->taken_text, *end = line + setup->taken_size; line < end;
	     line += strcspn(line, "\n") + 1)
		lines[len++] = line;
	snprintf(plugin, sizeof(plugin), "%s/", setup->plugin->name);
	qsort_r(lines, len, sizeof(*lines), by_series, plugin);
	for (size_t i = 0; i < len; i++)
		fprintf(out, "%.*s\n", (int)strcspn(lines[i], "\n"), lines[i]);
	free(lines);
}

/* What a judge commits in write() waits for others when that has returned. */
static void drain(struct engine *engine, const struct setup *setup, FILE *out)
{
	bool drained = engine_drain(engine, 60 * MC_SECOND) && engine_drain(engine, 60 * MC_SECOND);

	if (!drained)
		fprintf(out, "the writer hangs\n");
	if (setup->taken == NULL)
		return;
	fflush(setup->taken);
	print_taken(setup, out);
	rewind(setup->taken);
}

static void read_all(struct engine *engine, const struct setup *setup, const char *folder,
		     const char *root, FILE *out)
{
	const unsigned least = setup->plugin->read != NULL ? 2 : 0;
	char path[PATH_MAX];
	bool found;

	for (unsigned n = 1; (found = find_root(folder, n, path)) || n <= least; n++) {
		if (found)
			fixture_lay(root, path);
		fprintf(out, "--- read %u\n", n);
		engine_read_once(engine);
		drain(engine, setup, out);
		clock_step(setup->interval);
	}
}

/* What happens while nobody reads: a peer connects to run(). */
static void run_peer(struct engine *engine, const struct setup *setup, FILE *out)
{
	struct peer *peer = setup->peer;

	if (peer == NULL)
		return;
	peer_start(peer);
	if (!peer_connects(peer))
		return;
	fprintf(out, "--- run\n");
	peer_wait(peer);
	drain(engine, setup, out);
	peer_finish(peer, out);
}

static void add_printer(struct engine *engine, const struct mc_plugin *plugin, const char *name,
			FILE *out)
{
	struct instance *printer = engine_add(engine, plugin, name);

	((struct printer *)engine_ctx(printer)->self)->out = out;
}

/* Runs the case and prints all that is seen of it. */
static void show(struct setup *setup, const char *folder, FILE *out)
{
	char root[PATH_MAX];
	struct engine_settings settings = {
		.version = "0",
		.host = HOST,
		.root = root,
		.types = setup->types,
		.interval = setup->interval,
		.read_interval_max = setup->interval,
		.timeout = 2,
		.read_threads = 1,
		.series_limit = 10000,
		.queue_bytes = TEXT_SIZE,
	};
	struct engine *engine;
	struct instance *reader;

	fixture_init(root, sizeof(root));
	clock_stop(1000 * MC_SECOND, 1700000000 * MC_SECOND);
	log_to_stderr(-1);
	log_add_target(print_log, out);
	engine = engine_new(&settings);
	if (setup->taken != NULL) /* Before it has derived anything. */
		add_printer(engine, &printers[0], "taken", setup->taken);
	reader = engine_add(engine, setup->plugin, setup->plugin->name);
	if (is_fed(setup->plugin))
		engine_add(engine, &feed_plugin, "feed");
	add_printer(engine, &printers[is_fed(setup->plugin)], "printer", out);
	configure(setup, engine_ctx(reader)->self);
	print_problems(&setup->problems, out);
	engine_start_idle(engine);
	run_peer(engine, setup, out);
	read_all(engine, setup, folder, root, out);
	if (engine_stop(engine, 5 * MC_SECOND))
		engine_free(engine);
	if (setup->peer != NULL)
		peer_finish(setup->peer, out);
	log_remove_target(out);
	fixture_done(root);
}

static bool load(struct setup *setup, const char *name)
{
	const char *top = getenv("top_builddir");
	char directory[PATH_MAX], why[256];
	int rc;

	snprintf(directory, sizeof(directory), "%s/.libs", top != NULL ? top : ".");
	rc = plugin_load(directory, name, &setup->plugin, why, sizeof(why));
	if (rc < 0 && rc != -ENOENT)
		fprintf(stderr, "run_case: %s\n", why);
	if (rc < 0)
		exit(rc == -ENOENT ? SKIPPED : 99);
	return true;
}

/* The outcome as text, freed by the caller. */
static char *outcome(const char *name, const char *folder)
{
	struct setup setup = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out;

	load(&setup, name);
	problem_init(&setup.problems);
	arena_init(&setup.arena, 4096);
	option_init(&setup.keep);
	load_types(&setup);
	load_conf(&setup, folder);
	if (setup.plugin->judge != NULL)
		setup.taken = open_memstream(&setup.taken_text, &setup.taken_size);
	out = open_memstream(&text, &size);
	show(&setup, folder, out);
	fclose(out);
	if (setup.taken != NULL)
		fclose(setup.taken);
	free(setup.taken_text);
	if (setup.peer != NULL)
		peer_hide(setup.peer, text);
	peer_free(setup.peer);
	option_release(&setup.keep);
	arena_done(&setup.arena);
	problem_done(&setup.problems);
	type_set_free(setup.types);
	return text;
}

/* --- All cases ----------------------------------------------------------- */

static int judge(const char *name, const char *folder, bool update)
{
	size_t size;
	char *expected = slurp(folder, "expect", &size);
	char *text = outcome(name, folder), path[PATH_MAX];
	bool same = strcmp(text, expected) == 0;

	if (update && !same) {
		FILE *out;

		snprintf(path, sizeof(path), "%s/expect", folder);
		out = fopen(path, "w");
		if (out == NULL)
			return 1;
		fputs(text, out);
		same = fclose(out) == 0;
	}
	if (!same)
		printf("FAIL %s\n=== expected\n%s=== got\n%s", folder, expected, text);
	free(text);
	free(expected);
	return same ? 0 : 1;
}

/* In a process of its own: no case can disturb another. */
static int run(const char *folder, bool update)
{
	char copy[PATH_MAX];
	char *name;
	int status = 0;
	pid_t pid;

	/* .../NAME/cases/CASE */
	snprintf(copy, sizeof(copy), "%s", folder);
	name = basename(dirname(dirname(copy)));
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		exit(judge(name, folder, update));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 99;
	if (WIFSIGNALED(status))
		printf("FAIL %s: signal %d\n", folder, WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

int main(int argc, char **argv)
{
	const char *top = getenv("top_srcdir");
	bool update = argc > 1 && strcmp(argv[1], "-u") == 0;
	unsigned passed = 0, failed = 0, skipped = 0;
	glob_t found = { 0 };
	char pattern[PATH_MAX];

	snprintf(pattern, sizeof(pattern), "%s/plugins/*/*/cases/*", top != NULL ? top : ".");
	argv += update ? 2 : 1;
	if (*argv == NULL && glob(pattern, 0, NULL, &found) == 0)
		argv = found.gl_pathv;
	for (; *argv != NULL; argv++) {
		int rc = run(*argv, update);

		if (rc == SKIPPED)
			skipped++;
		else if (rc == 0)
			passed++;
		else
			failed++;
	}
	globfree(&found);
	printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
	return failed > 0 || passed == 0 ? 1 : 0;
}
