/* SPDX-License-Identifier: MIT */
/* Of whom a request is, without its points. */
#include "unit.h"

#include <collector/label.h>

#include "otlp_fixture.h"

struct seen {
	char text[1024];
	unsigned left;
};

/* "[own ]HOST name=value ...; " */
static bool see(void *argument, const struct mc_otlp_resource *resource)
{
	struct seen *seen = argument;
	size_t used = strlen(seen->text);
	struct mc_otlp_labels labels;

	used += (size_t)snprintf(seen->text + used, sizeof(seen->text) - used, "%s%.*s",
				 resource->own ? "own " : "", (int)resource->host.size,
				 resource->host.at);
	mc_otlp_labels(resource, &labels);
	for (unsigned i = 0; i < labels.len; i++)
		used += (size_t)snprintf(seen->text + used, sizeof(seen->text) - used, " %s=%s",
					 labels.items[i].name, labels.items[i].value);
	snprintf(seen->text + used, sizeof(seen->text) - used, "; ");
	return --seen->left > 0;
}

static void assert_seen(const void *bytes, size_t size, unsigned most, const char *expected,
			bool all)
{
	struct seen seen = { .left = most };

	const struct mc_otlp_request request = { .host = "caller", .bytes = bytes, .size = size };

	assert_true(mc_otlp_each_resource(&request, see, &seen) == all);
	assert_string_equal(seen.text, expected);
}

static unsigned label(struct mc_ctx *ctx, const char *host,
		      void (*visit)(void *argument, const struct mc_field *), void *argument)
{
	(void)ctx;
	if (strcmp(host, "b") == 0)
		return 0;
	visit(argument, &(struct mc_field){ "uuid", "0-a" });
	visit(argument, &(struct mc_field){ "title", "" });
	return 2;
}

static void test_own(void **state)
{
	static const char *const hosts[] = { "a", "a", "b", "c" };
	struct mc_otlp_writer *writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	struct mc_otlp_bytes bytes;
	struct mc_ctx ctx = { 0 };
	struct otlp_lab lab;

	(void)state;
	mc_otlp_writer_label(writer, &ctx, label);
	otlp_lab_open(&lab);
	for (unsigned i = 0; i < 4; i++)
		mc_gauge(&lab.batch,
			 otlp_series(&lab, MC_ID(.host = hosts[i], .plugin = "p"), &otlp_gauge), i);
	assert_non_null(mc_otlp_write(writer, &lab.batch, NULL, &bytes));
	assert_seen(bytes.at, bytes.size, 9,
		    "own a title= uuid=0-a; own b; own c title= uuid=0-a; ", true);
	assert_seen(bytes.at, bytes.size, 2, "own a title= uuid=0-a; own b; ", false);
	otlp_lab_close(&lab);
	mc_otlp_writer_free(writer);
}

static void test_own_notification(void **state)
{
	struct mc_otlp_writer *writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	struct mc_notification notification = {
		.severity = MC_OKAY, .time = OTLP_TIME, .id = { .host = "a" }, .message = "m"
	};
	struct mc_otlp_bytes bytes;

	(void)state;
	mc_otlp_write_notification(writer, &notification, &bytes);
	assert_seen(bytes.at, bytes.size, 9, "own a; ", true);
	mc_otlp_writer_free(writer);
}

static void test_foreign(void **state)
{
	struct otlp_message resource = { .size = 0 }, item = { .size = 0 };
	struct otlp_message request, all = { .size = 0 };

	(void)state;
	otlp_add_pair(&resource, 1, "service.instance.id", "i");
	otlp_add_pair(&resource, 1, "k", "");
	otlp_request(&request, &resource, "collectors/p", &item);
	otlp_add(&all, request.at, request.size);
	resource.size = 0;
	otlp_request(&request, &resource, "collector/p", &item);
	otlp_add(&all, request.at, request.size);
	assert_seen(all.at, all.size, 9, "i service.instance.id=i k=; own caller; ", true);
	otlp_add(&all, request.at, request.size - 1); /* Cut short. */
	assert_seen(all.at, all.size, 9, "i service.instance.id=i k=; own caller; ", true);
	assert_seen("", 0, 9, "", true);
}

/* What has no room is passed over. */
static void test_many(void **state)
{
	struct otlp_message resource = { .size = 0 };
	struct mc_otlp_resource read = { .own = true };
	char name[MC_LABEL_SIZE + 1], value[MC_LABEL_SIZE + 1];
	struct mc_otlp_labels labels;

	(void)state;
	memset(value, 'v', MC_LABEL_SIZE);
	value[MC_LABEL_SIZE] = '\0';
	otlp_add_pair(&resource, 1, "long", value);
	otlp_add_pair(&resource, 1, value, "long");
	otlp_add_pair(&resource, 1, "", "nameless");
	otlp_add_pair(&resource, 1, "lines", "a\nb");
	otlp_add_pair(&resource, 1, "latin", "\xe4");
	otlp_add_pair(&resource, 1, "\xe4", "latin");
	value[MC_LABEL_SIZE - 1] = '\0';
	for (unsigned i = 0; i < MC_LABELS_MAX + 2; i++) {
		snprintf(name, sizeof(name), "%0*u", MC_LABEL_SIZE - 1, i);
		otlp_add_pair(&resource, 1, name, value);
	}
	read.attributes.at = resource.at;
	read.attributes.end = resource.at + resource.size;
	assert_int_equal(mc_otlp_labels(&read, &labels), MC_LABELS_MAX);
	for (unsigned i = 0; i < MC_LABELS_MAX; i++) {
		snprintf(name, sizeof(name), "%0*u", MC_LABEL_SIZE - 1, i);
		assert_string_equal(labels.items[i].name, name);
		assert_string_equal(labels.items[i].value, value);
	}
	read.attributes = (struct mc_otlp_span){ 0 };
	assert_int_equal(mc_otlp_labels(&read, &labels), 0);
}

/* Each resource of a request is one, whatever follows it. */
static void test_pieces(void **state)
{
	struct otlp_message resource = { .size = 0 }, item = { .size = 0 };
	struct otlp_message request, all = { .size = 0 };
	struct mc_otlp_piece piece;
	struct mc_otlp_span rest;
	size_t first;

	(void)state;
	otlp_add_pair(&resource, 1, "host.name", "a");
	otlp_add_text(&item, 1, "p.gauge");
	otlp_request(&request, &resource, "collector/p", &item);
	otlp_add(&all, request.at, request.size);
	first = all.size;
	otlp_request(&request, &resource, "none", &resource);
	otlp_add(&all, request.at, request.size);
	otlp_add_text(&all, 1, "\x12\xff"); /* Scopes that are cut short. */
	otlp_add_bytes(&all, 2, "", 0);
	otlp_add(&all, "\x0a\x09", 2);
	rest = (struct mc_otlp_span){ all.at, all.at + all.size };
	assert_true(mc_otlp_next_piece(&rest, &piece));
	assert_ptr_equal(piece.all.at, all.at);
	assert_ptr_equal(piece.all.end, all.at + first);
	assert_ptr_equal(piece.head.at, all.at);
	assert_memory_equal(piece.head.end - 7, "p.gauge", 7);
	assert_true(mc_otlp_next_piece(&rest, &piece));
	assert_ptr_equal(piece.all.at, all.at + first);
	assert_int_equal(piece.all.end - piece.all.at, request.size);
	assert_true(mc_otlp_next_piece(&rest, &piece));
	assert_int_equal(piece.all.end - piece.all.at, 4);
	assert_ptr_equal(piece.head.at, piece.head.end);
	assert_true(mc_otlp_next_piece(&rest, &piece));
	assert_int_equal(piece.all.end - piece.all.at, 2);
	assert_true(mc_otlp_next_piece(&rest, &piece));
	assert_ptr_equal(piece.all.end, all.at + all.size);
	assert_false(mc_otlp_next_piece(&rest, &piece));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own),     cmocka_unit_test(test_own_notification),
		cmocka_unit_test(test_foreign), cmocka_unit_test(test_many),
		cmocka_unit_test(test_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
