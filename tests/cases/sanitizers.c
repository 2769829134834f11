/* SPDX-License-Identifier: MIT */
/* What sanitizers say of libraries that are built without them, and is no matter of ours: libvirt
 * ends a mutex that ThreadSanitizer saw locked, and of what librrd draws with it sees no locks.
 * Facts: sanitizer/lsan_interface.h, sanitizer/tsan_interface.h. */

#define CALLED __attribute__((visibility("default")))

CALLED const char *__lsan_default_suppressions(void);
CALLED const char *__lsan_default_options(void);
CALLED const char *__tsan_default_suppressions(void);
CALLED const char *__tsan_default_options(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libfontconfig\n"; /* Also in a thread of its own. */
}

const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}

const char *__tsan_default_suppressions(void)
{
	return "race:libfontconfig\nrace:librrd\nmutex:libvirt\n";
}

const char *__tsan_default_options(void)
{
	return "print_suppressions=0";
}
