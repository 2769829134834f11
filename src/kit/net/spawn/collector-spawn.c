/* SPDX-License-Identifier: MIT */
/* collector-spawn - becomes the user that is asked for, and then a program.
 *
 *   collector-spawn [-u USER] [-g GROUP] [-m BYTES] [-p PARENT] [-n] [-r] --
 * PROGRAM...
 *
 * Started by collector/kit/spawn.h.  A failure is reported through descriptor 3: an errno, and a
 * text.  Facts: credentials(7), prctl(2), getrlimit(2). */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GROUPS_MAX 64 /* Of a program. */
#define REPORT 3
#define FILES_MAX 1024
#define FAILED 127

struct request {
	const char *user, *group;
	unsigned long long memory_max;
	long parent;
	bool never_root;
	bool may_gain_rights;
};

__attribute__((format(printf, 2, 3), noreturn)) static void fail(int errnum, const char *fmt, ...)
{
	char message[sizeof(errnum) + 256];
	char *text = message + sizeof(errnum);
	va_list args;

	memcpy(message, &errnum, sizeof(errnum));
	va_start(args, fmt);
	vsnprintf(text, sizeof(message) - sizeof(errnum), fmt, args);
	va_end(args);
	if (write(REPORT, message, sizeof(errnum) + strlen(text)) < 0)
		_exit(FAILED + 1); /* Nobody listens. */
	_exit(FAILED);
}

/* A number of a user or a group; -1: it is a name. */
static long number_of(const char *word)
{
	char *end;
	long number;

	if (*word < '0' || *word > '9')
		return -1;
	errno = 0;
	number = strtol(word, &end, 10);
	if (errno != 0 || *end != '\0' || number >= UINT32_MAX)
		fail(EINVAL, "invalid number of a user or group '%s'", word);
	return number;
}

/* The first of "GROUP,GROUP". */
static gid_t find_group(const char *list)
{
	char word[256];
	long number;
	const struct group *group;

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(list, ","), list);
	number = number_of(word);
	if (number >= 0)
		return (gid_t)number;
	errno = 0;
	group = getgrnam(word);
	if (group == NULL)
		fail(errno != 0 ? errno : ENOENT, "no group '%s'", word);
	return group->gr_gid;
}

/* The name for its other groups; NULL: a number that has none. */
static const char *find_user(const char *word, uid_t *uid, gid_t *gid)
{
	long number = number_of(word);
	const struct passwd *user;

	errno = 0;
	user = number >= 0 ? getpwuid((uid_t)number) : getpwnam(word);
	if (user == NULL && number < 0)
		fail(errno != 0 ? errno : ENOENT, "no user '%s'", word);
	*uid = user != NULL ? user->pw_uid : (uid_t)number;
	*gid = user != NULL ? user->pw_gid : (gid_t)number;
	return user != NULL ? user->pw_name : NULL;
}

/* Adds those after the first one, which is 'gid', to the groups. */
static void add_groups(const char *list)
{
	gid_t groups[GROUPS_MAX];
	char words[1024], *rest = words, *word;
	int len = getgroups(GROUPS_MAX, groups);

	if (len < 0 || snprintf(words, sizeof(words), "%s", list) >= (int)sizeof(words))
		fail(EINVAL, "too many groups");
	strsep(&rest, ",");
	while ((word = strsep(&rest, ",")) != NULL) {
		if (len == GROUPS_MAX)
			fail(EINVAL, "too many groups");
		groups[len++] = find_group(word);
	}
	if (setgroups((size_t)len, groups) != 0)
		fail(errno, "cannot set groups");
}

static void become(const struct request *request)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	const char *name = NULL;

	if (request->user == NULL && request->group == NULL)
		return;
	if (request->user != NULL)
		name = find_user(request->user, &uid, &gid);
	if (request->group != NULL)
		gid = find_group(request->group);
	if (geteuid() != 0) {
		if (uid != geteuid() || gid != getegid())
			fail(EPERM, "cannot become another user");
		return;
	}
	if ((name != NULL ? initgroups(name, gid) : setgroups(1, &gid)) != 0)
		fail(errno, "cannot set groups");
	if (request->group != NULL && strchr(request->group, ',') != NULL)
		add_groups(request->group);
	if (setresgid(gid, gid, gid) != 0)
		fail(errno, "cannot set the group");
	if (setresuid(uid, uid, uid) != 0)
		fail(errno, "cannot set the user");
	if (uid != 0 && setuid(0) == 0)
		fail(EPERM, "cannot stay the user");
}

static void limit(int resource, rlim_t most)
{
	struct rlimit now;

	if (getrlimit(resource, &now) != 0)
		fail(errno, "cannot ask for limits");
	if (now.rlim_max < most)
		most = now.rlim_max;
	now.rlim_cur = most;
	if (resource != RLIMIT_NOFILE) /* A program that needs more files may raise it. */
		now.rlim_max = most;
	if (setrlimit(resource, &now) != 0)
		fail(errno, "cannot set limits");
}

/* The signal of the parent's end is forgotten when the user changes. */
static void set_bounds(const struct request *request)
{
	if (!request->may_gain_rights && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		fail(errno, "cannot give rights up");
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
		fail(errno, "cannot follow the daemon");
	if (request->parent > 0 && getppid() != request->parent)
		fail(ESRCH, "the daemon has ended");
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, FILES_MAX);
	if (request->memory_max > 0)
		limit(RLIMIT_AS, (rlim_t)request->memory_max);
}

static void read_request(int argc, char **argv, struct request *request)
{
	int option;

	while ((option = getopt(argc, argv, "+u:g:m:p:nr")) != -1) {
		switch (option) {
		case 'u':
			request->user = optarg;
			break;
		case 'g':
			request->group = optarg;
			break;
		case 'm':
			request->memory_max = strtoull(optarg, NULL, 10);
			break;
		case 'p':
			request->parent = strtol(optarg, NULL, 10);
			break;
		case 'n':
			request->never_root = true;
			break;
		case 'r':
			request->may_gain_rights = true;
			break;
		default:
			fail(EINVAL, "wrong options");
		}
	}
	if (optind >= argc)
		fail(EINVAL, "no program");
}

int main(int argc, char **argv)
{
	struct request request = { 0 };

	if (fcntl(REPORT, F_SETFD, FD_CLOEXEC) != 0) {
		fprintf(stderr, "collector-spawn is for collectord\n");
		return FAILED + 1;
	}
	syscall(SYS_close_range, REPORT + 1, ~0U, 0); /* Not every libc has a function. */
	umask(022);
	read_request(argc, argv, &request);
	become(&request);
	if (request.never_root && geteuid() == 0)
		fail(EPERM, "programs are not run as root");
	if (chdir("/") != 0)
		fail(errno, "cannot change to '/'");
	set_bounds(&request);
	execvp(argv[optind], argv + optind);
	fail(errno, "cannot run '%.200s'", argv[optind]);
}
