/* SPDX-License-Identifier: MIT */
#include <collector/kit/command.h>

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>

#define INTERVAL_SIZE 48
#define SAY_PAUSE MC_SECOND
/* Within which others come first: also of a program that is run once a day. */
#define TURN (48 * 3600 * MC_SECOND)
#define SHOWN_MAX 200 /* Bytes of a line, in the log. */

/* The user is cut off; NULL, or the group. */
static const char *split_user(char *user)
{
	char *colon = strchr(user, ':');

	if (colon == NULL)
		return NULL;
	*colon = '\0';
	return colon[1] != '\0' ? colon + 1 : NULL;
}

void mc_command_check_user(struct mc_ctx *ctx, const char *const *field, bool may_be_root)
{
	char *user = mc_alloc_copy(*field), *end;
	const struct passwd *found;
	unsigned long number;
	uid_t uid;

	if (!mc_check_host(ctx)) {
		free(user);
		return;
	}
	if (user != NULL)
		split_user(user);
	found = user != NULL ? getpwnam(user) : NULL;
	number = user != NULL ? strtoul(user, &end, 10) : geteuid();
	uid = found != NULL ? found->pw_uid : (uid_t)number;
	if (user != NULL && found == NULL && (*user == '\0' || *end != '\0'))
		mc_check_warn(ctx, field, "is not a user of this host");
	else if (uid == 0 && !may_be_root)
		mc_check_warn(ctx, field, "%s: programs are not run as root",
			      user != NULL ? "is root" : "is missing");
	else if (uid != geteuid() &&
		 mc_check_capabilities(ctx, field, "CAP_SETUID CAP_SETGID CAP_KILL") &&
		 geteuid() != 0)
		mc_check_warn(ctx, field,
			      "is another user: only root can run programs as "
			      "others");
	free(user);
}

void mc_command_check(struct mc_ctx *ctx, const struct mc_command_words *words, bool may_be_root)
{
	mc_command_check_user(ctx, &words->user, may_be_root);
	if (words->argv.len > 0 && mc_check_host(ctx))
		mc_check_access(ctx, &words->argv.items[0], words->argv.items[0], MC_ACCESS_RUN);
}

/* With these the service manager and the daemon talk to each other. */
static bool is_private(const char *variable)
{
	static const char *const prefixes[] = {
		"NOTIFY_SOCKET=",    "WATCHDOG_",      "LISTEN_",   "JOURNAL_STREAM",
		"CREDENTIALS_DIREC", "INVOCATION_ID=", "COLLECTD_", "COLLECTOR_",
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

const char **mc_command_env(const struct mc_ctx *ctx)
{
	size_t len = 0, to = 0, host = sizeof("COLLECTD_HOSTNAME=");
	const char **env;
	char *own;

	while (environ[len] != NULL)
		len++;
	host += strlen(ctx->host);
	env = mc_alloc((len + 3) * sizeof(*env) + INTERVAL_SIZE + host);
	own = (char *)(env + len + 3);
	snprintf(own, INTERVAL_SIZE, "COLLECTD_INTERVAL=%.3f", (double)ctx->interval / MC_SECOND);
	snprintf(own + INTERVAL_SIZE, host, "COLLECTD_HOSTNAME=%s", ctx->host);
	for (size_t i = 0; i < len; i++)
		if (!is_private(environ[i]))
			env[to++] = environ[i];
	env[to++] = own;
	env[to++] = own + INTERVAL_SIZE;
	env[to] = NULL;
	return env;
}

void mc_command_init(struct mc_command *command, struct mc_ctx *ctx,
		     const struct mc_command_words *words, const char *const *env)
{
	size_t len = words->argv.len;

	command->ctx = ctx;
	command->argv = mc_alloc_array(len + 1, sizeof(*command->argv));
	for (size_t i = 0; i < len; i++)
		command->argv[i] = words->argv.items[i];
	command->name = command->argv[0];
	command->user = mc_alloc_copy(words->user);
	if (command->user != NULL)
		command->group = mc_alloc_copy(split_user(command->user));
	command->program = (struct mc_program){
		.argv = command->argv,
		.env = env,
		.user = command->user,
		.group = command->group,
		.never_root = true,
	};
}

void mc_command_done(struct mc_command *command)
{
	free(command->argv);
	free(command->user);
	free(command->group);
	*command = (struct mc_command){ 0 };
}

bool mc_command_start(struct mc_command *command, struct mc_spawner *spawner,
		      struct mc_child **child)
{
	int rc = mc_spawn(spawner, &command->program, child);

	command->has_written = false;
	if (rc < 0)
		mc_complain(command->ctx, &command->ends, -rc, "cannot start '%s' by '%s'",
			    command->name, mc_spawner_helper(spawner));
	return rc == 0;
}

void mc_command_ended(struct mc_command *command, const struct mc_child_end *end, int status_max)
{
	struct mc_ctx *ctx = command->ctx;
	struct mc_once *once = &command->ends;
	const char *name = command->name;

	if (!command->has_written) {
		command->texts = (struct mc_once){ 0 };
		command->logged_len = 0;
	}
	if (end->errnum != 0)
		mc_complain(ctx, once, end->errnum, "'%s' is not run: %s", name, end->why);
	else if (end->flooded)
		mc_complain(ctx, once, 0, "'%s' was killed: it writes too much", name);
	else if (end->timed_out)
		mc_complain(ctx, once, 0,
			    "'%s' was ended: it ran for longer than its "
			    "Timeout",
			    name);
	else if (end->signal != 0)
		mc_complain(ctx, once, 0, "'%s' was ended by signal %d", name, end->signal);
	else if (end->status > status_max)
		mc_complain(ctx, once, 0, "'%s' ended with exit status %d", name, end->status);
	else if (end->lines_skipped > 0)
		mc_complain(ctx, once, 0, "'%s' writes lines that are too long", name);
	else
		mc_works(ctx, once, "'%s' ended well", name);
}

/* Several lines that come in each run all have their turn. */
static bool was_logged(const struct mc_command *command, uint64_t sum)
{
	for (unsigned i = 0; i < command->logged_len && i < MC_COMMAND_LOGGED_MAX; i++)
		if (command->logged[i] == sum)
			return true;
	return false;
}

void mc_command_say(struct mc_command *command, const char *fault, const char *text)
{
	const char *what = fault != NULL ? fault : "says";
	char hidden[48] = "";
	uint64_t sum = mc_once_sum(fault != NULL ? fault : text);
	mc_time now = mc_now();

	command->has_written = true;
	if (!mc_once_failed(&command->texts, sum))
		return;
	if ((was_logged(command, sum) && command->texts_hidden > 0 &&
	     now - command->text_time < TURN) ||
	    !mc_once_in(&command->text_time, now, SAY_PAUSE)) {
		command->texts_hidden++;
		command->texts = (struct mc_once){ 0 };
		return;
	}
	if (command->texts_hidden > 0)
		snprintf(hidden, sizeof(hidden), "; %" PRIu64 " others are not shown",
			 command->texts_hidden);
	mc_log(command->ctx, MC_WARN, "'%s' %s: '%.*s'%s", command->name, what, SHOWN_MAX, text,
	       hidden);
	command->texts_hidden = 0;
	if (!was_logged(command, sum))
		command->logged[command->logged_len++ % MC_COMMAND_LOGGED_MAX] = sum;
}
