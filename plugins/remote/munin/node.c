/* SPDX-License-Identifier: MIT */
#include "node.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/alloc.h>
#include <collector/kit/hash.h>

#include "plugins.h"

#define LIST_PERIOD (3600 * MC_SECOND)
enum {
	PIPELINE = 4,         /* Requests under way. */
	FAILURES_MAX = 3,     /* In a row, then the pass is given up. */
	BANNERS_MAX = 200,    /* Lines before the greeting. */
	ANSWER_MAX = 1 << 20, /* Bytes of an answer. */
};

static void begin_requests(struct node *node, mc_time now);
static void ask_spool(struct node *node, mc_time now);
static void lose(struct node *node, mc_time now, const char *why);
static void may_ask(struct node *node, mc_time now);

/* --- Times --------------------------------------------------------------- */

/* An answer is to come within the Timeout from now. */
static void expect_answer(struct node *node, mc_time now)
{
	mc_loop_set_timer(node->shared->room.loop, &node->answer_timer,
			  now + node->settings->timeout);
}

static void expect_nothing(struct node *node)
{
	mc_loop_unset_timer(node->shared->room.loop, &node->answer_timer);
}

/* --- A pass -------------------------------------------------------------- */

static void leave_group(struct node *node, mc_time now)
{
	struct group_member *next = group_leave(node->group, &node->member);

	if (next != NULL)
		may_ask((struct node *)next, now);
}

static void end_pass(struct node *node, mc_time now, bool well)
{
	struct node_shared *shared = node->shared;

	node->under_way = false;
	node->state = NODE_IDLE;
	node->failures = 0;
	node->up = well;
	shared->counts.passes++;
	shared->counts.passes_failed += !well;
	if (well)
		mc_works(shared->ctx, &node->trouble, "'%s' answers again", node->settings->name);
	expect_nothing(node);
	leave_group(node, now);
}

static void complain(struct node *node, const char *why)
{
	mc_complain(node->shared->ctx, &node->trouble, 0, "'%s': %s", node->settings->name, why);
}

static void give_up(struct node *node, mc_time now, const char *why)
{
	complain(node, why);
	link_close(&node->link);
	end_pass(node, now, false);
}

/* --- Conversation -------------------------------------------------------- */

/* Connecting has its own limit of time. */
static void greet(struct node *node)
{
	node->state = NODE_GREETING;
	node->lines = 0;
	node->reused = false;
	expect_nothing(node);
	link_open(&node->link);
}

static void ask_list(struct node *node, mc_time now)
{
	char text[2 * SETTINGS_NAME_SIZE];

	node->state = NODE_LIST;
	node->lines = 0;
	expect_answer(node, now);
	snprintf(text, sizeof(text), "cap multigraph dirtyconfig\nlist %s\n",
		 node->settings->use_node_name ? node->own_name : node->host);
	link_send(&node->link, text);
}

/* The present connection has failed.  Its requests are sent again on the next one. */
static void lose(struct node *node, mc_time now, const char *why)
{
	bool again = node->state == NODE_ASKING || node->reused;

	node->failures++;
	node->sent = node->answered;
	if (node->state == NODE_SPOOL)
		spool_cut(node);
	link_close(&node->link);
	if (node->requests_len > 0 && node->answered == node->requests_len)
		end_pass(node, now, true);
	else if (again && node->failures < FAILURES_MAX)
		greet(node);
	else
		give_up(node, now, why);
}

static void begin_pass(struct node *node, mc_time now)
{
	if (node->under_way && node->state == NODE_SPOOL)
		spool_cut(node);
	if (node->under_way)
		give_up(node, now, "it has not answered all before the next pass");
	node->under_way = true;
	node->failures = 0;
	node->answer_odd = false;
	node->requests_len = node->sent = node->answered = 0;
	plugins_label_host(node);
	spool_begin_pass(&node->spool);
	node->reused = node->link.open;
	if (!node->reused)
		greet(node);
	else if (now >= node->list_due)
		ask_list(node, now);
	else if (node->spool.offered)
		ask_spool(node, now);
	else
		begin_requests(node, now);
}

/* --- Plugins ------------------------------------------------------------- */

static void blame(struct node *node, struct node_plugin *plugin, const char *why)
{
	mc_complain(node->shared->ctx, &plugin->trouble, 0, "'%s': plugin '%s': %s",
		    node->settings->name, plugin->name, why);
}

static void begin_answer(struct node *node, mc_time now)
{
	struct node_request *request = &node->requests[node->answered];

	expect_answer(node, now);
	node->answer_size = 0;
	node->answer_bad = node->answer_odd = false;
	mc_munin_answers_begin(&request->plugin->answers, request->plugin->name,
			       request->is_config);
}

static void ask(struct node *node, mc_time now)
{
	char text[300];
	bool first = node->sent == node->answered;

	while (node->state == NODE_ASKING && node->sent < node->requests_len &&
	       node->sent - node->answered < PIPELINE) {
		struct node_request *request = &node->requests[node->sent];

		snprintf(text, sizeof(text), "%s %s\n", request->is_config ? "config" : "fetch",
			 request->plugin->name);
		node->sent++;
		node->shared->counts.requests++;
		if (first)
			begin_answer(node, now);
		first = false;
		link_send(&node->link, text);
	}
}

/* It may have plugins run, now or when it is connected again. */
static void may_ask(struct node *node, mc_time now)
{
	/* It has lost its connection while it waited: it asks on the next. */
	if (node->state != NODE_WAITING)
		return;
	node->state = NODE_ASKING;
	ask(node, now);
}

static void begin_requests(struct node *node, mc_time now)
{
	if (node->requests_len == 0)
		plugins_make_requests(node, now);
	if (node->requests_len == 0) {
		end_pass(node, now, true);
		return;
	}
	node->state = NODE_WAITING;
	expect_nothing(node);
	if (group_enter(node->group, &node->member))
		may_ask(node, now);
}

static void blame_line(struct node *node, struct node_plugin *plugin)
{
	node->answer_odd = true;
	blame(node, plugin, "it says what cannot be used");
}

static void blame_service(struct node *node, struct node_plugin *plugin, const char *service)
{
	char why[400];

	if (service == NULL)
		return;
	snprintf(why, sizeof(why), "another plugin has its '%.300s'", service);
	node->answer_odd = true;
	blame(node, plugin, why);
}

/* An error of the plugin that is asked: its answer is not used. */
static void end_answer(struct node *node, mc_time now)
{
	struct node_request request = node->requests[node->answered];
	struct node_plugin *plugin = request.plugin;
	uint64_t bad = node->shared->counts.bad_lines;

	node->failures = 0;
	node->answered++;
	if (!node->answer_bad) {
		mc_munin_answers_end(&plugin->answers);
		blame_service(node, plugin, plugins_put(node, plugin));
		if (node->shared->counts.bad_lines > bad)
			blame_line(node, plugin);
		plugin->late = false;
		if (!node->answer_odd)
			mc_works(node->shared->ctx, &plugin->trouble,
				 "'%s': plugin '%s' works again", node->settings->name,
				 plugin->name);
		/* With dirtyconfig "config" has brought values, too. */
		if (request.is_config && plugin->answers.values_len == 0)
			plugins_add_request(node, plugin, false);
		else if (!request.is_config && plugin->answers.wants_config &&
			 !plugin->config_asked)
			plugins_add_request(node, plugin, true);
	}
	mc_munin_answers_forget(&plugin->answers);
	if (node->answered == node->requests_len) {
		end_pass(node, now, true);
		return;
	}
	if (node->sent > node->answered)
		begin_answer(node, now);
	ask(node, now);
}

static void take_answer(struct node *node, char *line, mc_time now)
{
	struct node_plugin *plugin = node->requests[node->answered].plugin;
	size_t size = strlen(line);

	if (size > 0 && line[size - 1] == '\r')
		line[--size] = '\0';
	if (strcmp(line, ".") == 0) {
		end_answer(node, now);
		return;
	}
	node->answer_size += size + 1;
	if (node->answer_size > ANSWER_MAX) {
		plugin->late = true;
		blame(node, plugin, "its answer is too long");
		node->answered++;
		lose(node, now, "an answer is too long");
		return;
	}
	if (strncmp(line, "# Unknown service", 17) == 0 || strncmp(line, "# Timed out", 11) == 0 ||
	    strncmp(line, "# Bad exit", 10) == 0) {
		blame(node, plugin, line + 2);
		node->answer_bad = true;
	} else if (!mc_munin_answers_line(&plugin->answers, line)) {
		node->shared->counts.bad_lines++;
		blame_line(node, plugin);
	}
}

/* --- The spool ----------------------------------------------------------- */

static void ask_spool(struct node *node, mc_time now)
{
	char text[64];

	spool_confirm(node);
	spool_begin(&node->spool, &node->overrides);
	node->state = NODE_SPOOL;
	expect_answer(node, now);
	node->shared->counts.requests++;
	snprintf(text, sizeof(text), "spoolfetch %" PRId64 "\n", node->spool.asked / MC_SECOND);
	link_send(&node->link, text);
}

static void end_spool(struct node *node, mc_time now)
{
	spool_end(node);
	if (spool_next(node))
		ask_spool(node, now);
	else
		end_pass(node, now, !node->answer_odd);
}

/* An answer may be long: each line says that the node is there. */
static void take_spool(struct node *node, char *line, mc_time now)
{
	size_t size = strlen(line);

	if (size > 0 && line[size - 1] == '\r')
		line[--size] = '\0';
	expect_answer(node, now);
	if (strcmp(line, ".") == 0) {
		end_spool(node, now);
	} else if (strncmp(line, "# Unknown command", 17) == 0) {
		lose(node, now, "it has no spool, though it says so");
	} else if (!spool_line(node, line)) {
		node->shared->counts.bad_lines++;
		if (!node->answer_odd)
			complain(node, "its spool has what cannot be used");
		node->answer_odd = true;
	}
}

/* --- Lines --------------------------------------------------------------- */

/* The capabilities of a node: "cap multigraph spool". */
static bool can_spool(const char *line)
{
	const char *found = strstr(line, " spool");

	return strncmp(line, "cap ", 4) == 0 && found != NULL && strchr(" \r", found[6]) != NULL;
}

/* "# munin node at NAME", however it calls itself. */
static const char *greeting_name(const char *line)
{
	static const char *const starts[] = { "munin node at ", "lrrd node at ", "munin client at ",
					      "lrrd client at " };
	const char *hash = strchr(line, '#');

	for (size_t i = 0; hash != NULL && i < 4; i++) {
		const char *found = strcasestr(hash, starts[i]);

		if (found != NULL && found[strlen(starts[i])] != '\0')
			return found + strlen(starts[i]);
	}
	return NULL;
}

static void take_greeting(struct node *node, const char *line, mc_time now)
{
	const char *name = greeting_name(line);

	if (name == NULL) {
		if (++node->lines > BANNERS_MAX)
			lose(node, now, "it does not greet");
		return;
	}
	link_works(&node->link);
	snprintf(node->own_name, sizeof(node->own_name), "%.*s", (int)strcspn(name, " \t\r"), name);
	if (node->settings->tls) {
		node->state = NODE_STARTTLS;
		link_send(&node->link, "starttls\n");
	} else {
		ask_list(node, now);
	}
}

static void take_tls(struct node *node, const char *line, mc_time now)
{
	bool as_server = strncmp(line, "TLS MAYBE", 9) == 0;

	if (!as_server && strncmp(line, "TLS OK", 6) != 0) {
		lose(node, now, "it does not speak TLS");
		return;
	}
	if (link_start_tls(&node->link, as_server))
		ask_list(node, now);
}

static void take_list(struct node *node, char *line, mc_time now)
{
	char why[2 * SETTINGS_NAME_SIZE];

	if (node->lines++ == 0) {
		node->spool.offered = can_spool(line);
		return;
	}
	if (node->spool.offered) {
		node->list_due = now + LIST_PERIOD;
		ask_spool(node, now);
		return;
	}
	if (node->requests_len == 0) /* Else they go on. */
		plugins_take_list(node, line);
	if (node->plugins_len == 0) {
		snprintf(why, sizeof(why),
			 "it lists no plugin; it calls itself '%.200s', see "
			 "UseNodeName and Plugin",
			 node->own_name);
		give_up(node, now, why);
		return;
	}
	node->list_due = now + LIST_PERIOD;
	begin_requests(node, now);
}

static void take_line(struct node *node, char *line, mc_time now)
{
	switch (node->state) {
	case NODE_GREETING:
		take_greeting(node, line, now);
		break;
	case NODE_STARTTLS:
		take_tls(node, line, now);
		break;
	case NODE_LIST:
		take_list(node, line, now);
		break;
	case NODE_ASKING:
		take_answer(node, line, now);
		break;
	case NODE_SPOOL:
		take_spool(node, line, now);
		break;
	case NODE_IDLE: /* No pass ends by that. */
		complain(node, "it says what it was not asked for");
		link_close(&node->link);
		break;
	case NODE_WAITING:
		lose(node, now, "it says what it was not asked for");
		break;
	}
}

/* --- Events -------------------------------------------------------------- */

static struct node *node_of(struct link *link)
{
	return (struct node *)((char *)link - offsetof(struct node, link));
}

static mc_time now_of(const struct node *node)
{
	return node->shared->room.loop->now;
}

static void on_opened(struct link *link)
{
	struct node *node = node_of(link);

	expect_answer(node, now_of(node));
}

static void on_line(struct link *link, char *line)
{
	struct node *node = node_of(link);

	take_line(node, line, now_of(node));
}

/* Between passes it may. */
static void on_failed(struct link *link, const char *why)
{
	struct node *node = node_of(link);

	if (node->under_way)
		lose(node, now_of(node), why);
}

static const struct link_calls link_calls = { on_opened, on_line, on_failed };

static void time_out(void *argument)
{
	struct node *node = argument;
	mc_time now = now_of(node);
	struct node_plugin *plugin;

	if (node->state != NODE_ASKING) {
		lose(node, now, "it does not answer in time");
		return;
	}
	plugin = node->requests[node->answered].plugin;
	plugin->late = true;
	node->shared->counts.late++;
	blame(node, plugin, "it does not answer in time");
	node->answered++;
	lose(node, now, "it does not answer in time");
}

static void on_pass(void *argument)
{
	struct node *node = argument;

	mc_every_done(&node->pass, now_of(node));
	mc_loop_set_timer(node->shared->room.loop, &node->pass_timer, node->pass.next);
	begin_pass(node, now_of(node));
}

void node_init(struct node *node, struct node_shared *shared, const struct node_settings *settings)
{
	mc_time phase = (mc_time)(mc_hash_text(mc_hash_start(), settings->name) %
				  (uint64_t)settings->interval);

	node->shared = shared;
	node->settings = settings;
	node->quota = mc_quota_new(shared->ctx, MC_QUOTA_SOURCE, settings->name, &settings->limits);
	node->host = settings_host(settings->name);
	overrides_init(&node->overrides, &settings->config);
	settings_group_name(settings->name, node->group_name);
	node->group = group_find(shared->groups, shared->groups_len, node->group_name);
	link_init(&node->link, &shared->room, settings);
	node->link.ctx = shared->ctx;
	node->link.calls = &link_calls;
	node->link.spawner = &shared->spawner;
	node->answer_timer = (struct mc_loop_timer){ .expired = time_out, .argument = node };
	node->pass_timer = (struct mc_loop_timer){ .expired = on_pass, .argument = node };
	node->pass.period = settings->interval;
	node->pass.next = mc_now() + phase;
	if (settings->update)
		mc_loop_set_timer(shared->room.loop, &node->pass_timer, node->pass.next);
}

void node_done(struct node *node)
{
	link_done(&node->link);
	plugins_free(node);
	spool_done(&node->spool);
	overrides_done(&node->overrides);
	mc_quota_free(node->quota);
}
