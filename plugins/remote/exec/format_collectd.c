/* SPDX-License-Identifier: MIT */
/* Lines PUTVAL and PUTNOTIF. */
#include "format.h"
#include "programs.h"

static void take_line(struct program *program, const struct mc_child_line *line)
{
	const char *fault;

	format_batch(program);
	fault = mc_plain_input_line(&program->all->input, line, program->every.period);
	if (fault != NULL)
		mc_command_say(&program->command, fault, line->text);
}

const struct format format_collectd = {
	.plugin = "exec",
	.line = take_line,
};
