/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdlib.h>

#include "engine/write/queue.h"

static struct queue_item batch(size_t size)
{
	return (struct queue_item){ .kind = QUEUE_BATCH, .size = size };
}

static struct queue_item flush(mc_time age)
{
	return (struct queue_item){ .kind = QUEUE_FLUSH, .age = age };
}

static void items_come_out_in_order_across_both_rings(void **state)
{
	struct queue queue;
	struct queue_item item;

	(void)state;
	queue_init(&queue);
	for (int i = 0; i < 100; i++) {
		item = i % 7 == 3 ? flush(i) : batch(i);
		assert_true(queue_push(&queue, &item));
	}
	for (int i = 0; i < 100; i++) {
		assert_true(queue_pop(&queue, &item));
		if (i % 7 == 3)
			assert_int_equal(item.age, i);
		else
			assert_int_equal(item.size, i);
	}
	assert_false(queue_pop(&queue, &item));
	assert_true(queue_empty(&queue));
	queue_done(&queue);
}

static void the_first_can_be_looked_at(void **state)
{
	struct queue_item item, a = batch(1), b = flush(2), c = batch(3);
	struct queue queue;

	(void)state;
	queue_init(&queue);
	assert_null(queue_first(&queue));
	assert_null(queue_first_batch(&queue));
	assert_true(queue_push(&queue, &b) && queue_push(&queue, &a) && queue_push(&queue, &c));
	assert_int_equal(queue_first(&queue)->kind, QUEUE_FLUSH);
	assert_int_equal(queue_first_batch(&queue)->size, 1);
	assert_true(queue_pop(&queue, &item));
	assert_ptr_equal(queue_first(&queue), queue_first_batch(&queue));
	queue_done(&queue);
}

static void the_oldest_batch_can_go_first(void **state)
{
	struct queue queue;
	struct queue_item item;

	(void)state;
	queue_init(&queue);
	item = flush(1);
	queue_push(&queue, &item);
	item = batch(10);
	queue_push(&queue, &item);
	item = batch(20);
	queue_push(&queue, &item);
	assert_true(queue_pop_batch(&queue, &item));
	assert_int_equal(item.size, 10);
	assert_true(queue_pop(&queue, &item));
	assert_int_equal(item.kind, QUEUE_FLUSH);
	assert_true(queue_pop(&queue, &item));
	assert_int_equal(item.size, 20);
	assert_false(queue_pop_batch(&queue, &item));
	queue_done(&queue);
}

static void the_ring_does_not_grow_while_it_is_drained(void **state)
{
	struct queue queue;
	struct queue_item item;
	size_t size;

	(void)state;
	queue_init(&queue);
	item = batch(1);
	queue_push(&queue, &item);
	size = queue.batches.size;
	for (int i = 0; i < 10000; i++) {
		queue_push(&queue, &item);
		queue_pop_batch(&queue, &item);
	}
	assert_int_equal(queue.batches.size, size);
	queue_done(&queue);
}

static void flushes_are_bounded(void **state)
{
	struct queue_item forget = { .kind = QUEUE_FORGET };
	struct queue_item item = flush(0);
	struct queue queue;

	(void)state;
	queue_init(&queue);
	for (int i = 0; i < QUEUE_OTHERS_MAX; i++)
		assert_true(queue_push(&queue, &item));
	assert_false(queue_push(&queue, &item));
	assert_true(queue_push(&queue, &forget)); /* Must not be lost. */
	queue_done(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_come_out_in_order_across_both_rings),
		cmocka_unit_test(the_first_can_be_looked_at),
		cmocka_unit_test(the_oldest_batch_can_go_first),
		cmocka_unit_test(the_ring_does_not_grow_while_it_is_drained),
		cmocka_unit_test(flushes_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
