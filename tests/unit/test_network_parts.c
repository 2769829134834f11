/* SPDX-License-Identifier: MIT */
/* Senders of the network plugin: networks, users and their hosts, keys; and replays. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cmocka.h>

#include <collector/kit/timed_call.h>

#include "allow.h"
#include "crypt.h"
#include "seen.h"
#include "users.h"

static struct mc_ctx ctx = { .name = "network" };
static char logged[256]; /* Last. */

int mc_timed_file(struct mc_ctx *context, const char *path)
{
	assert_ptr_equal(context, &ctx);
	(void)path;
	return 0;
}

int mc_fail(struct mc_ctx *context, int errnum, const char *fmt, ...)
{
	assert_ptr_equal(context, &ctx);
	assert_non_null(fmt);
	return errnum != 0 ? -errnum : -EINVAL;
}

void mc_log(struct mc_ctx *context, enum mc_level level, const char *fmt, ...)
{
	va_list args;

	assert_ptr_equal(context, &ctx);
	assert_in_range(level, MC_WARN, MC_NOTE);
	va_start(args, fmt);
	vsnprintf(logged, sizeof(logged), fmt, args);
	va_end(args);
}

/* --- Networks ------------------------------------------------------------ */

static struct sockaddr_storage address_of(const char *text)
{
	struct sockaddr_storage address = { 0 };

	if (strchr(text, ':') != NULL) {
		address.ss_family = AF_INET6;
		assert_int_equal(
			inet_pton(AF_INET6, text, &((struct sockaddr_in6 *)&address)->sin6_addr),
			1);
	} else {
		address.ss_family = AF_INET;
		assert_int_equal(
			inet_pton(AF_INET, text, &((struct sockaddr_in *)&address)->sin_addr), 1);
	}
	return address;
}

static void test_networks(void **state)
{
	static const char *const texts[] = { "192.0.2.0/25", "198.51.100.7", "2001:db8::/33",
					     "::1" };
	static const struct {
		const char *address;
		bool allowed;
	} cases[] = {
		{ "192.0.2.0", true },
		{ "192.0.2.127", true },
		{ "192.0.2.128", false },
		{ "192.0.3.0", false },
		{ "198.51.100.7", true },
		{ "198.51.100.6", false },
		{ "2001:db8:7fff::1", true },
		{ "2001:db8:8000::1", false },
		{ "::1", true },
		{ "::2", false },
		{ "::ffff:192.0.2.1", true },
		{ "0.0.0.1", false },
	};
	struct mc_strings strings = { texts, 4 };
	struct allow allow = { 0 };

	(void)state;
	assert_int_equal(allow_start(&allow, &ctx, &strings), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sockaddr_storage address = address_of(cases[i].address);

		if (allow_has(&allow, &address) != cases[i].allowed)
			fail_msg("%s", cases[i].address);
	}
	allow_stop(&allow);
}

static void test_no_networks(void **state)
{
	static const char *const texts[] = {
		"",           "192.0.2",      "192.0.2.0/33", "192.0.2.0/-1",
		"192.0.2.0/", "192.0.2.0/8x", "::/129",       "example.net",
		"/8"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct mc_strings strings = { &texts[i], 1 };
		struct allow allow = { 0 };

		if (allow_start(&allow, &ctx, &strings) != -EINVAL)
			fail_msg("'%s' is taken", texts[i]);
		allow_stop(&allow);
	}
}

/* --- Users --------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static bool knows(const struct users *users, const char *name)
{
	return users_find(users, name, strlen(name)) != NULL;
}

static void test_users(void **state)
{
	static const char *const hosts[] = { "a*.example.net", "b" };
	struct network_user rule = { "alice", { hosts, 2 } };
	char path[] = "users_XXXXXX";
	struct network_listen options = { .auth_file = path, .users = { &rule, 1 } };
	struct users users;
	const struct users_entry *alice, *bob;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	write_file(path, "# nobody: x\n\nalice: secret\r\n  bob :b\nno colon\n");
	assert_int_equal(users_start(&users, &ctx, &options), 0);
	assert_int_equal(users.len, 2);
	alice = users_find(&users, "alice", 5);
	bob = users_find(&users, "bob ", 4);
	assert_non_null(alice);
	assert_non_null(bob);
	assert_false(knows(&users, "alic"));
	assert_false(knows(&users, "# nobody"));
	assert_true(users_may_send(alice, "a1.example.net"));
	assert_true(users_may_send(alice, "b"));
	assert_false(users_may_send(alice, "c"));
	assert_false(users_may_send(alice, "a1.example.net.evil"));
	assert_true(users_may_send(bob, "anything"));

	write_file(path, "carol: changed and longer than before\n");
	users_refresh(&users, MC_SECOND); /* Looked at this second. */
	assert_true(knows(&users, "carol"));
	assert_false(knows(&users, "alice"));
	write_file(path, "dave: x\n");
	users_refresh(&users, 3 * MC_SECOND / 2); /* Too soon. */
	assert_true(knows(&users, "carol"));
	users_refresh(&users, 2 * MC_SECOND);
	assert_true(knows(&users, "dave"));
	unlink(path);
	users_refresh(&users, 4 * MC_SECOND);
	assert_true(knows(&users, "dave"));
	assert_int_equal(mkdir(path, 0700), 0);
	users_refresh(&users, 6 * MC_SECOND);
	assert_true(knows(&users, "dave"));
	assert_non_null(strstr(logged, "Is a directory"));
	rmdir(path);
	users_stop(&users);
	assert_int_equal(users_start(&users, &ctx, &options), -ENOENT);
	users_stop(&users);
}

/* --- Keys ---------------------------------------------------------------- */

static void test_signature(void **state)
{
	/* RFC 4231, test case 2: HMAC-SHA256 with the key "Jefe". */
	static const unsigned char expected[] = {
		0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e, 0x6a, 0x04, 0x24,
		0x26, 0x08, 0x95, 0x75, 0xc7, 0x5a, 0x00, 0x3f, 0x08, 0x9d, 0x27,
		0x39, 0x83, 0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43,
	};
	struct crypt_key *key = crypt_key_new("Jefe");
	unsigned char text[] = "what do ya want for nothing?", mac[32];
	struct mc_binary_envelope envelope = { .code = mac,
					       .covered = text,
					       .covered_size = sizeof(text) - 1 };

	(void)state;
	assert_non_null(key);
	assert_true(crypt_sign(key, &envelope));
	assert_memory_equal(mac, expected, sizeof(mac));
	assert_true(crypt_verify(key, &envelope));
	text[3] ^= 1;
	assert_false(crypt_verify(key, &envelope));
	crypt_key_free(key);
}

static void test_encrypted_comes_back(void **state)
{
	struct crypt_key *ours = crypt_key_new("secret"), *theirs = crypt_key_new("other");
	unsigned char packet[128], copy[sizeof(packet)];
	struct mc_binary_envelope envelope;
	size_t head = mc_binary_envelope_size(MC_BINARY_ENCRYPTED, 5);

	(void)state;
	memcpy(packet + head, "the payload", 11);
	mc_binary_envelope(packet, MC_BINARY_ENCRYPTED, "alice", 11, &envelope);
	assert_true(crypt_encrypt(ours, &envelope));
	assert_memory_not_equal(packet + head, "the payload", 11);
	memcpy(copy, packet, sizeof(copy));
	assert_false(crypt_decrypt(theirs, &envelope));
	memcpy(packet, copy, sizeof(copy));
	packet[head + 2] ^= 1;
	assert_false(crypt_decrypt(ours, &envelope));
	memcpy(packet, copy, sizeof(copy));
	assert_true(crypt_decrypt(ours, &envelope));
	assert_memory_equal(packet + head, "the payload", 11);
	crypt_key_free(ours);
	crypt_key_free(theirs);
}

/* --- Seen ---------------------------------------------------------------- */

static void a_notification_is_recognized(void **state)
{
	struct mc_notification notification = { .severity = MC_OKAY,
						.time = MC_SECOND,
						.id = { .host = "ab", .plugin = "c" },
						.message = "m" };
	struct mc_notification other = notification;
	struct seen seen;

	(void)state;
	seen_init(&seen);
	assert_int_equal(seen_add(&seen, &notification, 0), SEEN_NEW);
	assert_int_equal(seen_add(&seen, &notification, 0), SEEN_BEFORE);
	other.id.plugin_instance = ""; /* The same as none. */
	assert_int_equal(seen_add(&seen, &other, 0), SEEN_BEFORE);
	other.id.host = "a";
	other.id.plugin = "bc";
	assert_int_equal(seen_add(&seen, &other, 0), SEEN_NEW);
	other = notification;
	other.time++;
	assert_int_equal(seen_add(&seen, &other, 0), SEEN_NEW);
	seen_done(&seen);
}

/* Else two that are forwarded in a ring go round for ever. */
static void none_is_forgotten_because_of_another(void **state)
{
	struct mc_notification notification = { .severity = MC_OKAY, .message = "m" };
	struct seen seen;

	(void)state;
	seen_init(&seen);
	for (unsigned i = 0; i < SEEN_LEN; i++) {
		notification.time = i;
		assert_int_equal(seen_add(&seen, &notification, i), SEEN_NEW);
	}
	for (unsigned i = 0; i < SEEN_LEN; i++) {
		notification.time = i;
		assert_int_equal(seen_add(&seen, &notification, SEEN_LEN), SEEN_BEFORE);
	}
	notification.time = SEEN_LEN;
	assert_int_equal(seen_add(&seen, &notification, SEEN_TIME), SEEN_TOO_MANY);
	assert_int_equal(seen_add(&seen, &notification, SEEN_LEN + SEEN_TIME), SEEN_NEW);
	notification.time = 0; /* It has made room. */
	assert_int_equal(seen_add(&seen, &notification, SEEN_LEN + SEEN_TIME), SEEN_NEW);
	seen_done(&seen);
}

static int start(void **state)
{
	(void)state;
	return crypt_ready() ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_networks),
		cmocka_unit_test(test_no_networks),
		cmocka_unit_test(test_users),
		cmocka_unit_test(test_signature),
		cmocka_unit_test(test_encrypted_comes_back),
		cmocka_unit_test(a_notification_is_recognized),
		cmocka_unit_test(none_is_forgotten_because_of_another),
	};

	return cmocka_run_group_tests(tests, start, NULL);
}
