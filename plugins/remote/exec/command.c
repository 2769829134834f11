/* SPDX-License-Identifier: MIT */
#include "command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define SAY_PAUSE MC_SECOND
#define SHOWN_MAX 200 /* Bytes of a line, in the log. */

const char *command_split_user(char *user)
{
	char *colon = strchr(user, ':');

	if (colon == NULL)
		return NULL;
	*colon = '\0';
	return colon[1] != '\0' ? colon + 1 : NULL;
}

void command_init(struct command *command, struct mc_ctx *ctx,
		  const struct command_words *words, const char *const *env)
{
	size_t len = words->argv.len;

	command->ctx = ctx;
	command->argv = mc_alloc_array(len + 1, sizeof(*command->argv));
	for (size_t i = 0; i < len; i++)
		command->argv[i] = words->argv.items[i];
	command->name = command->argv[0];
	command->user = mc_alloc_copy(words->user);
	if (command->user != NULL)
		command->group =
			mc_alloc_copy(command_split_user(command->user));
	command->program = (struct mc_program){
		.argv = command->argv,
		.env = env,
		.user = command->user,
		.group = command->group,
		.never_root = true,
	};
}

void command_done(struct command *command)
{
	free(command->argv);
	free(command->user);
	free(command->group);
	*command = (struct command){ 0 };
}

bool command_start(struct command *command, struct mc_spawner *spawner,
		   struct mc_child **child)
{
	int rc = mc_spawn(spawner, &command->program, child);

	command->has_said = false;
	if (rc < 0)
		mc_complain(command->ctx, &command->ends, -rc,
			    "cannot start '%s'", command->name);
	return rc == 0;
}

void command_ended(struct command *command, const struct mc_child_end *end,
		   int status_max)
{
	struct mc_ctx *ctx = command->ctx;
	struct mc_once *once = &command->ends;
	const char *name = command->name;

	if (!command->has_said)
		command->texts = (struct mc_once){ 0 };
	if (end->errnum != 0)
		mc_complain(ctx, once, end->errnum, "'%s' is not run: %s", name,
			    end->why);
	else if (end->flooded)
		mc_complain(ctx, once, 0, "'%s' was killed: it writes too much",
			    name);
	else if (end->timed_out)
		mc_complain(ctx, once, 0,
			    "'%s' was ended: it ran for longer than its "
			    "Timeout",
			    name);
	else if (end->signal != 0)
		mc_complain(ctx, once, 0, "'%s' was ended by signal %d", name,
			    end->signal);
	else if (end->status > status_max)
		mc_complain(ctx, once, 0, "'%s' ended with exit status %d",
			    name, end->status);
	else if (end->lines_skipped > 0)
		mc_complain(ctx, once, 0, "'%s' writes lines that are too long",
			    name);
	else
		mc_works(ctx, once, "'%s' ended well", name);
}

void command_say(struct command *command, const char *fault, const char *text)
{
	const char *what = fault != NULL ? fault : "says";
	const char *key = fault != NULL ? fault : text;
	char hidden[48] = "";
	uint64_t sum = 5381;

	command->has_said = true;
	for (const char *c = key; *c != '\0'; c++)
		sum = sum * 33 + (unsigned char)*c;
	if (!mc_once_failed(&command->texts, sum))
		return;
	if (!mc_once_in(&command->text_time, mc_now(), SAY_PAUSE)) {
		command->texts_hidden++;
		return;
	}
	if (command->texts_hidden > 0)
		snprintf(hidden, sizeof(hidden),
			 "; %" PRIu64 " others are not shown",
			 command->texts_hidden);
	mc_log(command->ctx, MC_WARN, "'%s' %s: '%.*s'%s", command->name, what,
	       SHOWN_MAX, text, hidden);
	command->texts_hidden = 0;
}
