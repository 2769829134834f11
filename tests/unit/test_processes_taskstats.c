/* SPDX-License-Identifier: MIT */
/* Answers as the kernel gives them, of others, cut, and of an older kernel. */
#include "unit.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <stdlib.h>
#include <string.h>

#include "taskstats.h"

#define SEQUENCE 7

static struct {
	char bytes[2048];
	size_t size;
} answer;

static void add(const void *bytes, size_t size)
{
	memcpy(answer.bytes + answer.size, bytes, size);
	answer.size += NLA_ALIGN(size);
}

static void begin(uint16_t type)
{
	struct nlmsghdr header = { .nlmsg_type = type, .nlmsg_seq = SEQUENCE };
	struct genlmsghdr generic = { .version = 1 };

	memset(&answer, 0, sizeof(answer));
	add(&header, sizeof(header));
	if (type != NLMSG_ERROR)
		add(&generic, sizeof(generic));
}

static void add_attribute(uint16_t type, const void *content, size_t size)
{
	struct nlattr header = { .nla_len = (uint16_t)(NLA_HDRLEN + size), .nla_type = type };

	add(&header, sizeof(header));
	add(content, size);
}

static void end(void)
{
	struct nlmsghdr header;

	memcpy(&header, answer.bytes, sizeof(header));
	header.nlmsg_len = (uint32_t)answer.size;
	memcpy(answer.bytes, &header, sizeof(header));
}

/* 'size' bytes of the structure, in an attribute of the process. */
static void make_delays(size_t size)
{
	struct taskstats stats = { .version = 8,
				   .cpu_delay_total = 1,
				   .blkio_delay_total = 2,
				   .swapin_delay_total = 3,
				   .freepages_delay_total = UINT64_MAX };
	struct nlattr process = {
		.nla_len = (uint16_t)(NLA_HDRLEN + 8 + NLA_HDRLEN + size),
		.nla_type = TASKSTATS_TYPE_AGGR_TGID | NLA_F_NESTED,
	};
	uint32_t pid = 1;

	begin(31);
	add(&process, sizeof(process));
	add_attribute(TASKSTATS_TYPE_TGID, &pid, sizeof(pid));
	add_attribute(TASKSTATS_TYPE_STATS, &stats, size);
	end();
}

static void the_number_of_a_family_is_found(void **state)
{
	uint16_t number = 31, family = 0;

	(void)state;
	begin(GENL_ID_CTRL);
	add_attribute(CTRL_ATTR_FAMILY_NAME, "TASKSTATS", 10);
	add_attribute(CTRL_ATTR_FAMILY_ID, &number, sizeof(number));
	end();
	assert_int_equal(taskstats_family(answer.bytes, answer.size, SEQUENCE, &family), 0);
	assert_int_equal(family, 31);
}

static void delays_are_taken_of_old_and_new_kernels(void **state)
{
	const size_t sizes[] = { sizeof(struct taskstats), 328, 112 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct taskstats_delays delays = { 0 };

		make_delays(sizes[i]);
		assert_int_equal(taskstats_delays(answer.bytes, answer.size, SEQUENCE, &delays),
				 i == 2 ? -EBADMSG : 0);
		assert_int_equal(delays.cpu, i == 2 ? 0 : 1);
		assert_int_equal(delays.disk, i == 2 ? 0 : 2);
		assert_int_equal(delays.swap, i == 2 ? 0 : 3);
		assert_true(delays.memory == (i == 2 ? 0 : UINT64_MAX));
	}
}

static void a_refusal_is_the_kernels(void **state)
{
	struct taskstats_delays delays;
	const int32_t errors[] = { -ESRCH, -EPERM, 0, 1, INT32_MIN, -EAGAIN };
	const int results[] = { -ESRCH, -EPERM, -EBADMSG, -EBADMSG, -EBADMSG, -EBADMSG };

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		begin(NLMSG_ERROR);
		add(&errors[i], sizeof(errors[i]));
		end();
		assert_int_equal(taskstats_delays(answer.bytes, answer.size, SEQUENCE, &delays),
				 results[i]);
	}
}

static void the_answer_to_another_question_is_none(void **state)
{
	struct taskstats_delays delays;

	(void)state;
	make_delays(sizeof(struct taskstats));
	assert_int_equal(taskstats_delays(answer.bytes, answer.size, SEQUENCE + 1, &delays),
			 -EAGAIN);
}

/* Each in a block of its own size, so that a look beyond it is found. */
static void what_is_cut_is_refused(void **state)
{
	struct taskstats_delays delays = { .cpu = 9 };

	(void)state;
	make_delays(sizeof(struct taskstats));
	for (size_t size = 0; size < answer.size; size++) {
		char *bytes = malloc(size + 1);
		struct nlmsghdr header;

		assert_non_null(bytes);
		memcpy(bytes, answer.bytes, size);
		if (size >= sizeof(header)) {
			memcpy(&header, bytes, sizeof(header));
			header.nlmsg_len = (uint32_t)size;
			memcpy(bytes, &header, sizeof(header));
		}
		assert_int_equal(taskstats_delays(bytes, size, SEQUENCE, &delays), -EBADMSG);
		free(bytes);
	}
	assert_int_equal(delays.cpu, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_number_of_a_family_is_found),
		cmocka_unit_test(delays_are_taken_of_old_and_new_kernels),
		cmocka_unit_test(a_refusal_is_the_kernels),
		cmocka_unit_test(the_answer_to_another_question_is_none),
		cmocka_unit_test(what_is_cut_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
