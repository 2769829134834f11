/* SPDX-License-Identifier: MIT */
/* snmptrap - traps and informs of devices become notifications: version 1, 2c and 3.  collectd has
 * no such plugin; the work of snmptrapd(8) without a program for each.
 *
 * The thread of run() does all of it. */
#include <collector/check.h>
#include <collector/kit/address.h>
#include <collector/kit/alloc.h>
#include <collector/kit/hash.h>
#include <collector/kit/listen_options.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>

#include "formats/snmp/library.h"
#include "formats/snmp/protocol.h"
#include "kit/net/datagram_sockets.h"
#include "kit/net/datagrams.h"
#include "kit/net/notice_limit.h"
#include "kit/net/sender_limit.h"

#include <errno.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/snmp/trap.h"
#include "notice.h"
#include "refused.h"
#include "rules.h"
#include "senders.h"
#include "usm.h"

struct sender_block { /* <Sender>. */
	const char *name;
	struct mc_strings addresses;
};

struct snmptrap {
	const char *host, *port;
	struct mc_strings communities;
	struct mc_blocks users;       /* struct usm_user */
	struct mc_blocks rule_blocks; /* struct rules_block */
	struct mc_blocks names;       /* struct sender_block */
	int64_t receive_buffer;
	double sender_limit;
	int64_t notice_limit;
	bool report_stats;

	struct mc_datagram_sockets sockets;
	struct usm usm;
	struct rules rules;
	struct notice notice;
	struct senders senders;
	struct mc_notice_limit notices;
	struct mc_refusals refusals;
	_Atomic uint64_t traps, informs; /* That became notifications. */
	uint8_t *plain, *answer;         /* MC_SNMP_MESSAGE_SIZE bytes. */
};

/* --- Options -------------------------------------------------------------- */

static const struct mc_option user_options[] = {
	{ "", MC_OPT_STRING(struct usm_user, name), .required = true,
	  .help = "Name of a user of version 3.", .sample = "watcher" },
	{ "AuthProtocol", MC_OPT_STRING(struct usm_user, auth),
	  .help = "MD5, SHA, SHA-224, SHA-256, SHA-384 or SHA-512; by default "
		  "anybody may send as this user.",
	  .sample = "SHA-256" },
	{ "AuthPassphrase", MC_OPT_STRING(struct usm_user, auth_passphrase), .secret = true,
	  .help = "Its password for that, of eight characters or more.", .sample = "not this one" },
	{ "PrivacyProtocol", MC_OPT_STRING(struct usm_user, privacy),
	  .help = "DES, AES, AES-192, AES-256, or Cisco's AES-192-C and "
		  "AES-256-C; by default nothing is encrypted.",
	  .sample = "AES" },
	{ "PrivacyPassphrase", MC_OPT_STRING(struct usm_user, privacy_passphrase), .secret = true,
	  .help = "Its password for that, of eight characters or more.", .sample = "nor that one" },
	{ 0 },
};
static const struct mc_block user_block = { sizeof(struct usm_user), user_options };

static const struct mc_option trap_options[] = {
	{ "", MC_OPT_STRING(struct rules_block, id), .required = true,
	  .help = "Object identifier of a trap, in numbers or a name; with .* "
		  "after it, of all traps below.",
	  .sample = "1.3.6.1.4.1.9.9.41.2.0.1" },
	{ "Name", MC_OPT_STRING(struct rules_block, name),
	  .help = "Plugin instance of its notifications; by default the "
		  "trap's own name.",
	  .sample = "log" },
	{ "Severity", MC_OPT_WORD(struct rules_block, severity), .default_value = "warning",
	  .words = rules_severities, .help = "How bad it is." },
	{ "Instance", MC_OPT_STRINGS(struct rules_block, instance),
	  .help = "Object identifiers: the value of the first that the trap "
		  "has is the type instance, so that a trap and the one that "
		  "ends it are about one thing.",
	  .sample = "ifDescr" },
	{ 0 },
};
static const struct mc_block trap_block = { sizeof(struct rules_block), trap_options };

static const struct mc_option sender_options[] = {
	{ "", MC_OPT_STRING(struct sender_block, name), .required = true,
	  .help = "Host of the notifications.", .sample = "switch1" },
	{ "Address", MC_OPT_STRINGS(struct sender_block, addresses), .required = true,
	  .help = "Addresses that it sends from.", .sample = "192.0.2.1" },
	{ 0 },
};
static const struct mc_block sender_block = { sizeof(struct sender_block), sender_options };

static const struct mc_option snmptrap_options[] = {
	{ "Host", MC_OPT_STRING(struct snmptrap, host), .default_value = "::",
	  .help = "Name or address to listen at; by default all of this "
		  "host." },
	{ "Port", MC_OPT_STRING(struct snmptrap, port), .default_value = "162",
	  .help = "Port or name of a service." },
	{ "Community", MC_OPT_STRINGS(struct snmptrap, communities),
	  .help = "Communities of versions 1 and 2c that are taken; by default "
		  "none.",
	  .sample = "public" },
	{ "User", MC_OPT_BLOCKS(struct snmptrap, users), .block = &user_block,
	  .help = "A user of version 3." },
	{ "Trap", MC_OPT_BLOCKS(struct snmptrap, rule_blocks), .block = &trap_block,
	  .help = "What becomes of a trap; the first block that fits counts." },
	{ "Sender", MC_OPT_BLOCKS(struct snmptrap, names), .block = &sender_block,
	  .help = "The name of a sender; by default it is its address." },
	{ "SenderLimit", MC_OPT_NUMBER(struct snmptrap, sender_limit), .default_value = "100",
	  .help = "Largest number of messages a second of one address, over "
		  "ten seconds.",
	  .min = 0.1, .max = 1e9 },
	{ "NoticeLimit", MC_OPT_INT(struct snmptrap, notice_limit), .default_value = "100",
	  .help = "Largest number of notifications of one sender at once, and "
		  "in each hour after that; unknown senders share half of it. "
		  "0: no limit.",
	  .max = 1e9 },
	MC_RECEIVE_BUFFER_OPTION(struct snmptrap, receive_buffer),
	{ "ReportStats", MC_OPT_BOOL(struct snmptrap, report_stats), .default_value = "false",
	  .help = "Reports messages and refusals of this plugin." },
	{ 0 },
};

static void check_user(struct mc_ctx *ctx, const struct usm_user *user)
{
	const char *fault = usm_fault(user);

	if (strlen(user->name) > MC_SNMP_USER_MAX)
		mc_check_error(ctx, &user->name, "has more than 32 characters");
	if (user->auth != NULL && mc_snmp_auth(user->auth) == NULL)
		mc_check_error(ctx, &user->auth,
			       "is not MD5, SHA, SHA-224, SHA-256, SHA-384 or "
			       "SHA-512");
	else if (user->privacy != NULL && mc_snmp_privacy(user->privacy) == NULL)
		mc_check_error(ctx, &user->privacy,
			       "is not DES, AES, AES-192, AES-256, AES-192-C or "
			       "AES-256-C");
	else if (fault != NULL)
		mc_check_error(ctx, &user->name, "%s", fault);
	if (user->auth_passphrase != NULL)
		mc_check_password(ctx, &user->auth_passphrase);
	if (user->privacy_passphrase != NULL)
		mc_check_password(ctx, &user->privacy_passphrase);
}

/* The first of a name is the one that counts. */
static void check_names(struct mc_ctx *ctx, const struct usm_user *users, size_t len)
{
	for (size_t i = 0; i < len; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(users[i].name, users[j].name) == 0) {
				mc_check_error(ctx, &users[i].name, "is there twice");
				break;
			}
}

static void check_trap(struct mc_ctx *ctx, const struct rules_block *trap)
{
	if (!rules_know(trap->id, true))
		mc_check_error(ctx, &trap->id, "is not a known object identifier");
	for (size_t i = 0; i < trap->instance.len; i++)
		if (!rules_know(trap->instance.items[i], false))
			mc_check_error(ctx, &trap->instance.items[i],
				       "is not a known object identifier");
}

/* Datagrams from such an address always come with their interface. */
static bool lacks_interface(const struct senders_address *address)
{
	return IN6_IS_ADDR_LINKLOCAL(&address->address) && address->interface[0] == '\0';
}

/* It may be made later; numbers are those of any. */
static bool is_away(const struct senders_address *address)
{
	const char *name = address->interface;

	return name[0] != '\0' && strspn(name, "0123456789") < strlen(name) &&
	       if_nametoindex(name) == 0;
}

/* 'senders' has those that were checked before. */
static void check_sender(struct mc_ctx *ctx, const struct sender_block *sender,
			 struct senders *senders)
{
	struct senders_address address;

	for (size_t i = 0; i < sender->addresses.len; i++) {
		const char *const *text = &sender->addresses.items[i];

		if (!senders_read_address(*text, &address))
			mc_check_error(ctx, text, "is not an address");
		else if (lacks_interface(&address))
			mc_check_warn(ctx, text,
				      "is nobody's: it needs its interface, as "
				      "in fe80::1%%eth0");
		else if (!senders_add_name(senders, &address, sender->name))
			mc_check_warn(ctx, text,
				      "has another <Sender> or is "
				      "there twice: the first one "
				      "counts");
		else if (mc_check_host(ctx) && is_away(&address))
			mc_check_warn(ctx, text,
				      "names an interface that is not there "
				      "now");
	}
}

static void snmptrap_check(struct mc_ctx *ctx)
{
	const struct snmptrap *self = ctx->self;
	const struct usm_user *users = self->users.items;
	const struct rules_block *traps = self->rule_blocks.items;
	const struct sender_block *names = self->names.items;
	struct senders senders = { .limit = 0 };

	mc_check_listen(ctx, &self->host, &self->port, SOCK_DGRAM);
	if (self->communities.len == 0 && self->users.len == 0)
		mc_check_error(ctx, &self->port,
			       "takes nothing: there is no Community and no "
			       "User");
	for (size_t i = 0; i < self->users.len; i++)
		check_user(ctx, &users[i]);
	check_names(ctx, users, self->users.len);
	for (size_t i = 0; i < self->rule_blocks.len; i++)
		check_trap(ctx, &traps[i]);
	for (size_t i = 0; i < self->names.len; i++)
		check_sender(ctx, &names[i], &senders);
	senders_done(&senders);
}

static void add_names(struct snmptrap *self)
{
	const struct sender_block *names = self->names.items;
	struct senders_address address;

	for (size_t i = 0; i < self->names.len; i++)
		for (size_t j = 0; j < names[i].addresses.len; j++)
			if (senders_read_address(names[i].addresses.items[j], &address))
				senders_add_name(&self->senders, &address, names[i].name);
}

static int snmptrap_start(struct mc_ctx *ctx)
{
	struct snmptrap *self = ctx->self;

	self->refusals.reasons = refused_reasons;
	self->refusals.len = REFUSED_REASONS;
	rules_init(&self->rules, self->rule_blocks.items, self->rule_blocks.len);
	mc_snmp_library_silence();
	senders_init(&self->senders, self->sender_limit);
	add_names(self);
	mc_notice_limit_init(&self->notices, self->notice_limit);
	self->plain = mc_alloc(MC_SNMP_MESSAGE_SIZE);
	self->answer = mc_alloc(MC_SNMP_MESSAGE_SIZE);
	if (!usm_init(&self->usm, self->users.items, self->users.len, ctx->host))
		return mc_fail(ctx, 0, "net-snmp cannot make the keys of a user");
	if (self->users.len > 0)
		replays_start(&self->usm.replays, ctx);
	return mc_datagram_sockets_open(ctx, &self->sockets, self->host, self->port,
					(int)self->receive_buffer);
}

/* --- What comes ----------------------------------------------------------- */

struct received {
	int fd;
	struct mc_datagram datagram;
	struct mc_snmp_message message;
};

static void refuse(struct snmptrap *self, struct mc_ctx *ctx, const struct received *received,
		   enum refused_reason reason)
{
	char engine[REPLAYS_TEXT_SIZE], what[REPLAYS_TEXT_SIZE + 32];

	snprintf(what, sizeof(what), "a message");
	if (reason == (enum refused_reason)USM_BOOTS) {
		replays_text(&received->message.engine, engine);
		snprintf(what, sizeof(what), "a message of engine %s", engine);
	}
	mc_refuse(&self->refusals, ctx, reason,
		  &(struct mc_refused){ .what = what, .sender = received->datagram.sender });
}

/* If the kernel has no room for it, the sender asks again. */
static void answer_with(const struct received *received, const uint8_t *bytes, size_t size)
{
	const struct sockaddr_storage *sender = received->datagram.sender;

	(void)!sendto(received->fd, bytes, size, MSG_DONTWAIT, (const struct sockaddr *)sender,
		      mc_address_size(sender));
}

/* An inform is answered with itself, as a response. */
static void answer_inform(struct snmptrap *self, struct received *received)
{
	struct mc_snmp_message *message = &received->message;
	const uint8_t *start = received->datagram.bytes;
	size_t size = received->datagram.size;

	message->pdu.at[0] = MC_SNMP_RESPONSE;
	if (message->version == MC_SNMP_V3) {
		start = usm_answer(&self->usm, message, self->answer, MC_SNMP_MESSAGE_SIZE);
		if (start == NULL)
			return;
		size = (size_t)(self->answer + MC_SNMP_MESSAGE_SIZE - start);
	}
	answer_with(received, start, size);
}

/* Of versions 1 and 2c: whether the community is one of ours.  All are
 * compared, and all of each: the time says nothing. */
static bool is_community(const struct snmptrap *self, const struct mc_ber *community)
{
	bool found = false;

	for (size_t i = 0; i < self->communities.len; i++) {
		const char *known = self->communities.items[i];
		unsigned difference = strlen(known) != community->size;

		for (size_t j = 0; known[j] != '\0' && j < community->size; j++)
			difference |= (uint8_t)known[j] ^ community->at[j];
		found |= difference == 0;
	}
	return found;
}

/* Whether the message is of somebody we listen to. */
static bool is_accepted(struct snmptrap *self, struct mc_ctx *ctx, struct received *received)
{
	const struct mc_datagram *datagram = &received->datagram;
	struct mc_snmp_message *message = &received->message;
	enum usm_result result;
	const uint8_t *report;

	if (message->version != MC_SNMP_V3) {
		if (is_community(self, &message->community))
			return true;
		refuse(self, ctx, received, REFUSED_COMMUNITY);
		return false;
	}
	result = usm_open(&self->usm, message, datagram->bytes, datagram->size, self->plain);
	if (result == USM_GOOD)
		return true;
	/* A request for our engine names none yet: that is how each sender begins. */
	if (result != USM_ENGINE || message->engine.size > 0)
		refuse(self, ctx, received, (enum refused_reason)result);
	report = usm_report(&self->usm, message, result, self->answer, MC_SNMP_MESSAGE_SIZE);
	if (report != NULL)
		answer_with(received, report,
			    (size_t)(self->answer + MC_SNMP_MESSAGE_SIZE - report));
	/* Its answer was lost, and it is sent again. */
	if (result == USM_BEFORE && message->pdu.at[0] == MC_SNMP_INFORM)
		answer_inform(self, received);
	return false;
}

/* --- Notifications -------------------------------------------------------- */

/* The sender: an address can be forged, but not a signature. */
static struct mc_notice_sender sender_of(const struct received *received, bool has_name)
{
	const struct mc_snmp_message *message = &received->message;
	struct mc_notice_sender sender = { mc_sender_limit_key(received->datagram.sender, NULL),
					   has_name };

	if (message->version == MC_SNMP_V3 && (message->flags & MC_SNMP_AUTH) != 0) {
		sender.key = mc_hash_bytes(sender.key, message->user.at, message->user.size);
		sender.is_known = true;
	}
	return sender;
}

/* False: a storm goes on, and it is one of those that are only counted. */
static bool tell(struct snmptrap *self, struct mc_ctx *ctx, const struct received *received,
		 const struct trap *trap)
{
	char text[SENDERS_TEXT_SIZE];
	const char *host = senders_name(&self->senders, received->datagram.sender, text);
	struct mc_notification notification;

	if (!notice_make(&self->notice, trap, rules_find(&self->rules, &trap->id), host,
			 &notification))
		return true;
	if (!mc_notice_limit_takes(&self->notices, sender_of(received, host != text), &notification,
				   mc_now()))
		return false;
	mc_notify(ctx, &notification);
	return true;
}

/* An inform is answered when its notification has been sent. */
static void take_trap(struct snmptrap *self, struct mc_ctx *ctx, struct received *received)
{
	bool is_inform = received->message.pdu.at[0] == MC_SNMP_INFORM;
	struct trap trap;

	if (!trap_read(&trap, &received->message.pdu)) {
		refuse(self, ctx, received, REFUSED_PDU);
	} else if (!tell(self, ctx, received, &trap)) {
		refuse(self, ctx, received, REFUSED_STORM);
	} else {
		atomic_fetch_add(is_inform ? &self->informs : &self->traps, 1);
		if (is_inform)
			answer_inform(self, received);
	}
	trap_done(&trap);
}

static void take_datagram(struct snmptrap *self, struct mc_ctx *ctx, struct received *received)
{
	const struct mc_datagram *datagram = &received->datagram;

	if (!senders_may_send(&self->senders, datagram->sender, mc_now()))
		refuse(self, ctx, received, REFUSED_SENDER);
	else if (datagram->cut)
		refuse(self, ctx, received, REFUSED_CUT);
	else if (!mc_snmp_message_read(datagram->bytes, datagram->size, &received->message))
		refuse(self, ctx, received, REFUSED_MESSAGE);
	else if (is_accepted(self, ctx, received))
		take_trap(self, ctx, received);
}

static void take_all(void *argument, int fd, const struct mc_datagrams *datagrams, int len)
{
	struct mc_ctx *ctx = argument;

	for (int i = 0; i < len; i++) {
		struct received received = {
			.fd = fd,
			.datagram = mc_datagrams_get(datagrams, i),
		};

		take_datagram(ctx->self, ctx, &received);
	}
}

static void take_drops(void *argument, uint64_t number)
{
	struct mc_ctx *ctx = argument;
	struct snmptrap *self = ctx->self;

	mc_refuse_dropped(&self->refusals, ctx, REFUSED_OVERFLOW, number);
}

static int snmptrap_run(struct mc_ctx *ctx)
{
	struct snmptrap *self = ctx->self;
	const struct mc_datagram_calls calls = { ctx, take_all, take_drops };

	return mc_datagram_sockets_run(ctx, &self->sockets, &calls);
}

static void put_total(struct mc_batch *batch, const char *what, uint64_t total)
{
	mc_put_derive(batch, (int64_t)total, .type = "total_values", .type_instance = what);
}

static int snmptrap_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct snmptrap *self = ctx->self;

	mc_notice_limit_sum_up(&self->notices, ctx, mc_now());
	if (!self->report_stats)
		return 0;
	mc_datagram_sockets_report(&self->sockets, out);
	put_total(out, "traps", self->traps);
	put_total(out, "informs", self->informs);
	mc_refusals_report(&self->refusals, out);
	return 0;
}

static void snmptrap_stop(struct mc_ctx *ctx)
{
	struct snmptrap *self = ctx->self;

	mc_datagram_sockets_close(&self->sockets);
	usm_done(&self->usm);
	rules_done(&self->rules);
	notice_done(&self->notice);
	senders_done(&self->senders);
	mc_notice_limit_done(&self->notices);
	free(self->plain);
	free(self->answer);
	self->plain = self->answer = NULL;
}

MC_PLUGIN(snmptrap) = {
	MC_NAMED(snmptrap),
	.help = "Takes traps and informs of SNMP devices, and makes "
		"notifications of them.",
	.self_size = sizeof(struct snmptrap),
	.options = snmptrap_options,
	.types = (const char *const[]){ "errors", "if_octets", "if_packets", "total_values", NULL },
	.check = snmptrap_check,
	.start = snmptrap_start,
	.read = snmptrap_read,
	.run = snmptrap_run,
	.stop = snmptrap_stop,
};
