/* SPDX-License-Identifier: MIT */
/* Feeds files to a fuzz target: what `make check` runs instead of a fuzzer.
 * Arguments are files, or folders whose files are all taken; without any,
 * fuzz_NAME takes the folder tests/fuzz/corpus/NAME. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every input is in a buffer of exactly its size, so that the address sanitizer
 * sees a read beyond it.  Returns how many were fed, or -1. */
static int feed_file(const char *path, size_t size)
{
	uint8_t *data = malloc(size > 0 ? size : 1);
	FILE *file = fopen(path, "rb");
	int result = -1;

	if (data == NULL || file == NULL || fread(data, 1, size, file) != size) {
		fprintf(stderr, "cannot read '%s': %s\n", path, strerror(errno));
		goto out;
	}
	LLVMFuzzerTestOneInput(data, size);
	result = 1;
out:
	if (file != NULL)
		fclose(file);
	free(data);
	return result;
}

static int feed(const char *path);

static int feed_folder(const char *path)
{
	struct dirent **entries;
	int len = scandir(path, &entries, NULL, alphasort);
	int fed = 0;

	if (len < 0) {
		fprintf(stderr, "cannot list '%s': %s\n", path, strerror(errno));
		return -1;
	}
	for (int i = 0; i < len; i++) {
		char name[4096];
		int n = 0;

		snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			n = feed(name);
		fed = n < 0 || fed < 0 ? -1 : fed + n;
		free(entries[i]);
	}
	free(entries);
	return fed;
}

static int feed(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0) {
		fprintf(stderr, "cannot read '%s': %s\n", path, strerror(errno));
		return -1;
	}
	if (S_ISDIR(status.st_mode))
		return feed_folder(path);
	return feed_file(path, (size_t)status.st_size);
}

static int feed_corpus(const char *program)
{
	const char *top = getenv("top_srcdir");
	const char *name = strstr(program, "fuzz_");
	char path[4096];

	while (name != NULL && strstr(name + 1, "fuzz_") != NULL)
		name = strstr(name + 1, "fuzz_");
	if (name == NULL) {
		fprintf(stderr, "usage: %s FILE|FOLDER...\n", program);
		return -1;
	}
	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/%s", top != NULL ? top : ".",
		 name + strlen("fuzz_"));
	return feed(path);
}

int main(int argc, char **argv)
{
	int fed = argc == 1 ? feed_corpus(argv[0]) : 0;

	for (int i = 1; i < argc; i++) {
		int n = feed(argv[i]);

		if (n < 0)
			return 1;
		fed += n;
	}
	printf("%d inputs\n", fed);
	return fed > 0 ? 0 : 1;
}
