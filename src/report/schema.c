/* SPDX-License-Identifier: MIT */
/* schema: the JSON Schema of what --json writes, an object a line. */
#include "report/schema.h"

#include <string.h>

#include "report/jsonw.h"
#include "report/schema_rows.h"

static const struct {
	const char *type, *what, *fields;
} objects[] = {
#define X(type, what, fields) { type, what, fields },
	SCHEMA_OBJECTS(X)
#undef X
};

static void put_ref(struct jsonw *w, const char *name)
{
	char ref[64];

	snprintf(ref, sizeof(ref), "#/$defs/%s", name);
	jsonw_open(w);
	jsonw_key_string(w, "$ref", ref);
	jsonw_close(w);
}

static const char *word_of(char kind)
{
	switch (kind) {
	case 'u':
	case 'i':
		return "integer";
	case 's':
		return "string";
	case 'b':
		return "boolean";
	case 'l':
		return "array";
	default:
		return "object";
	}
}

static void put_type(struct jsonw *w, char kind, bool nullable)
{
	jsonw_key(w, "type");
	if (!nullable) {
		jsonw_string(w, word_of(kind));
		return;
	}
	jsonw_open_list(w);
	jsonw_string(w, word_of(kind));
	jsonw_string(w, "null");
	jsonw_close_list(w);
}

static void put_null(struct jsonw *w)
{
	jsonw_open(w);
	jsonw_key_string(w, "type", "null");
	jsonw_close(w);
}

static void put_reference(struct jsonw *w, const char *name, bool nullable)
{
	if (!nullable) {
		put_ref(w, name);
		return;
	}
	jsonw_open(w);
	jsonw_key(w, "anyOf");
	jsonw_open_list(w);
	put_ref(w, name);
	put_null(w);
	jsonw_close_list(w);
	jsonw_close(w);
}

static void put_kind(struct jsonw *w, char kind, bool nullable)
{
	if (kind == 'S' || kind == 'P') {
		put_reference(w, kind == 'S' ? "$stack" : "$place", nullable);
		return;
	}
	jsonw_open(w);
	put_type(w, kind, nullable);
	if (kind == 'u')
		jsonw_key_uint(w, "minimum", 0);
	if (kind == 'm') {
		jsonw_key(w, "additionalProperties");
		put_kind(w, 'u', false);
	}
	jsonw_close(w);
}

/* "name:kind?~": its length; what is behind the colon goes to the others. */
static size_t take_field(const char *s, char *name, size_t size,
			 const char **kind)
{
	size_t len = strcspn(s, " "), colon = strcspn(s, ":");

	if (colon >= size)
		colon = size - 1;
	memcpy(name, s, colon);
	name[colon] = '\0';
	*kind = s + colon + 1;
	return len;
}

static bool has_mark(const char *kind, char mark)
{
	const char *at = strchr(kind, mark);

	return at && at < kind + strcspn(kind, " ");
}

static void put_properties(struct jsonw *w, const char *fields)
{
	const char *kind;
	char name[32];

	for (const char *s = fields; *s; s += strspn(s, " ")) {
		s += take_field(s, name, sizeof(name), &kind);
		jsonw_key(w, name);
		put_kind(w, *kind, has_mark(kind, '?'));
	}
}

static void put_required(struct jsonw *w, const char *fields)
{
	const char *kind;
	char name[32];

	for (const char *s = fields; *s; s += strspn(s, " ")) {
		s += take_field(s, name, sizeof(name), &kind);
		if (!has_mark(kind, '~'))
			jsonw_string(w, name);
	}
}

/* `type`: what its member of that name says; NULL: it has none. */
static void put_object(struct jsonw *w, const char *type, const char *what,
		       const char *fields)
{
	jsonw_open(w);
	jsonw_key_string(w, "description", what);
	jsonw_key_string(w, "type", "object");
	jsonw_key(w, "properties");
	jsonw_open(w);
	if (type) {
		jsonw_key(w, "type");
		jsonw_open(w);
		jsonw_key_string(w, "const", type);
		jsonw_close(w);
	}
	put_properties(w, fields);
	jsonw_close(w);
	jsonw_key(w, "required");
	jsonw_open_list(w);
	if (type)
		jsonw_string(w, "type");
	put_required(w, fields);
	jsonw_close_list(w);
	jsonw_close(w);
}

static void put_definitions(struct jsonw *w)
{
	jsonw_key(w, "$place");
	put_object(w, NULL, "A line of a function; null: unknown, or none.",
		   "func:s? file:s? line:i? def:i?");
	jsonw_key(w, "$frame");
	put_object(w, NULL, "A frame; lasti is its bytecode offset.",
		   "func:s? file:s? line:i? lasti:i? def:i? why:s~");
	jsonw_key(w, "$stack");
	jsonw_open(w);
	jsonw_key_string(w, "description", "Frames, innermost first; []: a "
			 "thread without Python frames.");
	jsonw_key_string(w, "type", "array");
	jsonw_key(w, "items");
	put_ref(w, "$frame");
	jsonw_close(w);
	for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
		jsonw_key(w, objects[i].type);
		put_object(w, objects[i].type, objects[i].what,
			   objects[i].fields);
	}
}

int schema_put(FILE *out, struct err *err)
{
	struct jsonw w;
	int rc = jsonw_init(&w, err);

	if (rc)
		return rc;
	jsonw_open(&w);
	jsonw_key_string(&w, "$schema",
			 "https://json-schema.org/draft/2020-12/schema");
	jsonw_key_string(&w, "title", "pytrace --json: an object a line");
	jsonw_key_string(&w, "description", "Times are nanoseconds.  What is "
			 "unknown is null.  Members may be added.");
	jsonw_key(&w, "oneOf");
	jsonw_open_list(&w);
	for (size_t i = 0; i < ARRAY_LEN(objects); i++)
		put_ref(&w, objects[i].type);
	jsonw_close_list(&w);
	jsonw_key(&w, "$defs");
	jsonw_open(&w);
	put_definitions(&w);
	jsonw_close(&w);
	jsonw_close(&w);
	rc = jsonw_line(&w, out, err);
	jsonw_fini(&w);
	return rc;
}
