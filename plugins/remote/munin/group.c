/* SPDX-License-Identifier: MIT */
#include "group.h"

#include <string.h>

bool group_enter(struct group *group, struct group_member *member)
{
	if (member->runs || group == NULL || group->running < group->concurrent) {
		if (group != NULL && !member->runs)
			group->running++;
		member->runs = true;
		return true;
	}
	if (member->waits)
		return false;
	member->waits = true;
	member->next = NULL;
	member->previous = group->last;
	*(group->last != NULL ? &group->last->next : &group->first) = member;
	group->last = member;
	return false;
}

static void stop_waiting(struct group *group, struct group_member *member)
{
	*(member->previous != NULL ? &member->previous->next : &group->first) = member->next;
	*(member->next != NULL ? &member->next->previous : &group->last) = member->previous;
	member->next = member->previous = NULL;
	member->waits = false;
}

struct group_member *group_leave(struct group *group, struct group_member *member)
{
	struct group_member *next = NULL;

	if (group != NULL && member->waits)
		stop_waiting(group, member);
	if (group != NULL && member->runs) {
		group->running--;
		next = group->first;
	}
	member->runs = false;
	if (next == NULL)
		return NULL;
	stop_waiting(group, next);
	next->runs = true;
	group->running++;
	return next;
}

struct group *group_find(struct group *groups, size_t len, const char *name)
{
	size_t size = strlen(name);

	while (size > 0) {
		for (size_t i = 0; i < len; i++)
			if (strlen(groups[i].name) == size &&
			    memcmp(groups[i].name, name, size) == 0)
				return &groups[i];
		while (size > 0 && name[size - 1] != ';')
			size--;
		size -= size > 0;
	}
	return NULL;
}
