/* SPDX-License-Identifier: MIT */
/* fscache: what the kernel's cache of network file systems does, from /proc/fs/fscache/stats
 * (filesystems/caching/fscache in the kernel's documentation): "SECTION: name=number ..." in each
 * line.  Sections, and their order, differ from kernel to kernel.  Names and type are collectd's.
 */
#include <collector/plugin.h>

#include <stdio.h>

#include <collector/scan.h>

#define PATH "/proc/fs/fscache/stats"
#define NAME_SIZE 64 /* The kernel's have up to eight characters. */

/* Writes a name to 'out'; false if it is empty or too long. */
static bool copy(char out[NAME_SIZE], const char *text, size_t size)
{
	return size > 0 && snprintf(out, NAME_SIZE, "%.*s", (int)size, text) < NAME_SIZE;
}

/* Takes the name before the colon, which blanks may follow, and the colon; false for headings. */
static bool take_section(const char **at, char section[NAME_SIZE])
{
	size_t size = strcspn(*at, ":\n"), length = size;

	if ((*at)[size] != ':')
		return false;
	while (length > 0 && mc_scan_at_end(*at + length - 1))
		length--;
	if (!copy(section, *at, length))
		return false;
	*at += size + 1;
	return true;
}

/* Puts the value of "name=number"; false if the word is something else. */
static bool put(struct mc_batch *out, const char *section, struct mc_word word)
{
	const char *equals = memchr(word.text, '=', word.size), *at;
	char name[NAME_SIZE];
	int64_t number;

	if (equals == NULL || !copy(name, word.text, (size_t)(equals - word.text)))
		return false;
	at = equals + 1;
	if (mc_scan_at_end(at) || !mc_scan_i64(&at, &number) || !mc_scan_at_end(at))
		return false;
	mc_put_derive(out, number, .plugin_instance = section, .type = "fscache_stat",
		      .type_instance = name);
	return true;
}

static int fscache_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	char section[NAME_SIZE], *text;
	bool any = false, all = true;
	ssize_t size = mc_read_file(ctx, PATH, &text);
	const char *line;

	if (size < 0)
		return (int)size;
	line = text;
	do {
		const char *at = line;
		struct mc_word word;

		if (!take_section(&at, section))
			continue;
		while (mc_scan_word(&at, &word)) {
			bool is_value = put(out, section, word);

			any |= is_value;
			all &= is_value;
		}
	} while (mc_scan_line(&line));
	return any && all ? 0 : mc_fail(ctx, 0, "cannot understand '" PATH "'");
}

MC_PLUGIN(fscache) = {
	MC_NAMED(fscache),
	.help = "Counts what the kernel's cache of network file systems does.",
	.types = (const char *const[]){ "fscache_stat", NULL },
	.read = fscache_read,
	.lenient = true,
};
