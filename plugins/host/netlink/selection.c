/* SPDX-License-Identifier: MIT */
#include "selection.h"

#include <collector/kit/alloc.h>
#include <collector/kit/regex.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool selection_add(struct selection *selection, enum selection_part part, const char *interface,
		   const char *instance)
{
	size_t size = strlen(interface) + 1;
	struct selection_rule rule = { .part = part, .text = mc_alloc(size), .instance = instance };
	char reason[100], *blank;

	memcpy(rule.text, interface, size);
	blank = strpbrk(rule.text, " \t");
	if (blank != NULL) {
		*blank++ = '\0';
		if (instance == NULL)
			rule.instance = blank + strspn(blank, " \t");
	}
	if (mc_regex_in_slashes(rule.text)) {
		rule.regex = mc_regex_new_in_slashes(rule.text, reason, sizeof(reason));
		if (rule.regex == NULL) {
			free(rule.text);
			return false;
		}
	} else if (strcasecmp(rule.text, "All") != 0) {
		rule.interface = rule.text;
	}
	MC_ARRAY_GROW(selection->rules, selection->len, selection->size);
	selection->rules[selection->len++] = rule;
	return true;
}

void selection_done(struct selection *selection)
{
	for (size_t i = 0; i < selection->len; i++) {
		mc_regex_free(selection->rules[i].regex);
		free(selection->rules[i].text);
	}
	free(selection->rules);
	*selection = (struct selection){ 0 };
}

static bool matches(const struct selection_rule *rule, enum selection_part part,
		    const char *interface, const char *instance)
{
	if (rule->part != part)
		return false;
	if (rule->regex != NULL && mc_regex_match(rule->regex, interface, strlen(interface)) != 1)
		return false;
	if (rule->interface != NULL && strcasecmp(rule->interface, interface) != 0)
		return false;
	return rule->instance == NULL || instance == NULL ||
	       strcasecmp(rule->instance, instance) == 0;
}

bool selection_has(const struct selection *selection, enum selection_part part,
		   const char *interface, const char *instance)
{
	if (selection->len == 0)
		return !selection->ignore;
	for (size_t i = 0; i < selection->len; i++)
		if (matches(&selection->rules[i], part, interface, instance))
			return !selection->ignore;
	return selection->ignore;
}
