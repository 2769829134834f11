/* SPDX-License-Identifier: MIT */
#include "kit/net/stream/stream_internal.h"
#include "kit/net/tls_session.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <collector/kit/alloc.h>

#define TLS13 "NORMAL:-VERS-ALL:+VERS-TLS1.3"
#define AHEAD_MAX 65536 /* Bytes, such as certificates. */

struct mc_tls {
	atomic_uint users; /* Sessions, and who made it. */
	gnutls_certificate_credentials_t x509;
	bool verify, has_certificate, tls13;
};

/* --- Credentials --------------------------------------------------------- */

/* The number of authorities of a file, or of the files of a folder. */
static int trust(const struct mc_tls *tls, const char *ca)
{
	struct stat found;

	if (stat(ca, &found) == 0 && S_ISDIR(found.st_mode))
		return gnutls_certificate_set_x509_trust_dir(tls->x509, ca, GNUTLS_X509_FMT_PEM);
	return gnutls_certificate_set_x509_trust_file(tls->x509, ca, GNUTLS_X509_FMT_PEM);
}

static int load(struct mc_tls *tls, const struct mc_tls_files *files, const char **what)
{
	int rc = 0;

	*what = "GnuTLS";
	rc = gnutls_certificate_allocate_credentials(&tls->x509);
	if (rc == 0 && files->certificate != NULL && files->key != NULL) {
		*what = files->certificate;
		rc = gnutls_certificate_set_x509_key_file(tls->x509, files->certificate, files->key,
							  GNUTLS_X509_FMT_PEM);
		tls->has_certificate = rc >= 0;
	}
	if (rc >= 0 && files->ca != NULL) {
		*what = files->ca;
		rc = trust(tls, files->ca);
		if (rc == 0)
			rc = GNUTLS_E_NO_CERTIFICATE_FOUND;
	} else if (rc >= 0 && files->verify) {
		*what = "the authorities of the system";
		rc = gnutls_certificate_set_x509_system_trust(tls->x509);
	}
	return rc < 0 ? rc : 0;
}

bool mc_tls_new(const struct mc_tls_files *files, struct mc_tls **out, char *why)
{
	struct mc_tls *tls = mc_alloc_zero(sizeof(*tls));
	const char *what;
	int rc;

	atomic_init(&tls->users, 1);
	tls->verify = files->verify;
	tls->tls13 = files->tls13;
	rc = load(tls, files, &what);
	if (rc == 0) {
		*out = tls;
		return true;
	}
	snprintf(why, MC_TLS_WHY, "cannot use '%.120s': %.100s", what, gnutls_strerror(rc));
	mc_tls_free(tls);
	return false;
}

void mc_tls_free(struct mc_tls *tls)
{
	if (tls == NULL || atomic_fetch_sub(&tls->users, 1) > 1)
		return;
	if (tls->x509 != NULL)
		gnutls_certificate_free_credentials(tls->x509);
	free(tls);
}

bool mc_tls_has_certificate(const struct mc_tls *tls)
{
	return tls->has_certificate;
}

/* --- TLS ----------------------------------------------------------------- */

static ssize_t receive(struct mc_tls_stream *stream, void *bytes, size_t size)
{
	size_t left = stream->early.size - stream->early_used;

	if (left == 0)
		return recv(stream->fd, bytes, size, 0);
	if (size > left)
		size = left;
	memcpy(bytes, stream->early.at + stream->early_used, size);
	stream->early_used += size;
	if (stream->early_used == stream->early.size) {
		mc_buffer_free(&stream->early);
		stream->early_used = 0;
	}
	return (ssize_t)size;
}

/* GnuTLS keeps a message of a handshake until it is complete, of up to 16 MiB,
 * and others like it after the handshake. */
static ssize_t pull(gnutls_transport_ptr_t argument, void *bytes, size_t size)
{
	struct mc_tls_stream *stream = argument;
	ssize_t got;

	if (stream->left == 0) {
		gnutls_transport_set_errno(stream->session, EMSGSIZE);
		return -1;
	}
	got = receive(stream, bytes, size < stream->left ? size : stream->left);
	if (got > 0)
		stream->left -= (size_t)got;
	return got;
}

/* The stream never waits. */
static int pull_timeout(gnutls_transport_ptr_t argument, unsigned milliseconds)
{
	struct mc_tls_stream *stream = argument;
	struct pollfd fd = { .fd = stream->fd, .events = POLLIN };

	(void)milliseconds;
	if (stream->early.size > stream->early_used)
		return 1;
	return poll(&fd, 1, 0);
}

static ssize_t push(gnutls_transport_ptr_t argument, const void *bytes, size_t size)
{
	struct mc_tls_stream *stream = argument;

	return send(stream->fd, bytes, size, MSG_NOSIGNAL);
}

static void set_up(gnutls_session_t session, struct mc_tls_stream *stream,
		   const struct mc_tls_start *how)
{
	gnutls_transport_set_ptr(session, stream);
	gnutls_transport_set_pull_function(session, pull);
	gnutls_transport_set_pull_timeout_function(session, pull_timeout);
	gnutls_transport_set_push_function(session, push);
	gnutls_handshake_set_timeout(session, 0);
	if (how->as_server)
		gnutls_certificate_server_set_request(
			session, how->tls->verify ? GNUTLS_CERT_REQUIRE : GNUTLS_CERT_IGNORE);
	else if (how->host != NULL)
		gnutls_server_name_set(session, GNUTLS_NAME_DNS, how->host, strlen(how->host));
	if (how->tls->verify)
		gnutls_session_set_verify_cert(session, how->host, 0);
}

int mc_tls_stream_start(struct mc_tls_stream *stream, const struct mc_tls_start *how)
{
	gnutls_session_t session;
	int rc = gnutls_init(&session, (how->as_server ? GNUTLS_SERVER : GNUTLS_CLIENT) |
					       GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL);

	if (rc < 0)
		return -ENOMEM;
	rc = how->tls->tls13 ? gnutls_priority_set_direct(session, TLS13, NULL)
			     : gnutls_set_default_priority(session);
	if (rc == 0)
		rc = gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, how->tls->x509);
	if (rc < 0) {
		gnutls_deinit(session);
		return -ENOMEM;
	}
	set_up(session, stream, how);
	stream->session = session;
	stream->left = AHEAD_MAX;
	stream->tls = how->tls;
	atomic_fetch_add(&how->tls->users, 1);
	return 0;
}

static void explain(gnutls_session_t session, int rc, char *why)
{
	gnutls_datum_t text = { NULL, 0 };

	if (rc == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR &&
	    gnutls_certificate_verification_status_print(
		    gnutls_session_get_verify_cert_status(session),
		    gnutls_certificate_type_get(session), &text, 0) == 0) {
		snprintf(why, MC_TLS_WHY, "its certificate is not valid: %.150s",
			 (const char *)text.data);
		gnutls_free(text.data);
	} else if (rc == GNUTLS_E_NO_CERTIFICATE_FOUND || rc == GNUTLS_E_CERTIFICATE_REQUIRED) {
		snprintf(why, MC_TLS_WHY, "it has no certificate");
	} else {
		snprintf(why, MC_TLS_WHY, "TLS: %.200s", gnutls_strerror(rc));
	}
}

int mc_tls_stream_handshake(struct mc_tls_stream *stream, char *why)
{
	int rc;

	do {
		rc = gnutls_handshake(stream->session);
	} while (rc == GNUTLS_E_INTERRUPTED || rc == GNUTLS_E_WARNING_ALERT_RECEIVED);
	if (rc == 0) {
		stream->wants_write = false;
		stream->left = AHEAD_MAX;
		return 0;
	}
	if (rc == GNUTLS_E_AGAIN) {
		stream->wants_write = gnutls_record_get_direction(stream->session) == 1;
		return -EAGAIN;
	}
	gnutls_alert_send_appropriate(stream->session, rc);
	if (stream->left == 0)
		snprintf(why, MC_TLS_WHY, "TLS: its handshake is longer than %d bytes", AHEAD_MAX);
	else
		explain(stream->session, rc, why);
	return -EPROTO;
}

/* --- Bytes --------------------------------------------------------------- */

static ssize_t result(ssize_t rc)
{
	if (rc >= 0)
		return rc;
	if (rc == GNUTLS_E_AGAIN || rc == GNUTLS_E_INTERRUPTED)
		return -EAGAIN;
	return rc == GNUTLS_E_PREMATURE_TERMINATION ? -ECONNABORTED : -EPROTO;
}

void mc_tls_stream_init(struct mc_tls_stream *stream, int fd)
{
	*stream = (struct mc_tls_stream){ .fd = fd };
}

ssize_t mc_tls_stream_recv(struct mc_tls_stream *stream, void *bytes, size_t size)
{
	ssize_t rc = gnutls_record_recv(stream->session, bytes, size);

	if (rc > 0)
		stream->left = AHEAD_MAX;
	return result(rc);
}

ssize_t mc_tls_stream_send(struct mc_tls_stream *stream, const void *bytes, size_t size)
{
	return result(gnutls_record_send(stream->session, bytes, size));
}

static void end_session(struct mc_tls_stream *stream)
{
	if (stream->session != NULL) {
		gnutls_bye(stream->session, GNUTLS_SHUT_WR);
		gnutls_deinit(stream->session);
		mc_tls_free(stream->tls);
	}
	mc_buffer_free(&stream->early);
}

void mc_tls_stream_close(struct mc_tls_stream *stream)
{
	end_session(stream);
	if (stream->fd >= 0)
		close(stream->fd);
	mc_tls_stream_init(stream, -1);
}

/* --- A layer of a stream ------------------------------------------------- */

static void layer_add_early(void *session, const char *bytes, size_t size)
{
	mc_buffer_add(&((struct mc_tls_stream *)session)->early, bytes, size);
}

static int layer_handshake(void *session, char *why)
{
	return mc_tls_stream_handshake(session, why);
}

static bool layer_wants_write(const void *session)
{
	return ((const struct mc_tls_stream *)session)->wants_write;
}

static ssize_t layer_recv(void *session, void *bytes, size_t size)
{
	return mc_tls_stream_recv(session, bytes, size);
}

static ssize_t layer_send(void *session, const void *bytes, size_t size)
{
	return mc_tls_stream_send(session, bytes, size);
}

static void layer_close(void *session)
{
	end_session(session);
	free(session);
}

static const struct mc_stream_layer layer = {
	.add_early = layer_add_early,
	.handshake = layer_handshake,
	.wants_write = layer_wants_write,
	.recv = layer_recv,
	.send = layer_send,
	.close = layer_close,
};

int mc_tls_stream_begin(struct mc_stream *stream, const struct mc_tls_start *how)
{
	struct mc_tls_stream *session = mc_alloc_zero(sizeof(*session));
	int rc;

	mc_tls_stream_init(session, stream->file.fd);
	rc = mc_tls_stream_start(session, how);
	if (rc == 0 && !mc_stream_begin_layer(stream, &layer, session))
		rc = -EAGAIN;
	if (rc != 0)
		layer_close(session);
	return rc;
}
