/* SPDX-License-Identifier: MIT */
#include "formats/rrd/pnp_xml.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *text;
	char character;
} entities[] = {
	{ "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' }, { "&apos;", '\'' },
};

const char *mc_pnp_xml_element(const char **at, const char *end, const char *name, size_t *size)
{
	char open[32], close[32];
	const char *from, *to;

	snprintf(open, sizeof(open), "<%s>", name);
	snprintf(close, sizeof(close), "</%s>", name);
	from = memmem(*at, (size_t)(end - *at), open, strlen(open));
	if (from == NULL)
		return NULL;
	from += strlen(open);
	to = memmem(from, (size_t)(end - from), close, strlen(close));
	if (to == NULL)
		return NULL;
	*size = (size_t)(to - from);
	*at = to + strlen(close);
	return from;
}

/* One character; moves '*at' past it. */
static char take(const char **at, const char *end)
{
	for (size_t i = 0; i < sizeof(entities) / sizeof(*entities); i++) {
		size_t size = strlen(entities[i].text);

		if ((size_t)(end - *at) >= size && memcmp(*at, entities[i].text, size) == 0) {
			*at += size;
			return entities[i].character;
		}
	}
	return *(*at)++;
}

/* The text of an element, or "". */
static void copy_text(const char *from, const char *end, const char *name, char *out, size_t room)
{
	size_t size, used = 0;
	const char *text = mc_pnp_xml_element(&from, end, name, &size);

	if (text != NULL)
		for (const char *at = text; at < text + size && used + 1 < room;)
			out[used++] = take(&at, text + size);
	out[used] = '\0';
}

void mc_pnp_xml_read(const char *xml, struct mc_pnp_xml *out)
{
	const char *end = xml + strlen(xml);
	char kind[32];

	copy_text(xml, end, "NAGIOS_DISP_HOSTNAME", out->host, sizeof(out->host));
	copy_text(xml, end, "NAGIOS_DISP_SERVICEDESC", out->service, sizeof(out->service));
	copy_text(xml, end, "NAGIOS_DATATYPE", kind, sizeof(kind));
	if (strcmp(kind, "HOSTPERFDATA") == 0) /* Its service has a text for people. */
		snprintf(out->service, sizeof(out->service), "_HOST_");
}

bool mc_pnp_xml_next(const char **at, struct mc_pnp_xml_source *source)
{
	const char *end = *at + strlen(*at), *inside;
	size_t size;

	inside = mc_pnp_xml_element(at, end, "DATASOURCE", &size);
	if (inside == NULL)
		return false;
	copy_text(inside, inside + size, "LABEL", source->label, sizeof(source->label));
	if (source->label[0] == '\0')
		copy_text(inside, inside + size, "NAME", source->label, sizeof(source->label));
	copy_text(inside, inside + size, "UNIT", source->unit, sizeof(source->unit));
	if (strcmp(source->unit, "%%") == 0) /* As a format of rrdtool. */
		source->unit[1] = '\0';
	return true;
}
