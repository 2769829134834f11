/* SPDX-License-Identifier: MIT */
/* Facts: net-snmp's session_api.h and snmp_api.h; of its README.thread that one
 * thread should have it all. */
#include "session.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <net-snmp/library/large_fd_set.h>
#include <net-snmp/library/lcd_time.h>
#include <net-snmp/library/snmp_secmod.h>
#include <net-snmp/library/snmpusm.h>

#include "formats/snmp/library.h"

#include "transport.h"

#define RECEIVED_MAX 8 /* Messages, before other devices have their turn. */

#define CLAIM_ID (NETSNMP_DS_MAX_SUBIDS - 1) /* None of net-snmp's own. */

bool session_library_claim(void)
{
	if (netsnmp_ds_get_boolean(NETSNMP_DS_APPLICATION_ID, CLAIM_ID))
		return false;
	netsnmp_ds_set_boolean(NETSNMP_DS_APPLICATION_ID, CLAIM_ID, 1);
	mc_snmp_library_silence();
	return true;
}

void session_library_release(void)
{
	netsnmp_ds_set_boolean(NETSNMP_DS_APPLICATION_ID, CLAIM_ID, 0);
}

/* Not init_snmp(): it reads files, and parses MIBs. */
void session_library_start(void)
{
	const int id = NETSNMP_DS_LIBRARY_ID;

	if (find_sec_mod(SNMP_SEC_MODEL_USM) != NULL)
		return; /* An instance before this one has done it. */
	netsnmp_ds_set_boolean(id, NETSNMP_DS_LIB_DONT_READ_CONFIGS, 1);
	netsnmp_ds_set_boolean(id, NETSNMP_DS_LIB_DISABLE_PERSISTENT_LOAD, 1);
	netsnmp_ds_set_boolean(id, NETSNMP_DS_LIB_DISABLE_PERSISTENT_SAVE, 1);
	netsnmp_ds_set_boolean(id, NETSNMP_DS_LIB_DONT_PERSIST_STATE, 1);
	netsnmp_ds_set_string(id, NETSNMP_DS_LIB_APPTYPE, "snmp");
	snmp_init_statistics();
	init_snmpv3("snmp");
	/* Set-up that reading its files would have done. */
	snmp_call_callbacks(SNMP_CALLBACK_LIBRARY, SNMP_CALLBACK_POST_PREMIB_READ_CONFIG, NULL);
	snmp_call_callbacks(SNMP_CALLBACK_LIBRARY, SNMP_CALLBACK_POST_READ_CONFIG, NULL);
}

void session_library_stop(void)
{
	struct usmUser *user;

	while ((user = usm_get_userList()) != NULL) {
		usm_remove_user(user);
		usm_free_user(user);
	}
}

static void set_community(netsnmp_session *session, const struct host_options *host)
{
	session->version = host->version == 1 ? SNMP_VERSION_1 : SNMP_VERSION_2c;
	session->community = (u_char *)host->community;
	session->community_len = strlen(host->community);
}

static int level_of(const char *text)
{
	if (strcasecmp(text, "authPriv") == 0)
		return SNMP_SEC_LEVEL_AUTHPRIV;
	if (strcasecmp(text, "authNoPriv") == 0)
		return SNMP_SEC_LEVEL_AUTHNOPRIV;
	return SNMP_SEC_LEVEL_NOAUTH;
}

static bool set_key(struct keys *keys, const struct mc_snmp_protocol *auth, const char *passphrase,
		    u_char *bytes, size_t *size)
{
	const struct key *key = keys_get(keys, auth, passphrase);

	if (key == NULL)
		return false;
	memcpy(bytes, key->bytes, key->size);
	*size = key->size;
	return true;
}

static bool set_user(netsnmp_session *session, const struct session_settings *settings)
{
	const struct host_options *host = settings->host;
	const struct mc_snmp_protocol *auth, *privacy;

	session->version = SNMP_VERSION_3;
	session->securityModel = SNMP_SEC_MODEL_USM;
	session->securityLevel = level_of(host->security_level);
	session->securityName = (char *)host->username;
	session->securityNameLen = strlen(host->username);
	session->securityEngineID = (u_char *)settings->engine->id;
	session->securityEngineIDLen = settings->engine->size;
	session->contextEngineID = (u_char *)settings->engine->id;
	session->contextEngineIDLen = settings->engine->size;
	session->contextName = (char *)(host->context != NULL ? host->context : "");
	session->contextNameLen = strlen(session->contextName);
	if (session->securityLevel == SNMP_SEC_LEVEL_NOAUTH)
		return true;
	auth = mc_snmp_auth(host->auth_protocol);
	session->securityAuthProto = auth->id;
	session->securityAuthProtoLen = auth->len;
	if (!set_key(settings->keys, auth, host->auth_passphrase, session->securityAuthKey,
		     &session->securityAuthKeyLen))
		return false;
	if (session->securityLevel == SNMP_SEC_LEVEL_AUTHNOPRIV)
		return true;
	privacy = mc_snmp_privacy(host->privacy_protocol);
	session->securityPrivProto = privacy->id;
	session->securityPrivProtoLen = privacy->len;
	return set_key(settings->keys, auth, host->privacy_passphrase, session->securityPrivKey,
		       &session->securityPrivKeyLen);
}

int session_open(struct session *session, const struct session_settings *settings)
{
	netsnmp_session wanted;

	session->handle = NULL;
	session->fd = settings->fd;
	snmp_sess_init(&wanted);
	wanted.retries = 0; /* The sender decides that. */
	wanted.callback = settings->stray;
	wanted.callback_magic = settings->stray_argument;
	wanted.flags |= SNMP_FLAGS_DONT_PROBE;
	if (settings->host->version != 3) {
		set_community(&wanted, settings->host);
	} else if (!set_user(&wanted, settings)) {
		close(settings->fd);
		return -EINVAL;
	}
	session->handle =
		snmp_sess_add(&wanted, transport_new(settings->fd, settings->stream), NULL, NULL);
	/* With its transport it is closed. */
	return session->handle != NULL ? 0 : -EINVAL;
}

void session_close(struct session *session)
{
	if (session->handle != NULL)
		snmp_sess_close(session->handle);
	session->handle = NULL;
	session->fd = -1;
}

bool session_send(struct session *session, netsnmp_pdu *pdu, mc_time timeout,
		  netsnmp_callback answered, void *argument)
{
	snmp_sess_session(session->handle)->timeout = (long)(timeout / 1000);
	if (snmp_sess_async_send(session->handle, pdu, answered, argument) != 0)
		return true;
	snmp_free_pdu(pdu);
	return false;
}

bool session_receive(struct session *session)
{
	bool stream =
		(snmp_sess_transport(session->handle)->flags & NETSNMP_TRANSPORT_FLAG_STREAM) != 0;
	netsnmp_large_fd_set set;
	/* That nothing is there would end a stream. */
	int rc = 0, most = stream ? 1 : RECEIVED_MAX;

	netsnmp_large_fd_set_init(&set, session->fd + 1);
	for (int i = 0; i < most && rc == 0; i++) {
		netsnmp_large_fd_setfd(session->fd, &set);
		rc = snmp_sess_read2(session->handle, &set);
	}
	netsnmp_large_fd_set_cleanup(&set);
	return snmp_sess_transport(session->handle)->sock >= 0;
}

bool session_misreads(const struct session *session)
{
	return snmp_sess_session(session->handle)->s_snmp_errno == SNMPERR_BAD_PARSE;
}

void session_expire(struct session *session)
{
	snmp_sess_timeout(session->handle);
}
