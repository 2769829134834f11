/* SPDX-License-Identifier: MIT */
/* User=, Group= and SupplementaryGroups= of systemd.exec(5), and modes of files as
 * path_resolution(7) has them.  Other rules, such as access control lists, may allow more: so the
 * result is only a warning. */
#include "daemon/process/unit_user.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <collector/kit/number.h>

#include "base/alloc.h"

enum { MAY_ENTER = 1, MAY_WRITE = 2, MAY_READ = 4 };

static const struct passwd *user_of(const char *name)
{
	const struct passwd *found = getpwnam(name);
	uint64_t number;

	if (found == NULL && mc_number_unsigned(name, 10, UINT32_MAX - 1, &number))
		found = getpwuid((uid_t)number);
	return found;
}

static bool find_group(const char *name, gid_t *group)
{
	const struct group *found = getgrnam(name);
	uint64_t number;

	if (found != NULL)
		*group = found->gr_gid;
	else if (mc_number_unsigned(name, 10, UINT32_MAX - 1, &number))
		*group = (gid_t)number;
	else
		return false;
	return true;
}

void unit_user_set_name(struct unit_user *user, const char *name)
{
	snprintf(user->name, sizeof(user->name), "%s", name);
}

void unit_user_set_group(struct unit_user *user, const char *name)
{
	snprintf(user->group, sizeof(user->group), "%s", name);
}

void unit_user_add_groups(struct unit_user *user, const char *names)
{
	char *copy = alloc_copy(names), *rest;

	if (names[0] == '\0')
		user->more_len = 0;
	for (char *name = strtok_r(copy, " \t", &rest); name != NULL;
	     name = strtok_r(NULL, " \t", &rest)) {
		gid_t group;

		if (user->more_len < UNIT_USER_GROUPS_MAX && find_group(name, &group))
			user->more[user->more_len++] = group;
	}
	free(copy);
}

void unit_user_find(struct unit_user *user)
{
	const struct passwd *found;
	int len = UNIT_USER_GROUPS_MAX;
	gid_t group;

	if (user->name[0] == '\0')
		unit_user_set_name(user, "root");
	found = user_of(user->name);
	if (found == NULL)
		return;
	group = found->pw_gid;
	if (user->group[0] != '\0' && !find_group(user->group, &group))
		return;
	user->known = true;
	user->uid = found->pw_uid;
	if (getgrouplist(found->pw_name, group, user->groups, &len) < 0)
		len = UNIT_USER_GROUPS_MAX;
	user->groups_len = (size_t)len;
}

bool unit_user_is_root(const struct unit_user *user)
{
	return user->known ? user->uid == 0 : strcmp(user->name, "root") == 0;
}

bool unit_user_is_member(const struct unit_user *user, gid_t group)
{
	for (size_t i = 0; i < user->groups_len; i++)
		if (user->groups[i] == group)
			return true;
	for (size_t i = 0; i < user->more_len; i++)
		if (user->more[i] == group)
			return true;
	return false;
}

/* Whether the mode allows it. */
static bool allows(const struct unit_user *user, const struct stat *st, unsigned wanted,
		   gid_t *group)
{
	unsigned mode = st->st_mode;
	bool in_group = unit_user_is_member(user, st->st_gid);

	if (st->st_uid == user->uid)
		mode >>= 6;
	else if (in_group)
		mode >>= 3;
	if ((mode & wanted) == wanted)
		return true;
	if (!in_group && st->st_uid != user->uid && st->st_gid != 0 &&
	    (st->st_mode >> 3 & wanted) == wanted)
		*group = st->st_gid;
	return false;
}

/* The folders on the way, from the root. */
static bool may_enter(const struct unit_user *user, const char *path, gid_t *group)
{
	char part[PATH_MAX];
	struct stat st;

	for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s/", (int)(slash - path), path);
		if (stat(part, &st) == 0 && !allows(user, &st, MAY_ENTER, group))
			return false;
	}
	return true;
}

bool unit_user_may(const struct unit_user *user, const char *path, enum check_use use, gid_t *group)
{
	static const unsigned needs[] = {
		[CHECK_READ] = MAY_READ,
		[CHECK_WRITE] = MAY_WRITE,
		[CHECK_CONNECT] = MAY_WRITE,
		[CHECK_RUN] = MAY_ENTER,
	};
	unsigned wanted = needs[use];
	char there[PATH_MAX], *slash;
	struct stat st;

	*group = (gid_t)-1;
	if (!user->known || user->writes_all || (user->reads_all && use == CHECK_READ))
		return true;
	if (!user->reads_all && !may_enter(user, path, group))
		return false;
	snprintf(there, sizeof(there), "%s", path);
	while (stat(there, &st) < 0) {
		slash = strrchr(there, '/');
		if (errno != ENOENT || use != CHECK_WRITE || slash == NULL)
			return true;
		slash[slash == there] = '\0';
		wanted = MAY_WRITE | MAY_ENTER; /* It is to be made there. */
	}
	if (use == CHECK_WRITE && S_ISDIR(st.st_mode))
		wanted = MAY_WRITE | MAY_ENTER;
	return allows(user, &st, wanted, group);
}
