/* SPDX-License-Identifier: MIT */
/* notifications: what happened to a guest.  States, reasons and events are
 * those of libvirt/libvirt-domain.h. */
#include "notifications.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <collector/private/alerts.h>

#include "fields.h"
#include "virt.h"

#define MESSAGE_SIZE 1024
#define SENTENCE_SIZE 256
#define REASONS_MAX 16

struct headline {
	enum mc_severity severity;
	const char *type, *sentence;
};
#define HEADLINE(...) ((struct headline){ __VA_ARGS__ })

struct about { /* Copies: the table may change. */
	char host[NAMES_SIZE], instance[NAMES_SIZE];
	char uuid[VIR_UUID_STRING_BUFLEN];
};

static bool find_about(struct mc_ctx *ctx, virDomainPtr domain, struct about *about)
{
	struct virt *self = ctx->self;
	unsigned char uuid[VIR_UUID_BUFLEN];
	const char *name = virDomainGetName(domain);
	const struct guest *guest;

	if (name == NULL || virDomainGetUUID(domain, uuid) < 0 ||
	    virDomainGetUUIDString(domain, about->uuid) < 0 ||
	    !mc_selected(self->domains, self->ignore, name))
		return false;
	pthread_mutex_lock(&self->lock);
	guest = guests_find(&self->guests, uuid);
	/* A read that has just met it may not have named it yet. */
	if (guest != NULL && guest->name[0] == '\0')
		guest = NULL;
	if (guest != NULL) {
		snprintf(about->host, sizeof(about->host), "%s", guest->host);
		snprintf(about->instance, sizeof(about->instance), "%s", guest->instance);
	}
	pthread_mutex_unlock(&self->lock);
	if (guest == NULL) { /* It has just come. */
		struct names_guest parts = { .hostname = self->hostname,
					     .name = name,
					     .uuid = about->uuid };

		names_join(&self->host_format, &parts, about->host);
		names_join(&self->instance_format, &parts, about->instance);
	}
	return true;
}

static void notify(struct mc_ctx *ctx, const char *host, const char *instance,
		   struct headline headline, const struct fields *fields)
{
	char message[MESSAGE_SIZE];
	struct mc_notification notification = { .severity = headline.severity,
						.id = { .host = host,
							.plugin = "virt",
							.plugin_instance = instance,
							.type = headline.type },
						.message = message,
						.fields = fields->items,
						.fields_len = fields->len };

	fields_message(fields, headline.sentence, message, sizeof(message));
	mc_notify(ctx, &notification);
}

/* Notifies of an event; adds "uuid" to the fields. */
static void tell(struct mc_ctx *ctx, virDomainPtr domain, struct headline headline,
		 struct fields *fields)
{
	struct about about;

	if (!find_about(ctx, domain, &about))
		return;
	fields_add(fields, "uuid", about.uuid);
	fields_add(fields, "hypervisor", ctx->host);
	notify(ctx, about.host, about.instance, headline, fields);
}

/* Of a guest in the table. */
static void tell_guest(struct mc_ctx *ctx, const struct guest *guest, struct headline headline,
		       struct fields *fields)
{
	fields_add(fields, "uuid", guest->uuid_text);
	notify(ctx, guest->host, guest->instance, headline, fields);
}

/* --- States --------------------------------------------------------------- */

static const char *state_name(int state)
{
	static const char *const names[] = {
		[VIR_DOMAIN_NOSTATE] = "none",
		[VIR_DOMAIN_RUNNING] = "running",
		[VIR_DOMAIN_BLOCKED] = "blocked",
		[VIR_DOMAIN_PAUSED] = "paused",
		[VIR_DOMAIN_SHUTDOWN] = "shutting down",
		[VIR_DOMAIN_SHUTOFF] = "off",
		[VIR_DOMAIN_CRASHED] = "crashed",
		[VIR_DOMAIN_PMSUSPENDED] = "suspended by the guest",
	};

	if (state < 0 || state >= (int)(sizeof(names) / sizeof(names[0])))
		return "unknown";
	return names[state];
}

static enum mc_severity state_severity(int state)
{
	switch (state) {
	case VIR_DOMAIN_CRASHED:
		return MC_FAILURE;
	case VIR_DOMAIN_BLOCKED:
	case VIR_DOMAIN_PAUSED:
	case VIR_DOMAIN_PMSUSPENDED:
		return MC_WARNING;
	default:
		return MC_OKAY;
	}
}

/* An event says why: whoever pulls the plug, or lets the disk run full, leaves
 * a guest that is off or paused, as its owner may. */
static enum mc_severity event_severity(int event, int detail, int state)
{
	static const struct {
		int event, detail;
		enum mc_severity severity;
	} worse[] = {
		{ VIR_DOMAIN_EVENT_STOPPED, VIR_DOMAIN_EVENT_STOPPED_CRASHED, MC_FAILURE },
		{ VIR_DOMAIN_EVENT_STOPPED, VIR_DOMAIN_EVENT_STOPPED_FAILED, MC_FAILURE },
		{ VIR_DOMAIN_EVENT_STOPPED, VIR_DOMAIN_EVENT_STOPPED_DESTROYED, MC_WARNING },
		{ VIR_DOMAIN_EVENT_SUSPENDED, VIR_DOMAIN_EVENT_SUSPENDED_IOERROR, MC_FAILURE },
		{ VIR_DOMAIN_EVENT_SUSPENDED, VIR_DOMAIN_EVENT_SUSPENDED_WATCHDOG, MC_FAILURE },
		{ VIR_DOMAIN_EVENT_SUSPENDED, VIR_DOMAIN_EVENT_SUSPENDED_POSTCOPY_FAILED,
		  MC_FAILURE },
	};

	for (size_t i = 0; i < sizeof(worse) / sizeof(*worse); i++)
		if (worse[i].event == event && worse[i].detail == detail)
			return worse[i].severity;
	return state_severity(state);
}

struct event_words {
	const char *name;
	int state; /* That it leads to. */
	const char *details[REASONS_MAX];
};

static const struct event_words *event_words(int event)
{
	static const struct event_words words[] = {
		[VIR_DOMAIN_EVENT_DEFINED] = { "defined",
					       VIR_DOMAIN_NOSTATE,
					       { "added", "updated", "renamed", "from snapshot" } },
		[VIR_DOMAIN_EVENT_UNDEFINED] = { "undefined",
						 VIR_DOMAIN_NOSTATE,
						 { "removed", "renamed" } },
		[VIR_DOMAIN_EVENT_STARTED] = { "started",
					       VIR_DOMAIN_RUNNING,
					       { "booted", "migrated", "restored", "from snapshot",
						 "wakeup" } },
		[VIR_DOMAIN_EVENT_SUSPENDED] = { "suspended",
						 VIR_DOMAIN_PAUSED,
						 { "paused", "migrated", "i/o error", "watchdog",
						   "restored", "from snapshot", "api error",
						   "postcopy", "postcopy failed" } },
		[VIR_DOMAIN_EVENT_RESUMED] = { "resumed",
					       VIR_DOMAIN_RUNNING,
					       { "unpaused", "migrated", "from snapshot",
						 "postcopy", "postcopy failed" } },
		[VIR_DOMAIN_EVENT_STOPPED] = { "stopped",
					       VIR_DOMAIN_SHUTOFF,
					       { "shutdown", "destroyed", "crashed", "migrated",
						 "saved", "failed", "from snapshot" } },
		[VIR_DOMAIN_EVENT_SHUTDOWN] = { "shutdown",
						VIR_DOMAIN_SHUTDOWN,
						{ "finished", "by the guest", "by the host" } },
		[VIR_DOMAIN_EVENT_PMSUSPENDED] = { "suspended by the guest",
						   VIR_DOMAIN_PMSUSPENDED,
						   { "memory", "disk" } },
		[VIR_DOMAIN_EVENT_CRASHED] = { "crashed",
					       VIR_DOMAIN_CRASHED,
					       { "panicked", "crash loaded" } },
	};

	if (event < 0 || event >= (int)(sizeof(words) / sizeof(words[0])))
		return NULL;
	return &words[event];
}

void notifications_lifecycle(struct mc_ctx *ctx, virDomainPtr domain, int event, int detail)
{
	const struct event_words *words = event_words(event);
	const char *reason = NULL;
	struct fields fields = { 0 };
	char sentence[SENTENCE_SIZE];

	if (words == NULL) /* Of a newer libvirt. */
		return;
	if (detail >= 0 && detail < REASONS_MAX)
		reason = words->details[detail];
	if (reason == NULL)
		reason = "unknown";
	snprintf(sentence, sizeof(sentence), "Domain state: %s. Reason: %s.",
		 state_name(words->state), reason);
	fields_add(&fields, "event", words->name);
	fields_add(&fields, "state", state_name(words->state));
	fields_add(&fields, "reason", reason);
	tell(ctx, domain,
	     HEADLINE(event_severity(event, detail, words->state), "domain_state", sentence),
	     &fields);
}

void notifications_end(struct mc_ctx *ctx, virDomainPtr domain, int event, int detail)
{
	bool failed = detail == VIR_DOMAIN_EVENT_STOPPED_CRASHED ||
		      detail == VIR_DOMAIN_EVENT_STOPPED_FAILED;
	struct about about;

	if ((event == VIR_DOMAIN_EVENT_STOPPED || event == VIR_DOMAIN_EVENT_STARTED) &&
	    find_about(ctx, domain, &about))
		mc_expect_end(
			ctx,
			&(struct mc_id){ .host = about.host, .plugin_instance = about.instance },
			event == VIR_DOMAIN_EVENT_STOPPED && !failed);
}

void notifications_state(struct mc_ctx *ctx, const struct guest *guest)
{
	struct fields fields = { 0 };
	char sentence[SENTENCE_SIZE];

	snprintf(sentence, sizeof(sentence), "Domain state: %s. Reason: %d.",
		 state_name(guest->state), guest->reason);
	fields_add(&fields, "state", state_name(guest->state));
	tell_guest(ctx, guest, HEADLINE(state_severity(guest->state), "domain_state", sentence),
		   &fields);
}

void notifications_stuck(struct mc_ctx *ctx, const struct guest *guest)
{
	struct fields fields = { 0 };

	fields_add(&fields, "responsive", guest->stuck ? "0" : "1");
	tell_guest(ctx, guest,
		   HEADLINE(guest->stuck ? MC_WARNING : MC_OKAY, "virt_responsive",
			    guest->stuck ? "Guest does not answer: what only QEMU knows "
					   "of it is stale."
					 : "Guest answers again."),
		   &fields);
}

/* --- Thresholds ----------------------------------------------------------- */

static void add_passed(struct fields *fields, char sentence[SENTENCE_SIZE],
		       const struct notifications_threshold *passed)
{
	snprintf(sentence, SENTENCE_SIZE,
		 "Disk '%.64s' was written beyond its threshold:", passed->disk);
	fields_add(fields, "disk", passed->disk);
	fields_add_number(fields, "threshold", passed->threshold);
	fields_add_number(fields, "excess", passed->excess);
	fields_add(fields, "path", passed->path);
}

void notifications_threshold(struct mc_ctx *ctx, virDomainPtr domain,
			     const struct notifications_threshold *passed)
{
	struct fields fields = { 0 };
	char sentence[SENTENCE_SIZE];

	add_passed(&fields, sentence, passed);
	tell(ctx, domain, HEADLINE(MC_WARNING, "block_threshold", sentence), &fields);
}

void notifications_passed(struct mc_ctx *ctx, const struct guest *guest,
			  const struct notifications_threshold *passed)
{
	struct fields fields = { 0 };
	char sentence[SENTENCE_SIZE];

	add_passed(&fields, sentence, passed);
	tell_guest(ctx, guest, HEADLINE(MC_WARNING, "block_threshold", sentence), &fields);
}

/* --- Other events --------------------------------------------------------- */

void notifications_metadata(struct mc_ctx *ctx, virDomainPtr domain, int type, const char *uri)
{
	static const char *const types[] = { "description", "title", "element" };
	struct fields fields = { 0 };

	fields_add(&fields, "metadata", type >= 0 && type < 3 ? types[type] : "unknown");
	fields_add(&fields, "namespace", uri);
	tell(ctx, domain, HEADLINE(MC_OKAY, "metadata", "Metadata changed:"), &fields);
}

void notifications_job(struct mc_ctx *ctx, virDomainPtr domain, const virTypedParameter *params,
		       int params_len)
{
	struct fields fields = { 0 };

	/* First, for it must not be what has no room. */
	fields_add(&fields, "job", "completed");
	for (int i = 0; i < params_len && fields.len + 2 < MC_FIELDS_MAX; i++) {
		const char *name = fields_name(&fields, params[i].field);

		if (params[i].type == VIR_TYPED_PARAM_ULLONG)
			fields_add_number(&fields, name, params[i].value.ul);
		else if (params[i].type == VIR_TYPED_PARAM_INT && params[i].value.i >= 0)
			fields_add_number(&fields, name, (unsigned)params[i].value.i);
		else if (params[i].type == VIR_TYPED_PARAM_STRING)
			fields_add(&fields, name, params[i].value.s);
	}
	tell(ctx, domain, HEADLINE(MC_OKAY, "job_stats", "Job completed:"), &fields);
}

void notifications_block_job(struct mc_ctx *ctx, virDomainPtr domain, const char *disk, int type,
			     int status)
{
	static const char *const types[] = { "unknown", "pull",          "copy",
					     "commit",  "active commit", "backup" };
	static const char *const states[] = { "completed", "failed", "canceled", "ready" };
	struct fields fields = { 0 };

	fields_add(&fields, "disk", disk);
	fields_add(&fields, "job", type >= 0 && type < 6 ? types[type] : "unknown");
	fields_add(&fields, "status", status >= 0 && status < 4 ? states[status] : "unknown");
	tell(ctx, domain,
	     HEADLINE(status == VIR_DOMAIN_BLOCK_JOB_FAILED ? MC_WARNING : MC_OKAY, "block_job",
		      "Block job:"),
	     &fields);
}

void notifications_io_error(struct mc_ctx *ctx, virDomainPtr domain, const char *path,
			    const char *alias, const char *reason)
{
	struct fields fields = { 0 };

	fields_add(&fields, "alias", alias);
	fields_add(&fields, "reason", reason);
	fields_add(&fields, "path", path);
	tell(ctx, domain, HEADLINE(MC_FAILURE, "disk_error", "I/O error:"), &fields);
}

void notifications_watchdog(struct mc_ctx *ctx, virDomainPtr domain, int action)
{
	static const char *const actions[] = { "none",     "pause", "reset",     "poweroff",
					       "shutdown", "debug", "inject-nmi" };
	struct fields fields = { 0 };

	fields_add(&fields, "action", action >= 0 && action < 7 ? actions[action] : "unknown");
	tell(ctx, domain, HEADLINE(MC_FAILURE, "watchdog", "The watchdog of the guest fired:"),
	     &fields);
}
