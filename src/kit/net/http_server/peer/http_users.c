/* SPDX-License-Identifier: MIT */
/* Facts: RFC 7617 (Basic), crypt(5), and htpasswd(1) for the file.
 *
 * A hash takes long to compute, on purpose.  So a password that was right is remembered as its HMAC
 * by a secret of this process, and wrong ones are counted before they are looked at. */
#include "kit/net/http_server/peer/http_users.h"

#include <crypt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#include <collector/kit/alloc.h>

#define CLIENTS_MAX 4096 /* Whose tries are known. */
#define WINDOW (HTTP_USERS_WINDOW * MC_SECOND)
#define NAME_SIZE 128
#define HASH_SIZE 256
#define GIVEN_SIZE 512 /* "user:password" */
#define PROOF_SIZE 32  /* SHA-256 */

struct user {
	struct mc_map_node node;
	char name[NAME_SIZE], hash[HASH_SIZE];
	unsigned char proof[PROOF_SIZE]; /* Digest of a correct password. */
	bool proven;
};

struct tries {
	struct mc_lru_node node;
	char client[NAME_SIZE];
	unsigned len; /* Since then. */
	mc_time since;
};

/* --- The file ------------------------------------------------------------ */

static bool has_method(const char *hash, size_t size)
{
	static const char *const methods[] = { "$y$",  "$gy$", "$2b$", "$2y$",
					       "$2a$", "$7$",  "$6$",  "$5$" };

	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (size > strlen(methods[i]) && strncmp(hash, methods[i], strlen(methods[i])) == 0)
			return true;
	return false;
}

/* NULL: the line is right. */
static const char *line_fault(const char *line, size_t size)
{
	const char *colon = memchr(line, ':', size);
	size_t name = colon != NULL ? (size_t)(colon - line) : 0;

	if (colon == NULL || name == 0)
		return "is no USER:HASH";
	if (name >= NAME_SIZE || size - name - 1 >= HASH_SIZE)
		return "is too long";
	if (!has_method(colon + 1, size - name - 1))
		return "has a hash that crypt(5) does not know, or that is "
		       "weak: make it anew by htpasswd -B";
	return NULL;
}

/* Calls take() for each line that has a user; see http_users_check(). */
static unsigned read_lines(const char *text, const char **why,
			   void (*take)(struct mc_map *, const char *line, size_t size),
			   struct mc_map *users)
{
	for (unsigned number = 1; *text != '\0'; number++) {
		size_t whole = strcspn(text, "\n"), size = whole;

		if (size > 0 && text[size - 1] == '\r')
			size--;
		if (size > 0 && text[0] != '#') {
			*why = line_fault(text, size);
			if (*why != NULL)
				return number;
			take(users, text, size);
		}
		text += whole + (text[whole] == '\n');
	}
	return 0;
}

static void ignore(struct mc_map *users, const char *line, size_t size)
{
	(void)users, (void)line, (void)size;
}

unsigned http_users_check(const char *text, const char **why)
{
	return read_lines(text, why, ignore, NULL);
}

/* Of two lines of a user the first counts, as it does for Apache. */
static void add_user(struct mc_map *users, const char *line, size_t size)
{
	size_t name = strcspn(line, ":");
	struct user *user;

	if (mc_map_find(users, line, name) != NULL)
		return;
	user = mc_alloc_zero(sizeof(*user));
	memcpy(user->name, line, name);
	memcpy(user->hash, line + name + 1, size - name - 1);
	user->node.key = user->name;
	user->node.key_size = name;
	mc_map_add(users, &user->node);
}

static void free_users(struct mc_map *users)
{
	struct mc_map_node *next;

	for (struct mc_map_node *node = mc_map_next(users, NULL); node != NULL; node = next) {
		next = mc_map_next(users, node);
		free(node);
	}
	mc_map_done(users);
}

unsigned http_users_set(struct http_users *users, const char *text, const char **why)
{
	struct mc_map fresh = { 0 }, before;
	unsigned line = http_users_check(text, why);

	if (line > 0)
		return line;
	read_lines(text, why, add_user, &fresh);
	pthread_mutex_lock(&users->lock);
	before = users->users;
	users->users = fresh;
	pthread_mutex_unlock(&users->lock);
	free_users(&before);
	return 0;
}

void http_users_init(struct http_users *users)
{
	*users = (struct http_users){ .logged = INT64_MIN };
	pthread_mutex_init(&users->lock, NULL);
	gnutls_rnd(GNUTLS_RND_KEY, users->secret, sizeof(users->secret));
}

void http_users_done(struct http_users *users)
{
	free_users(&users->users);
	mc_lru_free(&users->tries);
	pthread_mutex_destroy(&users->lock);
}

/* --- What is given ------------------------------------------------------- */

/* "Basic dXNlcjpwYXNz": "user:pass"; false: it is not that. */
static bool read_header(const char *header, char out[GIVEN_SIZE], size_t *size)
{
	gnutls_datum_t text, given;
	bool fits;

	if (header == NULL || strncasecmp(header, "Basic ", 6) != 0)
		return false;
	header += 6 + strspn(header + 6, " ");
	text.data = (unsigned char *)(uintptr_t)header;
	text.size = (unsigned)strlen(header);
	if (text.size == 0 || gnutls_base64_decode2(&text, &given) < 0)
		return false;
	fits = given.size < GIVEN_SIZE && memchr(given.data, '\0', given.size) == NULL &&
	       memchr(given.data, ':', given.size) != NULL;
	if (fits) {
		memcpy(out, given.data, given.size);
		out[given.size] = '\0';
		*size = given.size;
	}
	gnutls_memset(given.data, 0, given.size);
	gnutls_free(given.data);
	return fits;
}

/* --- Tries --------------------------------------------------------------- */

static void add_tries(struct http_users *users, struct tries *tries) MC_REQUIRES(users->lock)
{
	mc_lru_make_room(&users->tries, CLIENTS_MAX);
	mc_lru_add(&users->tries, &tries->node, tries->client, strlen(tries->client));
}

/* Counts one more; false: there were too many. */
static bool may_try(struct http_users *users, const char *client) MC_REQUIRES(users->lock)
{
	mc_time now = mc_now();
	struct tries *tries = (struct tries *)mc_lru_find(&users->tries, client, strlen(client));

	if (tries == NULL) {
		tries = mc_alloc_zero(sizeof(*tries));
		snprintf(tries->client, sizeof(tries->client), "%s", client);
		tries->since = now;
		add_tries(users, tries);
	}
	mc_lru_use(&users->tries, &tries->node);
	if (now - tries->since >= WINDOW) {
		tries->since = now;
		tries->len = 0;
	}
	if (tries->len == HTTP_USERS_TRIES)
		return false;
	tries->len++;
	return true;
}

static void forgive(struct http_users *users, const char *client) MC_REQUIRES(users->lock)
{
	struct tries *tries = (struct tries *)mc_lru_find(&users->tries, client, strlen(client));

	if (tries != NULL && tries->len > 0)
		tries->len--;
}

/* --- The verdict --------------------------------------------------------- */

enum verdict { RIGHT, TO_TRY, TOO_MANY };

/* An unknown user is checked against the hash of another one, so that it takes as long. */
static enum verdict look(struct http_users *users, const char *given, const unsigned char *proof,
			 const char *client, char hash[HASH_SIZE]) MC_REQUIRES(users->lock)
{
	struct user *user = (struct user *)mc_map_find(&users->users, given, strcspn(given, ":"));
	struct user *any = (struct user *)mc_map_next(&users->users, NULL);

	if (user != NULL && user->proven && gnutls_memcmp(user->proof, proof, PROOF_SIZE) == 0)
		return RIGHT;
	if (!may_try(users, client))
		return TOO_MANY;
	if (any != NULL)
		memcpy(hash, user != NULL ? user->hash : any->hash, HASH_SIZE);
	return TO_TRY;
}

static bool is_right(const char *password, const char *hash)
{
	struct crypt_data *data = mc_alloc_zero(sizeof(*data));
	/* Of libxcrypt; crypt_r(3) cannot be called with sanitizers by what is
	 * loaded later than the program. */
	const char *made = crypt_rn(password, hash, data, sizeof(*data));
	bool right = made != NULL && strlen(made) == strlen(hash) &&
		     gnutls_memcmp(made, hash, strlen(hash)) == 0;

	gnutls_memset(data, 0, sizeof(*data));
	free(data);
	return right;
}

/* The user may have got another hash meanwhile. */
static bool accept(struct http_users *users, const char *given, const unsigned char *proof,
		   const char *client, const char *hash) MC_REQUIRES(users->lock)
{
	struct user *user = (struct user *)mc_map_find(&users->users, given, strcspn(given, ":"));

	if (user == NULL || strcmp(user->hash, hash) != 0)
		return false;
	memcpy(user->proof, proof, PROOF_SIZE);
	user->proven = true;
	forgive(users, client);
	return true;
}

static bool is_news(struct http_users *users) MC_REQUIRES(users->lock)
{
	mc_time now = mc_now();

	if (users->logged != INT64_MIN && now - users->logged < WINDOW)
		return false;
	users->logged = now;
	return true;
}

unsigned http_users_judge(struct http_users *users, const char *authorization, const char *client,
			  bool *news)
{
	char given[GIVEN_SIZE], hash[HASH_SIZE] = "";
	unsigned char proof[PROOF_SIZE];
	enum verdict verdict;
	bool right = false;
	size_t size;

	*news = false;
	if (!read_header(authorization, given, &size) ||
	    gnutls_hmac_fast(GNUTLS_MAC_SHA256, users->secret, sizeof(users->secret), given, size,
			     proof) < 0)
		return 401;
	pthread_mutex_lock(&users->lock);
	verdict = look(users, given, proof, client, hash);
	if (verdict == TOO_MANY)
		*news = is_news(users);
	pthread_mutex_unlock(&users->lock);
	if (verdict == TO_TRY && hash[0] != '\0' && is_right(strchr(given, ':') + 1, hash)) {
		pthread_mutex_lock(&users->lock);
		right = accept(users, given, proof, client, hash);
		pthread_mutex_unlock(&users->lock);
	}
	gnutls_memset(given, 0, sizeof(given));
	if (verdict == TOO_MANY)
		return 429;
	return verdict == RIGHT || right ? 0 : 401;
}
