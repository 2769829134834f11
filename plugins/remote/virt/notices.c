/* SPDX-License-Identifier: MIT */
/* notices: what happened to a guest.  States, reasons and events are those of
 * libvirt/libvirt-domain.h. */
#include "notices.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "virt.h"

#define MESSAGE_SIZE 1024
#define REASONS_MAX 16

#define PASSED                                                                 \
	"Disk '%.64s' was written beyond its threshold: disk=%.64s "           \
	"threshold=%llu excess=%llu path=\"%.500s\""

struct about { /* Copies: the table may change. */
	char host[NAMES_SIZE], instance[NAMES_SIZE];
	char uuid[VIR_UUID_STRING_BUFLEN];
};

static bool find_about(struct mc_ctx *ctx, virDomainPtr domain,
		       struct about *about)
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
	if (guest != NULL) {
		memcpy(about->host, guest->host, sizeof(about->host));
		memcpy(about->instance, guest->instance,
		       sizeof(about->instance));
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
		   enum mc_severity severity, const char *type,
		   const char *type_instance, const char *message)
{
	struct mc_notice notice = { .severity = severity,
				    .id = { .host = host,
					    .plugin_instance = instance,
					    .type = type,
					    .type_instance = type_instance },
				    .message = message };

	mc_notify(ctx, &notice);
}

static void MC_PRINTF(5, 6)
	tell(struct mc_ctx *ctx, virDomainPtr domain, enum mc_severity severity,
	     const char *type, const char *fmt, ...)
{
	char message[MESSAGE_SIZE];
	struct about about;
	va_list args;
	int size;

	if (!find_about(ctx, domain, &about))
		return;
	va_start(args, fmt);
	size = vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	if (size >= 0 && (size_t)size < sizeof(message))
		snprintf(message + size, sizeof(message) - (size_t)size,
			 " uuid=%s", about.uuid);
	for (char *at = message; *at != '\0'; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '_';
	notify(ctx, about.host, about.instance, severity, type, NULL, message);
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
					       { "added", "updated", "renamed",
						 "from snapshot" } },
		[VIR_DOMAIN_EVENT_UNDEFINED] = { "undefined",
						 VIR_DOMAIN_NOSTATE,
						 { "removed", "renamed" } },
		[VIR_DOMAIN_EVENT_STARTED] = { "started",
					       VIR_DOMAIN_RUNNING,
					       { "booted", "migrated",
						 "restored", "from snapshot",
						 "wakeup" } },
		[VIR_DOMAIN_EVENT_SUSPENDED] = { "suspended",
						 VIR_DOMAIN_PAUSED,
						 { "paused", "migrated",
						   "i/o error", "watchdog",
						   "restored", "from snapshot",
						   "api error", "postcopy",
						   "postcopy failed" } },
		[VIR_DOMAIN_EVENT_RESUMED] = { "resumed",
					       VIR_DOMAIN_RUNNING,
					       { "unpaused", "migrated",
						 "from snapshot", "postcopy",
						 "postcopy failed" } },
		[VIR_DOMAIN_EVENT_STOPPED] = { "stopped",
					       VIR_DOMAIN_SHUTOFF,
					       { "shutdown", "destroyed",
						 "crashed", "migrated", "saved",
						 "failed", "from snapshot" } },
		[VIR_DOMAIN_EVENT_SHUTDOWN] = { "shutdown",
						VIR_DOMAIN_SHUTDOWN,
						{ "finished", "by the guest",
						  "by the host" } },
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

void notices_lifecycle(struct mc_ctx *ctx, virDomainPtr domain, int event,
		       int detail)
{
	const struct event_words *words = event_words(event);
	const char *reason = NULL;

	if (words == NULL) /* Of a newer libvirt. */
		return;
	if (detail >= 0 && detail < REASONS_MAX)
		reason = words->details[detail];
	if (reason == NULL)
		reason = "unknown";
	tell(ctx, domain, state_severity(words->state), "domain_state",
	     "Domain state: %s. Reason: %s. event=\"%s\"",
	     state_name(words->state), reason, words->name);
}

void notices_state(struct mc_ctx *ctx, const struct guest *guest)
{
	char message[MESSAGE_SIZE];

	snprintf(message, sizeof(message),
		 "Domain state: %s. Reason: %d. uuid=%s",
		 state_name(guest->state), guest->reason, guest->uuid_text);
	notify(ctx, guest->host, guest->instance, state_severity(guest->state),
	       "domain_state", NULL, message);
}

void notices_stuck(struct mc_ctx *ctx, const struct guest *guest)
{
	char message[MESSAGE_SIZE];

	if (guest->stuck)
		snprintf(message, sizeof(message),
			 "Guest does not answer: what only QEMU knows of it is "
			 "stale. responsive=0 uuid=%s",
			 guest->uuid_text);
	else
		snprintf(message, sizeof(message),
			 "Guest answers again. responsive=1 uuid=%s",
			 guest->uuid_text);
	notify(ctx, guest->host, guest->instance,
	       guest->stuck ? MC_WARNING : MC_OKAY, "virt_responsive", NULL,
	       message);
}

void notices_passed(struct mc_ctx *ctx, const struct guest *guest,
		    const char *disk, const char *path,
		    unsigned long long threshold, unsigned long long excess)
{
	char message[MESSAGE_SIZE];

	snprintf(message, sizeof(message), PASSED " uuid=%s", disk, disk,
		 threshold, excess, path, guest->uuid_text);
	notify(ctx, guest->host, guest->instance, MC_WARNING, "block_threshold",
	       NULL, message);
}

/* --- Other events --------------------------------------------------------- */

void notices_metadata(struct mc_ctx *ctx, virDomainPtr domain, int type,
		      const char *uri)
{
	static const char *const types[] = { "description", "title",
					     "element" };

	tell(ctx, domain, MC_OKAY, "metadata",
	     "Metadata changed: type=%s namespace=\"%s\"",
	     type >= 0 && type < 3 ? types[type] : "unknown",
	     uri != NULL ? uri : "");
}

void notices_job(struct mc_ctx *ctx, virDomainPtr domain,
		 const virTypedParameter *params, int params_len)
{
	char text[MESSAGE_SIZE] = "";
	size_t size = 0;

	/* Only whole numbers, which is what programs look at. */
	for (int i = 0; i < params_len && size < sizeof(text); i++) {
		int written = 0;

		if (params[i].type == VIR_TYPED_PARAM_ULLONG)
			written = snprintf(text + size, sizeof(text) - size,
					   " %.80s=%llu", params[i].field,
					   params[i].value.ul);
		else if (params[i].type == VIR_TYPED_PARAM_INT)
			written = snprintf(text + size, sizeof(text) - size,
					   " %.80s=%d", params[i].field,
					   params[i].value.i);
		size += (size_t)(written > 0 ? written : 0);
	}
	tell(ctx, domain, MC_OKAY, "job_stats", "Job completed:%.800s", text);
}

void notices_threshold(struct mc_ctx *ctx, virDomainPtr domain,
		       const char *disk, const char *path,
		       unsigned long long threshold, unsigned long long excess)
{
	tell(ctx, domain, MC_WARNING, "block_threshold", PASSED, disk, disk,
	     threshold, excess, path != NULL ? path : "");
}

void notices_io_error(struct mc_ctx *ctx, virDomainPtr domain, const char *path,
		      const char *alias, const char *reason)
{
	tell(ctx, domain, MC_FAILURE, "disk_error",
	     "I/O error: alias=\"%.80s\" reason=\"%.80s\" path=\"%.500s\"",
	     alias != NULL ? alias : "", reason != NULL ? reason : "",
	     path != NULL ? path : "");
}

void notices_watchdog(struct mc_ctx *ctx, virDomainPtr domain, int action)
{
	static const char *const actions[] = { "none",      "pause",    "reset",
					       "poweroff",  "shutdown", "debug",
					       "inject-nmi" };

	tell(ctx, domain, MC_FAILURE, "watchdog",
	     "The watchdog of the guest fired: action=%s",
	     action >= 0 && action < 7 ? actions[action] : "unknown");
}
