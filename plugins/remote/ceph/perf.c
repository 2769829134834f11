/* SPDX-License-Identifier: MIT */
/* Facts: Ceph's common/perf_counters.cc writes these texts; collectd.conf(5), "Plugin ceph". */
#include "perf.h"

#include <errno.h>
#include <string.h>

#include <collector/kit/json.h>

struct walk {
	char key[PERF_KEY_SIZE];         /* Of the parts that are open, with dots. */
	size_t ends[PERF_DEPTH_MAX + 1]; /* Where each of them ends in it. */
	size_t size;                     /* Of the key, with the last part. */
	unsigned depth, lists;
	bool is_long, has_parts;
	perf_take *take;
	void *argument;
};

static bool on_key(void *argument, const char *text, size_t size)
{
	struct walk *walk = argument;
	size_t begin = walk->ends[walk->depth];

	walk->is_long = begin + 1 + size >= sizeof(walk->key) || memchr(text, '\0', size) != NULL;
	if (walk->is_long)
		return true;
	if (begin > 0)
		walk->key[begin++] = '.';
	memcpy(walk->key + begin, text, size);
	walk->size = begin + size;
	walk->key[walk->size] = '\0';
	return true;
}

/* Keys below one that is too long are too long as well: it has all of the room. */
static bool on_begin(void *argument)
{
	struct walk *walk = argument;

	walk->ends[++walk->depth] = walk->is_long ? sizeof(walk->key) : walk->size;
	walk->is_long = true; /* Until there is a key. */
	return true;
}

static bool on_end(void *argument)
{
	struct walk *walk = argument;

	walk->depth--;
	walk->is_long = true;
	return true;
}

static bool on_begin_list(void *argument)
{
	((struct walk *)argument)->lists++;
	return true;
}

static bool on_end_list(void *argument)
{
	((struct walk *)argument)->lists--;
	return true;
}

/* The part that the key ends with.  A counter of a dump that is a number has two names, but they
 * may have dots. */
static enum perf_part part_of(const struct walk *walk, size_t *key_size)
{
	static const struct {
		const char *name;
		enum perf_part part;
	} parts[] = { { ".type", PERF_TYPE },
		      { ".avgcount", PERF_COUNT },
		      { ".sum", PERF_SUM },
		      { ".avgtime", PERF_AVERAGE } };

	*key_size = walk->size;
	if (walk->depth < 3)
		return walk->has_parts ? PERF_OTHER : PERF_WHOLE;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		size_t size = strlen(parts[i].name);

		if (walk->size > size &&
		    strcmp(walk->key + walk->size - size, parts[i].name) == 0) {
			*key_size = walk->size - size;
			return parts[i].part;
		}
	}
	return PERF_OTHER;
}

static bool on_number(void *argument, const char *text, size_t size)
{
	struct walk *walk = argument;
	struct perf_number number = { .key = walk->key, .text = text, .size = size };

	if (walk->is_long || walk->lists > 0 || walk->depth < 2)
		return true;
	number.part = part_of(walk, &number.key_size);
	return number.part == PERF_OTHER || walk->take(walk->argument, &number);
}

int perf_read(const char *text, size_t size, bool has_parts, perf_take *take, void *argument)
{
	static const struct mc_json_calls calls = {
		.number = on_number,
		.key = on_key,
		.begin_map = on_begin,
		.end_map = on_end,
		.begin_list = on_begin_list,
		.end_list = on_end_list,
	};
	struct walk walk = {
		.has_parts = has_parts, .take = take, .argument = argument, .is_long = false
	};

	return mc_json_read(text, size, PERF_DEPTH_MAX, &calls, &walk);
}

/* --- Names ------------------------------------------------------------------------------ */

static char upper(char letter)
{
	return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

void perf_name(const char *key, char name[PERF_NAME_SIZE])
{
	size_t size = strlen(key), len = 0, place;
	const char *tail = "";
	bool begins = true;

	if (size > 0 && (key[size - 1] == '+' || key[size - 1] == '-'))
		tail = key[--size] == '+' ? "Plus" : "Minus";
	for (size_t i = 0; i < size && len + 1 < PERF_NAME_SIZE; i++) {
		if (strchr(":_-+", key[i]) != NULL) {
			begins = true;
			continue;
		}
		name[len++] = begins ? upper(key[i]) : key[i];
		begins = false;
	}
	name[len] = '\0';
	place = PERF_NAME_SIZE - 1 - strlen(tail);
	memcpy(name + (len < place ? len : place), tail, strlen(tail) + 1);
}
