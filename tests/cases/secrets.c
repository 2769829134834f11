/* SPDX-License-Identifier: MIT */
/* Facts: the manual of GnuTLS 3.7, "X.509 certificate API", "Handshake". */
#include "secrets.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"

#include "mistake.h"

/* A time of its own: GnuTLS asks the real clock. */
#define FROM 1500000000
#define TO 4000000000

struct secrets {
	gnutls_certificate_credentials_t server, client;
};

struct secret_stream {
	gnutls_session_t session;
	bool ready;
	int error;
};

static void need(int rc, const char *what)
{
	if (rc < 0)
		mistake(what, gnutls_strerror(rc));
}

bool secrets_possible(void)
{
	return true;
}

/* --- Files ---------------------------------------------------------------- */

struct identity {
	gnutls_x509_privkey_t key;
	gnutls_x509_crt_t certificate;
};

static void write_file(const char *folder, const char *name, const gnutls_datum_t *pem)
{
	char path[PATH_MAX];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "w");
	need(out != NULL ? 0 : GNUTLS_E_FILE_ERROR, path);
	fwrite(pem->data, 1, pem->size, out);
	fclose(out);
	chmod(path, 0600);
	gnutls_free(pem->data);
}

static void set_server(gnutls_x509_crt_t certificate)
{
	const unsigned char address[4] = { 127, 0, 0, 1 };

	gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_DNSNAME, "localhost", 9, 0);
	gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_IPADDRESS, address,
					     sizeof(address), GNUTLS_FSAN_APPEND);
}

/* Signed by 'issuer'; NULL: an authority. */
static struct identity make(const char *name, const struct identity *issuer)
{
	static const unsigned char serial[] = { 1 };
	struct identity made;

	need(gnutls_x509_privkey_init(&made.key), "key");
	need(gnutls_x509_privkey_generate(made.key, GNUTLS_PK_ECDSA,
					  GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0),
	     "key");
	need(gnutls_x509_crt_init(&made.certificate), "certificate");
	gnutls_x509_crt_set_version(made.certificate, 3);
	gnutls_x509_crt_set_serial(made.certificate, serial, sizeof(serial));
	gnutls_x509_crt_set_activation_time(made.certificate, FROM);
	gnutls_x509_crt_set_expiration_time(made.certificate, TO);
	gnutls_x509_crt_set_dn_by_oid(made.certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name,
				      (unsigned)strlen(name));
	gnutls_x509_crt_set_key(made.certificate, made.key);
	gnutls_x509_crt_set_basic_constraints(made.certificate, issuer == NULL, -1);
	if (strcmp(name, "server") == 0)
		set_server(made.certificate);
	if (issuer == NULL)
		issuer = &made;
	need(gnutls_x509_crt_sign2(made.certificate, issuer->certificate, issuer->key,
				   GNUTLS_DIG_SHA256, 0),
	     "signature");
	return made;
}

static void done(struct identity *identity)
{
	gnutls_x509_crt_deinit(identity->certificate);
	gnutls_x509_privkey_deinit(identity->key);
}

static void save(const struct identity *identity, const char *folder, const char *name)
{
	gnutls_datum_t pem;
	char file[64];

	need(gnutls_x509_crt_export2(identity->certificate, GNUTLS_X509_FMT_PEM, &pem), "export");
	snprintf(file, sizeof(file), "%s.pem", name);
	write_file(folder, file, &pem);
	need(gnutls_x509_privkey_export2(identity->key, GNUTLS_X509_FMT_PEM, &pem), "export");
	snprintf(file, sizeof(file), "%s.key", name);
	write_file(folder, file, &pem);
}

static void make_signed(const struct identity *issuer, const char *folder, const char *name)
{
	struct identity made = make(name, issuer);

	save(&made, folder, name);
	done(&made);
}

static gnutls_certificate_credentials_t load(const char *folder, const char *name)
{
	gnutls_certificate_credentials_t loaded;
	char certificate[PATH_MAX], key[PATH_MAX];

	snprintf(certificate, sizeof(certificate), "%s/%s.pem", folder, name);
	snprintf(key, sizeof(key), "%s/%s.key", folder, name);
	need(gnutls_certificate_allocate_credentials(&loaded), "credentials");
	need(gnutls_certificate_set_x509_key_file(loaded, certificate, key, GNUTLS_X509_FMT_PEM),
	     certificate);
	return loaded;
}

struct secrets *secrets_new(const char *folder)
{
	struct secrets *secrets = alloc_zero(sizeof(*secrets));
	struct identity authority = make("authority", NULL), other = make("another", NULL);

	save(&authority, folder, "ca");
	make_signed(&authority, folder, "server");
	make_signed(&authority, folder, "client");
	make_signed(&other, folder, "other");
	done(&authority);
	done(&other);
	secrets->server = load(folder, "server");
	secrets->client = load(folder, "client");
	return secrets;
}

void secrets_free(struct secrets *secrets)
{
	if (secrets == NULL)
		return;
	gnutls_certificate_free_credentials(secrets->server);
	gnutls_certificate_free_credentials(secrets->client);
	free(secrets);
}

/* --- Streams -------------------------------------------------------------- */

struct secret_stream *secret_stream_new(const struct secrets *secrets, int fd, bool server)
{
	struct secret_stream *stream = alloc_zero(sizeof(*stream));

	need(gnutls_init(&stream->session, (server ? GNUTLS_SERVER : GNUTLS_CLIENT) |
						   GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL),
	     "session");
	need(gnutls_set_default_priority(stream->session), "priority");
	need(gnutls_credentials_set(stream->session, GNUTLS_CRD_CERTIFICATE,
				    server ? secrets->server : secrets->client),
	     "credentials");
	gnutls_transport_set_int(stream->session, fd);
	if (server)
		gnutls_certificate_server_set_request(stream->session, GNUTLS_CERT_IGNORE);
	return stream;
}

void secret_stream_free(struct secret_stream *stream)
{
	if (stream == NULL)
		return;
	gnutls_deinit(stream->session);
	free(stream);
}

/* As send(2) returns it. */
static ssize_t result(struct secret_stream *stream, ssize_t rc)
{
	if (rc >= 0)
		return rc;
	stream->error = (int)rc;
	if (rc == GNUTLS_E_AGAIN || rc == GNUTLS_E_INTERRUPTED)
		errno = EAGAIN;
	else
		errno = rc == GNUTLS_E_PUSH_ERROR || rc == GNUTLS_E_PULL_ERROR ? ECONNRESET
									       : EPROTO;
	return -1;
}

/* Goes on with the handshake; 0: it is over. */
static ssize_t shake(struct secret_stream *stream)
{
	int rc = 0;

	while (!stream->ready && (rc = gnutls_handshake(stream->session)) < 0)
		if (gnutls_error_is_fatal(rc) || rc == GNUTLS_E_AGAIN)
			return result(stream, rc);
	stream->ready = true;
	return 0;
}

ssize_t secret_stream_send(struct secret_stream *stream, const void *bytes, size_t size)
{
	if (shake(stream) < 0)
		return -1;
	return result(stream, gnutls_record_send(stream->session, bytes, size));
}

ssize_t secret_stream_receive(struct secret_stream *stream, void *bytes, size_t size)
{
	if (shake(stream) < 0)
		return -1;
	return result(stream, gnutls_record_recv(stream->session, bytes, size));
}

const char *secret_stream_why(const struct secret_stream *stream)
{
	return gnutls_strerror(stream->error);
}

short secret_stream_events(const struct secret_stream *stream)
{
	return gnutls_record_get_direction(stream->session) == 0 ? POLLIN : POLLOUT;
}

void secret_stream_bye(struct secret_stream *stream)
{
	if (stream->ready)
		gnutls_bye(stream->session, GNUTLS_SHUT_WR);
}
