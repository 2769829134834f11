/* SPDX-License-Identifier: MIT */
#include "choice.h"

enum choice_reason choice_decide(const struct choice_facts *facts)
{
	const struct {
		bool holds;
		enum choice_reason reason;
	} reasons[] = {
		{ !facts->answered, CHOICE_NEW },
		{ facts->changed, CHOICE_CHANGED },
		{ facts->wanted, CHOICE_WANTED },
		{ facts->stuck, CHOICE_STUCK },
		{ !facts->visible && (facts->restless || facts->reads + 1 >= facts->unseen),
		  CHOICE_BLIND },
		{ !facts->visible, CHOICE_SPARED },
		{ facts->halted, CHOICE_HALTED },
		{ facts->distrust > 0, CHOICE_DISTRUSTED },
		{ !facts->idle, CHOICE_BUSY },
		{ facts->restless, CHOICE_RESTLESS },
		{ facts->turn || facts->reads + 1 >= facts->check, CHOICE_CHECKED },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].holds)
			return reasons[i].reason;
	return CHOICE_QUIET;
}

bool choice_turn(uint64_t hash, uint64_t read, unsigned check)
{
	return (hash % check + read) % check == 0;
}

bool choice_is_worth(size_t quiet, size_t running)
{
	return quiet * 4 >= running;
}

const char *choice_text(enum choice_reason reason)
{
	static const char *const texts[] = {
		[CHOICE_NEW] = "asked: new",
		[CHOICE_QUIET] = "not asked: no I/O",
		[CHOICE_SPARED] = "not asked: beyond Budget, and its last answers were the same",
		[CHOICE_BLIND] = "asked: the kernel does not show its I/O",
		[CHOICE_HALTED] = "asked: its QEMU is halted",
		[CHOICE_CHANGED] = "asked: it has changed",
		[CHOICE_WANTED] = "asked: for a watermark",
		[CHOICE_STUCK] = "asked: it did not answer",
		[CHOICE_BUSY] = "asked: I/O",
		[CHOICE_RESTLESS] = "asked: I/O before the last answer",
		[CHOICE_CHECKED] = "asked: no I/O, but in turn",
		[CHOICE_DISTRUSTED] = "asked: the kernel did not show its I/O",
		[CHOICE_TOGETHER] = "asked: no I/O, but nearly all others did some",
	};

	return texts[reason];
}
