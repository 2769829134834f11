/* SPDX-License-Identifier: MIT */
#include "xml.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

static bool starts(const struct xml *xml, const char *text)
{
	size_t size = strlen(text);

	return (size_t)(xml->end - xml->at) >= size && memcmp(xml->at, text, size) == 0;
}

/* Past the next 'text'; false: it does not come. */
static bool skip_past(struct xml *xml, const char *text)
{
	size_t size = strlen(text);
	const char *found = memmem(xml->at, (size_t)(xml->end - xml->at), text, size);

	if (found == NULL)
		return false;
	xml->at = found + size;
	return true;
}

static bool is_name_end(char c)
{
	return is_blank(c) || c == '/' || c == '>' || c == '=' || c == '<' || c == '"' || c == '\'';
}

static struct xml_text take_name(const char **at, const char *end)
{
	struct xml_text name = { *at, 0 };

	while (*at < end && !is_name_end(**at))
		++*at;
	name.size = (size_t)(*at - name.at);
	return name;
}

bool xml_is(struct xml_text text, const char *other)
{
	return strlen(other) == text.size && memcmp(text.at, other, text.size) == 0;
}

/* --- Elements ------------------------------------------------------------------ */

static enum xml_item close_element(struct xml *xml)
{
	xml->name = xml->open[--xml->depth];
	return XML_CLOSE;
}

static enum xml_item take_close(struct xml *xml)
{
	const char *at = xml->at + 2;
	struct xml_text name = take_name(&at, xml->end);
	struct xml_text open;

	at = skip_blanks(at, xml->end);
	if (xml->depth == 0 || at == xml->end || *at != '>')
		return XML_WRONG;
	open = xml->open[xml->depth - 1];
	if (open.size != name.size || memcmp(open.at, name.at, name.size) != 0)
		return XML_WRONG;
	xml->at = at + 1;
	return close_element(xml);
}

/* The '>' that ends a tag; NULL without one. */
static const char *end_of_tag(const char *at, const char *end)
{
	char quote = '\0';

	for (; at < end; at++) {
		if (quote != '\0') {
			if (*at == quote)
				quote = '\0';
		} else if (*at == '"' || *at == '\'') {
			quote = *at;
		} else if (*at == '<') {
			return NULL;
		} else if (*at == '>') {
			return at;
		}
	}
	return NULL;
}

static enum xml_item take_open(struct xml *xml)
{
	const char *at = xml->at + 1, *end = end_of_tag(at, xml->end);

	if (end == NULL || xml->depth == XML_DEPTH_MAX)
		return XML_WRONG;
	xml->name = take_name(&at, end);
	if (xml->name.size == 0)
		return XML_WRONG;
	xml->empty = end > at && end[-1] == '/';
	xml->attributes = (struct xml_text){ at, (size_t)(end - at) - xml->empty };
	xml->open[xml->depth++] = xml->name;
	xml->at = end + 1;
	return XML_OPEN;
}

static bool skip_comment(struct xml *xml)
{
	if (starts(xml, "<!--"))
		return skip_past(xml, "-->");
	return starts(xml, "<?") && skip_past(xml, "?>");
}

static bool is_only_blank(struct xml_text text)
{
	return skip_blanks(text.at, text.at + text.size) == text.at + text.size;
}

void xml_open(struct xml *xml, const char *text, size_t size)
{
	*xml = (struct xml){ .at = text, .end = text + size };
}

enum xml_item xml_next(struct xml *xml)
{
	if (xml->empty) {
		xml->empty = false;
		return close_element(xml);
	}
	while (xml->at < xml->end) {
		if (*xml->at != '<') {
			const char *end = memchr(xml->at, '<', (size_t)(xml->end - xml->at));

			end = end != NULL ? end : xml->end;
			xml->text = (struct xml_text){ xml->at, (size_t)(end - xml->at) };
			xml->at = end;
			if (is_only_blank(xml->text))
				continue;
			return xml->depth > 0 ? XML_TEXT : XML_WRONG;
		}
		if (starts(xml, "</"))
			return take_close(xml);
		if (starts(xml, "<!") || starts(xml, "<?")) {
			if (!skip_comment(xml))
				return XML_WRONG;
			continue;
		}
		if (xml->depth == 0 && xml->name.at != NULL)
			return XML_WRONG; /* A second one. */
		return take_open(xml);
	}
	return xml->depth == 0 && xml->name.at != NULL ? XML_END : XML_WRONG;
}

/* --- Texts --------------------------------------------------------------------- */

/* The character of an entity at 'at', and its size; '&' itself for any other. */
static char character_at(const char *at, size_t left, size_t *size)
{
	static const struct {
		const char *entity;
		char c;
	} entities[] = { { "&amp;", '&' },
			 { "&lt;", '<' },
			 { "&gt;", '>' },
			 { "&quot;", '"' },
			 { "&apos;", '\'' } };

	*size = 1;
	for (size_t i = 0; *at == '&' && i < sizeof(entities) / sizeof(*entities); i++) {
		size_t len = strlen(entities[i].entity);

		if (left >= len && memcmp(at, entities[i].entity, len) == 0) {
			*size = len;
			return entities[i].c;
		}
	}
	return *at;
}

void xml_copy(struct xml_text text, char *out, size_t size)
{
	size_t len = 0, step;

	for (size_t i = 0; i < text.size && len + 1 < size; i += step)
		out[len++] = character_at(text.at + i, text.size - i, &step);
	out[len] = '\0';
}

void xml_attribute(const struct xml *xml, const char *name, char *out, size_t size)
{
	const char *at = xml->attributes.at, *end = at + xml->attributes.size;

	out[0] = '\0';
	while ((at = skip_blanks(at, end)) < end) {
		struct xml_text found = take_name(&at, end);
		const char *value, *close;

		at = skip_blanks(at, end);
		if (at == end || *at != '=')
			return;
		value = skip_blanks(at + 1, end);
		if (value == end || (*value != '"' && *value != '\''))
			return;
		close = memchr(value + 1, *value, (size_t)(end - value - 1));
		if (close == NULL)
			return;
		if (xml_is(found, name)) {
			xml_copy((struct xml_text){ value + 1, (size_t)(close - value - 1) }, out,
				 size);
			return;
		}
		at = close + 1;
	}
}
