/* SPDX-License-Identifier: MIT */
#include "guest.h"

#include <string.h>

#include <collector/kit/number.h>

/* Takes a character, which "\x2d" may stand for. */
static bool take(const char **at, const char *end, char *out)
{
	const char *text = *at;

	if (text == end)
		return false;
	if (end - text >= 4 && text[0] == '\\' && text[1] == 'x' && mc_number_digit(text[2]) < 16 &&
	    mc_number_digit(text[3]) < 16) {
		*out = (char)(mc_number_digit(text[2]) * 16 + mc_number_digit(text[3]));
		*at += 4;
	} else {
		*out = *text;
		*at += 1;
	}
	return true;
}

static bool take_text(const char **at, const char *end, const char *text)
{
	const char *next = *at;
	char one;

	for (; *text != '\0'; text++)
		if (!take(&next, end, &one) || one != *text)
			return false;
	*at = next;
	return true;
}

static bool take_number(const char **at, const char *end)
{
	const char *start = *at;

	while (*at < end && **at >= '0' && **at <= '9')
		*at += 1;
	return *at > start;
}

/* Whether it ends so; '*end' is then moved before that. */
static bool ends_with(const char *group, const char **end, const char *suffix)
{
	size_t size = strlen(group), suffix_size = strlen(suffix);

	if (size < suffix_size || strcmp(group + size - suffix_size, suffix) != 0)
		return false;
	*end = group + size - suffix_size;
	return true;
}

bool guest_of_group(const char *group, char *out, size_t size)
{
	const char *at = group, *end = NULL;
	size_t len = 0;
	char one;

	if (ends_with(group, &end, ".scope")) {
		if (!take_text(&at, end, "machine-qemu-"))
			return false;
	} else if (!ends_with(group, &end, ".libvirt-qemu") || !take_text(&at, end, "qemu-")) {
		return false;
	}
	if (!take_number(&at, end) || !take_text(&at, end, "-") || at == end)
		return false;
	while (len + 1 < size && take(&at, end, &one))
		out[len++] = one == '\0' || one == '/' ? '_' : one;
	out[len] = '\0';
	return true;
}
