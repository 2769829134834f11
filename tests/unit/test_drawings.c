/* SPDX-License-Identifier: MIT */
/* The graphs of the series that are there: their order, their lines, what matches them. */
#include "unit.h"

#include <collector/graphs.h>
#include <collector/metric.h>
#include <collector/serve.h>

#include <stdio.h>
#include <string.h>

#include "engine/graphs/graph_rules.h"
#include "lab.h"

static const struct mc_plugin source_plugin = { .api = MC_API, .name = "source" };
static struct {
	struct lab lab;
	struct mc_ctx *ctx;
	struct graph_rules *rules;
	char shown[4096];
} all;

static const char text[] = "<Graph net>\n Plugin net\n Type if_octets\n Order 20\n"
			   " Title Network\n Above rx\n Below tx\n Label rx in tx out\n"
			   " Scale 8\n Unit \"bit/s\"\n</Graph>\n"
			   "<Graph cpu>\n Plugin cpu\n By type_instance\n Combine average\n"
			   " Order 10\n Title CPU\n Draw stack\n Line user system\n Hide idle\n"
			   "</Graph>\n"
			   "<Graph port>\n Plugin snmp\n Type if_octets gauge\n"
			   " Per type_instance\n Title \"Port %{type_instance}\"\n"
			   " Above rx\n Below tx\n Limit gauge\n Scale 8\n"
			   " ScaleOf gauge 0.5\n"
			   " Label rx in tx out if_octets \"\" gauge speed\n</Graph>\n"
			   "<Graph metric>\n Plugin shop\n Per plugin_instance\n"
			   " By type_instance\n Names labels\n</Graph>\n"
			   "<Graph any>\n Plugin \"*\"\n Per plugin plugin_instance\n</Graph>\n";

static int open_lab(void **state)
{
	struct problems problems;

	(void)state;
	lab_open(&all.lab, 1 << 20);
	all.ctx = engine_ctx(engine_add(all.lab.engine, &source_plugin, "source"));
	all.rules = graph_rules_new();
	problem_init(&problems);
	graph_rules_add_text(all.rules, text, sizeof(text) - 1, "graphs", &problems);
	assert_int_equal(problems.len, 0);
	problem_done(&problems);
	all.lab.engine->registry.graphs = all.rules;
	all.shown[0] = '\0';
	return engine_start_idle(all.lab.engine);
}

static int close_lab(void **state)
{
	(void)state;
	lab_close(&all.lab);
	graph_rules_free(all.rules);
	return 0;
}

static void add(const char *fmt, ...) MC_PRINTF(1, 2);
static void add(const char *fmt, ...)
{
	size_t size = strlen(all.shown);
	va_list args;

	va_start(args, fmt);
	vsnprintf(all.shown + size, sizeof(all.shown) - size, fmt, args);
	va_end(args);
}

static bool show(void *argument, const struct mc_drawing *drawing)
{
	(void)argument;
	add("%s %s '%s' %g '%s' %s\n", drawing->host, drawing->id, drawing->title,
	    drawing->lines->scale, drawing->unit, drawing->glob);
	for (size_t i = 0; i < drawing->lines_len; i++) {
		const struct mc_drawing_line *line = &drawing->lines[i];

		add("  '%s' %s %u%s%s x%u %s\n", line->name, line->series, line->source,
		    line->below ? " below" : "", line->draw == MC_DRAW_HIDDEN ? " hidden" : "",
		    line->series_len, line->group);
		if (line->draw == MC_DRAW_LIMIT)
			add("  limit %g, factor %g\n", line->limit, line->scale);
	}
	return true;
}

static void put(struct mc_batch *batch, struct mc_id id)
{
	mc_put(batch, mc_series(batch, id), (const union mc_value[]){ { .gauge = 1 }, { 0 } },
	       strcmp(id.type, "if_octets") == 0 ? 2 : 1);
}

static void graphs_come_in_order_with_their_lines(void **state)
{
	struct mc_batch *batch = mc_begin(all.ctx);

	(void)state;
	put(batch, MC_ID(.plugin = "net", .plugin_instance = "eth10", .type = "if_octets"));
	put(batch, MC_ID(.plugin = "net", .plugin_instance = "eth9", .type = "if_octets"));
	for (const char *cpu = "01"; *cpu != '\0'; cpu++)
		for (const char *const *one =
			     (const char *const[]){ "idle", "system", "user", NULL };
		     *one != NULL; one++)
			put(batch,
			    MC_ID(.plugin = "cpu", .plugin_instance = *cpu == '0' ? "0" : "1",
				  .type = "gauge", .type_instance = *one));
	put(batch, MC_ID(.plugin = "a*", .type = "gauge"));
	put(batch,
	    MC_ID(.plugin = "b", .plugin_instance = "x", .type = "gauge", .type_instance = "v2"));
	put(batch,
	    MC_ID(.plugin = "b", .plugin_instance = "x", .type = "gauge", .type_instance = "v10"));
	mc_commit(batch);
	assert_int_equal(
		mc_each_drawing(all.ctx, &(struct mc_drawing_query){ .glob = "lab/*" }, show, NULL),
		4);
	assert_string_equal(all.shown, "lab cpu 'CPU' 1 '' lab/cpu-*/gauge-*\n"
				       "  'user' lab/cpu-0/gauge-user 0 x2 user\n"
				       "  'system' lab/cpu-0/gauge-system 0 x2 system\n"
				       "  'idle' lab/cpu-0/gauge-idle 0 hidden x2 idle\n"
				       "lab net 'Network' 8 'bit/s' lab/net-*/if_octets\n"
				       "  'eth9 in' lab/net-eth9/if_octets 0 x1 \n"
				       "  'eth9 out' lab/net-eth9/if_octets 1 below x1 \n"
				       "  'eth10 in' lab/net-eth10/if_octets 0 x1 \n"
				       "  'eth10 out' lab/net-eth10/if_octets 1 below x1 \n"
				       "lab any/a* 'a* gauge' 1 '' lab/a\\*/gauge\n"
				       "  'gauge' lab/a*/gauge 0 x1 \n"
				       "lab any/b/x 'b x gauge' 1 '' lab/b-x/gauge-*\n"
				       "  'gauge v2' lab/b-x/gauge-v2 0 x1 \n"
				       "  'gauge v10' lab/b-x/gauge-v10 0 x1 \n");
}

/* It is not among what the graph asks of histories: its value is there already. */
static void a_limit_has_a_factor_of_its_own(void **state)
{
	struct mc_batch *batch = mc_begin(all.ctx);

	(void)state;
	put(batch, MC_ID(.plugin = "snmp", .type = "if_octets", .type_instance = "eth0"));
	put(batch, MC_ID(.plugin = "snmp", .type = "gauge", .type_instance = "eth0"));
	put(batch, MC_ID(.plugin = "snmp", .type = "gauge", .type_instance = "eth1"));
	mc_commit(batch);
	mc_each_drawing(all.ctx, &(struct mc_drawing_query){ .glob = NULL }, show, NULL);
	assert_string_equal(all.shown, "lab port/eth0 'Port eth0' 8 '1' lab/snmp/if_octets-eth0\n"
				       "  'in' lab/snmp/if_octets-eth0 0 x1 \n"
				       "  'out' lab/snmp/if_octets-eth0 1 below x1 \n"
				       "  'speed' lab/snmp/gauge-eth0 0 x1 \n"
				       "  limit 0.5, factor 0.5\n"
				       "lab port/eth1 'Port eth1' 0.5 '' lab/snmp/gauge-eth1\n"
				       "  'speed' lab/snmp/gauge-eth1 0 x1 \n"
				       "  limit 0.5, factor 0.5\n");
}

static void put_metric(struct mc_batch *batch, const char *instance, const char *code,
		       const char *method)
{
	const struct mc_metric_label labels[] = { { .name = "code", .value = code },
						  { .name = "job", .value = "shop" },
						  { .name = "method", .value = method } };
	struct mc_series *series =
		mc_series(batch, MC_ID(.plugin = "shop", .plugin_instance = "http.requests",
				       .type = "gauge", .type_instance = instance));
	const struct mc_metric metric = {
		.name = "http.requests",
		.labels = { labels, method != NULL ? 3 : 2 },
	};

	mc_put(batch, series, (const union mc_value[]){ { .gauge = 1 } }, 1);
	mc_set_metric(batch, series, &metric);
}

static void lines_are_called_by_the_labels_that_differ(void **state)
{
	struct mc_batch *batch = mc_begin(all.ctx);

	(void)state;
	put_metric(batch, "a", "200", "GET");
	put_metric(batch, "b", "500", "GET");
	mc_commit(batch);
	mc_each_drawing(all.ctx, &(struct mc_drawing_query){ .glob = NULL }, show, NULL);
	assert_non_null(strstr(all.shown, "  '200' lab/shop-http.requests/gauge-a 0 x1 \n"
					  "  '500' lab/shop-http.requests/gauge-b 0 x1 \n"));
	batch = mc_begin(all.ctx);
	put_metric(batch, "c", "200", NULL);
	mc_commit(batch);
	all.shown[0] = '\0';
	mc_each_drawing(all.ctx, &(struct mc_drawing_query){ .glob = NULL }, show, NULL);
	assert_non_null(strstr(all.shown,
			       "  'code=200 method=GET' lab/shop-http.requests/gauge-a 0 x1 \n"
			       "  'code=500 method=GET' lab/shop-http.requests/gauge-b 0 x1 \n"
			       "  'code=200' lab/shop-http.requests/gauge-c 0 x1 \n"));
	batch = mc_begin(all.ctx); /* The same labels, told apart by their resource alone. */
	put_metric(batch, "d", "200", NULL);
	mc_commit(batch);
	all.shown[0] = '\0';
	mc_each_drawing(all.ctx, &(struct mc_drawing_query){ .glob = NULL }, show, NULL);
	assert_non_null(strstr(all.shown, "  'c' lab/shop-http.requests/gauge-c 0 x1 \n"
					  "  'd' lab/shop-http.requests/gauge-d 0 x1 \n"));
}

static bool show_none(void *argument, const struct mc_drawing *drawing)
{
	(void)drawing;
	++*(unsigned *)argument;
	return false;
}

static void a_viewer_may_end_early(void **state)
{
	struct mc_batch *batch = mc_begin(all.ctx);
	unsigned shown = 0;

	(void)state;
	assert_int_equal(mc_each_drawing(all.ctx, &(struct mc_drawing_query){ .glob = "x/*" },
					 show_none, &shown),
			 0);
	put(batch, MC_ID(.plugin = "a", .type = "gauge"));
	put(batch, MC_ID(.plugin = "b", .type = "gauge"));
	mc_commit(batch);
	assert_int_equal(
		mc_each_drawing(all.ctx, &(struct mc_drawing_query){ 0 }, show_none, &shown), 2);
	assert_int_equal(shown, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(graphs_come_in_order_with_their_lines, open_lab,
						close_lab),
		cmocka_unit_test_setup_teardown(a_limit_has_a_factor_of_its_own, open_lab,
						close_lab),
		cmocka_unit_test_setup_teardown(lines_are_called_by_the_labels_that_differ,
						open_lab, close_lab),
		cmocka_unit_test_setup_teardown(a_viewer_may_end_early, open_lab, close_lab),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
