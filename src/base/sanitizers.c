/* SPDX-License-Identifier: MIT */
/* The options of sanitizers. In a build that has none nobody calls these functions.
 *
 * LeakSanitizer must not follow __tls_get_addr(): it takes a block of thread-local memory that
 * begins 16 bytes after the begin of a page for one of glibc 2.19, reads its size from what
 * malloc() keeps before the block, and crashes. Since glibc 2.25 such blocks are memory of malloc()
 * and are found as that.
 *
 * The suppressions are for libraries that are built without sanitizers: libvirt destroys a mutex
 * that ThreadSanitizer saw locked, and it sees no locks in what librrd draws with. Facts:
 * sanitizer/asan_interface.h, lsan_interface.h, tsan_interface.h; compiler-rt,
 * sanitizer_tls_get_addr.cpp. */

#define CALLED __attribute__((visibility("default")))

CALLED const char *__asan_default_options(void);
CALLED const char *__lsan_default_options(void);
CALLED const char *__lsan_default_suppressions(void);
CALLED const char *__tsan_default_options(void);
CALLED const char *__tsan_default_suppressions(void);

const char *__asan_default_options(void)
{
	return "intercept_tls_get_addr=0";
}

const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}

const char *__lsan_default_suppressions(void)
{
	return "leak:libfontconfig\n"  /* Also in a thread of its own. */
	       "leak:CRYPTO_zalloc\n"; /* OpenSSL's for a thread that ends with the process. */
}

const char *__tsan_default_options(void)
{
	return "print_suppressions=0";
}

const char *__tsan_default_suppressions(void)
{
	return "race:libfontconfig\nrace:librrd\nmutex:libvirt\n";
}
