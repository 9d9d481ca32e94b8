/*
 * Extended JSON and the mongo shell's notation to BSON: recursive descent over the text, straight
 * into the document that is built. What may turn out to be a wrapper of a type (an object whose
 * first key begins with '$') and the arguments of a call are built aside first; ejson_types.c then
 * says what they stand for. Nothing is read twice, so the time is linear in the input for any
 * nesting that the depth allows.
 */
#include "hotset/parse.h"

#include <math.h>

#include "ejson_types.h"
#include "hotset/strbuf.h"
#include "hotset/text.h"

#define INPUT_MAX ((size_t)64 << 20) /* bytes; dumps of serverStatus are far below */
#define DEPTH_MAX 100u               /* the server's own limit, and that of libbson's checks */
#define WORD_MAX  64u                /* bytes of true, NumberLong, Binary.createFromBase64, ... */

struct parser {
	const char *start, *p, *end;
	unsigned depth;
	struct strbuf text; /* the string read last */
	struct err *err;
};

static bool parse_value(struct parser *ps, bson_t *to, struct ejson_key key);

/* ---- errors, with the place ---- */

static bool fail(struct parser *ps, const char *what)
{
	unsigned line = 1;
	const char *bol = ps->start;
	char found[8];

	for (const char *p = ps->start; p < ps->p; p++) {
		if (*p == '\n') {
			line++;
			bol = p + 1;
		}
	}
	if (ps->p >= ps->end)
		snprintf(found, sizeof(found), "the end");
	else if (*ps->p > ' ' && *ps->p < 0x7f)
		snprintf(found, sizeof(found), "'%c'", *ps->p);
	else
		snprintf(found, sizeof(found), "0x%02x", (unsigned char)*ps->p);
	return err_set(ps->err, ERR_FORMAT, "line %u, column %u: %s at %s", line,
		(unsigned)(ps->p - bol) + 1, what, found);
}

/* ---- blanks and comments ---- */

static bool is_in(char c, const char *set)
{
	return c && strchr(set, c);
}

static void skip_comment(struct parser *ps)
{
	const char *end;

	if (ps->p[1] == '/') {
		end = memchr(ps->p, '\n', (size_t)(ps->end - ps->p));
	} else {
		end = memmem(ps->p + 2, (size_t)(ps->end - ps->p - 2), "*/", 2);
		if (end)
			end += 2;
	}
	ps->p = end ? end : ps->end;
}

static void skip_blanks(struct parser *ps)
{
	while (ps->p < ps->end) {
		if (is_in(*ps->p, " \t\r\n\v\f"))
			ps->p++;
		else if (*ps->p == '/' && ps->end - ps->p >= 2 &&
			 (ps->p[1] == '/' || ps->p[1] == '*'))
			skip_comment(ps);
		else
			break;
	}
}

/* The next character that is neither blank nor comment; 0 at the end. */
static char peek(struct parser *ps)
{
	skip_blanks(ps);
	return ps->p < ps->end ? *ps->p : '\0';
}

static bool accept(struct parser *ps, char c)
{
	if (peek(ps) != c)
		return false;
	ps->p++;
	return true;
}

/* ---- strings ---- */

/* BSON is UTF-8; each byte that is none becomes U+FFFD. */
static void make_utf8(struct strbuf *b)
{
	struct strbuf clean;
	char32_t ch;
	char utf8[4];
	size_t n;

	if (b->full || bson_utf8_validate(b->data, b->len, true))
		return;
	strbuf_init(&clean, b->max);
	for (size_t i = 0; i < b->len; i += n) {
		n = text_decode(b->data + i, b->len - i, &ch);
		strbuf_add(&clean, utf8, text_encode(utf8, ch));
	}
	strbuf_finish(b);
	*b = clean;
}

static bool hex(struct parser *ps, unsigned digits, char32_t *out)
{
	char32_t v = 0;

	for (; digits; digits--, ps->p++) {
		char c = ps->p < ps->end ? *ps->p : '\0';

		if (c >= '0' && c <= '9')
			v = v * 16 + (char32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			v = v * 16 + (char32_t)((c | 0x20) - 'a' + 10);
		else
			return fail(ps, "expected a hexadecimal digit");
	}
	*out = v;
	return true;
}

static bool is_high(char32_t c)
{
	return c >= 0xd800 && c < 0xdc00;
}

static bool is_low(char32_t c)
{
	return c >= 0xdc00 && c < 0xe000;
}

/* The four digits of \u; a pair of surrogates is one character, half a pair is U+FFFD. */
static bool unicode_escape(struct parser *ps, char32_t *out)
{
	char32_t second = 0;

	if (!hex(ps, 4, out))
		return false;
	if (is_high(*out) && ps->end - ps->p >= 6 && ps->p[0] == '\\' && ps->p[1] == 'u') {
		const char *back = ps->p;

		ps->p += 2;
		if (!hex(ps, 4, &second))
			return false;
		if (is_low(second))
			*out = 0x10000 + ((*out - 0xd800) << 10) + (second - 0xdc00);
		else
			ps->p = back;
	}
	if (is_high(*out) || is_low(*out))
		*out = 0xfffd;
	return true;
}

/* After the backslash. An unknown escape is the character itself, as in the shell. */
static bool parse_escape(struct parser *ps)
{
	static const char from[] = "bfnrtv0", to[] = "\b\f\n\r\t\v";
	char32_t code = 0;
	char utf8[4];
	const char *known;

	if (ps->p >= ps->end)
		return fail(ps, "unfinished string");
	known = strchr(from, *ps->p);
	if (known && *ps->p) {
		strbuf_putc(&ps->text, to[known - from]);
		ps->p++;
	} else if (*ps->p == 'u' || *ps->p == 'x') {
		bool ok = *ps->p++ == 'u' ? unicode_escape(ps, &code) : hex(ps, 2, &code);

		if (!ok)
			return false;
		strbuf_add(&ps->text, utf8, text_encode(utf8, code));
	} else {
		strbuf_putc(&ps->text, *ps->p++);
	}
	return true;
}

/* In single, double or back quotes, into ps->text. Dumps contain raw control characters. */
static bool parse_string(struct parser *ps)
{
	char quote = *ps->p++;

	strbuf_clear(&ps->text);
	while (ps->p < ps->end && *ps->p != quote) {
		const char *from = ps->p;

		while (ps->p < ps->end && *ps->p != quote && *ps->p != '\\')
			ps->p++;
		strbuf_add(&ps->text, from, (size_t)(ps->p - from));
		if (ps->p < ps->end && *ps->p == '\\') {
			ps->p++;
			if (!parse_escape(ps))
				return false;
		}
	}
	if (ps->p >= ps->end)
		return fail(ps, "unfinished string");
	ps->p++;
	make_utf8(&ps->text);
	return !ps->text.full || fail(ps, "no memory for the string");
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

/* ---- words: names without quotes ---- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static size_t word_len(const struct parser *ps, bool dots)
{
	const char *p = ps->p;

	while (p < ps->end && (is_word(*p) || (dots && *p == '.')))
		p++;
	return (size_t)(p - ps->p);
}

/* ---- structure ---- */

/* A key of an object. BSON's keys are C strings, so a NUL in one becomes U+FFFD. */
static bool parse_key(struct parser *ps, struct strbuf *out)
{
	size_t len;

	strbuf_clear(out);
	if (is_quote(peek(ps))) {
		if (!parse_string(ps))
			return false;
		for (size_t i = 0; i < ps->text.len; i++) {
			if (ps->text.data[i])
				strbuf_putc(out, ps->text.data[i]);
			else
				strbuf_puts(out, "\xef\xbf\xbd");
		}
		return true;
	}
	len = word_len(ps, false);
	if (!len)
		return fail(ps, "expected a key");
	strbuf_add(out, ps->p, len);
	make_utf8(out);
	ps->p += len;
	return true;
}

/* What follows '{', up to and with '}'. */
static bool parse_members(struct parser *ps, bson_t *to)
{
	struct strbuf key;
	bool ok = true;

	strbuf_init(&key, INPUT_MAX);
	while (ok && !accept(ps, '}')) {
		ok = parse_key(ps, &key) && (!key.full || fail(ps, "no memory for the key"));
		if (ok && !accept(ps, ':'))
			ok = fail(ps, "expected ':'");
		ok = ok && parse_value(ps, to, (struct ejson_key){key.data, (int)key.len});
		if (ok && !accept(ps, ',') && peek(ps) != '}')
			ok = fail(ps, "expected ',' or '}'");
	}
	strbuf_finish(&key);
	return ok;
}

/* What follows '[' or '(', up to and with `close`. */
static bool parse_elements(struct parser *ps, bson_t *to, char close)
{
	char buf[16];
	const char *name;

	for (uint32_t i = 0; !accept(ps, close); i++) {
		size_t len = bson_uint32_to_string(i, &name, buf, sizeof(buf));

		if (!parse_value(ps, to, (struct ejson_key){name, (int)len}))
			return false;
		if (!accept(ps, ',') && peek(ps) != close)
			return fail(
				ps, close == ']' ? "expected ',' or ']'" : "expected ',' or ')'");
	}
	return true;
}

static bool append_failed(struct parser *ps)
{
	return fail(ps, "the document is too large");
}

/* Does the object whose '{' was read begin with a '$' key, as wrappers do? */
static bool may_be_wrapper(struct parser *ps)
{
	char c = peek(ps);

	return c == '$' || (is_quote(c) && ps->end - ps->p >= 2 && ps->p[1] == '$');
}

static bool parse_object(struct parser *ps, bson_t *to, struct ejson_key key)
{
	bson_t sub;
	bool ok;

	ps->p++;
	if (may_be_wrapper(ps)) {
		bson_init(&sub);
		ok = parse_members(ps, &sub);
		if (ok && !ejson_unwrap(to, key, &sub) &&
			!bson_append_document(to, key.s, key.len, &sub))
			ok = append_failed(ps);
		bson_destroy(&sub);
		return ok;
	}
	if (!bson_append_document_begin(to, key.s, key.len, &sub))
		return append_failed(ps);
	ok = parse_members(ps, &sub);
	return bson_append_document_end(to, &sub) && ok;
}

static bool parse_array(struct parser *ps, bson_t *to, struct ejson_key key)
{
	bson_t sub;
	bool ok;

	ps->p++;
	if (!bson_append_array_begin(to, key.s, key.len, &sub))
		return append_failed(ps);
	ok = parse_elements(ps, &sub, ']');
	return bson_append_array_end(to, &sub) && ok;
}

/* /pattern/options */
static bool parse_regex(struct parser *ps, bson_t *to, struct ejson_key key)
{
	struct strbuf *pattern = &ps->text;
	char options[16] = "";
	size_t n = 0;

	strbuf_clear(pattern);
	for (ps->p++; ps->p < ps->end && *ps->p != '/'; ps->p++) {
		if (*ps->p == '\\' && ps->end - ps->p >= 2)
			strbuf_putc(pattern, *ps->p++);
		if (*ps->p == '\0' || *ps->p == '\n')
			return fail(ps, "unfinished regular expression");
		strbuf_putc(pattern, *ps->p);
	}
	if (ps->p >= ps->end)
		return fail(ps, "unfinished regular expression");
	for (ps->p++; ps->p < ps->end && *ps->p >= 'a' && *ps->p <= 'z'; ps->p++) {
		if (n < sizeof(options) - 1)
			options[n++] = *ps->p;
	}
	make_utf8(pattern);
	return (!pattern->full && bson_append_regex_w_len(to, key.s, key.len, pattern->data,
					  (int)pattern->len, options)) ||
	       append_failed(ps);
}

static bool parse_number(struct parser *ps, bson_t *to, struct ejson_key key)
{
	const char *from = ps->p;
	size_t sign = *from == '-' || *from == '+';
	static const char infinity[] = "Infinity";
	size_t rest = (size_t)(ps->end - from) - sign;

	if (sign && rest >= strlen(infinity) && memcmp(from + 1, infinity, strlen(infinity)) == 0) {
		ps->p += 1 + strlen(infinity);
		return bson_append_double(to, key.s, key.len,
			       *from == '-' ? -(double)INFINITY : (double)INFINITY) ||
		       append_failed(ps);
	}
	ps->p += sign;
	while (ps->p < ps->end && is_in(*ps->p, "0123456789.eE+-"))
		ps->p++;
	if (*from == '+')
		from++;
	if (!ejson_append_number(to, key, from, (size_t)(ps->p - from))) {
		ps->p = from;
		return fail(ps, "not a number");
	}
	return true;
}

static bool read_word(struct parser *ps, char word[WORD_MAX])
{
	size_t len;

	skip_blanks(ps);
	len = word_len(ps, true);
	if (!len || len >= WORD_MAX)
		return fail(ps, "expected a value");
	memcpy(word, ps->p, len);
	word[len] = '\0';
	if (strcmp(word, "Object") == 0 || strcmp(word, "Array") == 0)
		return fail(ps, "mongosh has cut this value (print it with EJSON.stringify)");
	ps->p += len;
	return true;
}

static bool parse_call(struct parser *ps, bson_t *to, struct ejson_key key, const char *word)
{
	const char *at = ps->p - strlen(word);
	char what[WORD_MAX + 16];
	bson_t args;
	bool ok;

	bson_init(&args);
	ok = !accept(ps, '(') || parse_elements(ps, &args, ')');
	if (ok && !ejson_call(to, key, word, &args)) {
		ps->p = at;
		snprintf(what, sizeof(what), "cannot read %s", word);
		ok = fail(ps, what);
	}
	bson_destroy(&args);
	return ok;
}

/* true, null, NaN, MinKey, NumberLong(...), new Date(...) */
static bool parse_word(struct parser *ps, bson_t *to, struct ejson_key key)
{
	char word[WORD_MAX] = "";
	bool ok;

	if (!read_word(ps, word) || (strcmp(word, "new") == 0 && !read_word(ps, word)))
		return false;
	if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
		ok = bson_append_bool(to, key.s, key.len, word[0] == 't');
	else if (strcmp(word, "null") == 0)
		ok = bson_append_null(to, key.s, key.len);
	else if (strcmp(word, "undefined") == 0)
		ok = bson_append_undefined(to, key.s, key.len);
	else if (strcmp(word, "NaN") == 0)
		ok = bson_append_double(to, key.s, key.len, (double)NAN);
	else if (strcmp(word, "Infinity") == 0)
		ok = bson_append_double(to, key.s, key.len, (double)INFINITY);
	else
		return parse_call(ps, to, key, word);
	return ok || append_failed(ps);
}

static bool parse_text(struct parser *ps, bson_t *to, struct ejson_key key)
{
	return parse_string(ps) &&
	       (bson_append_utf8(to, key.s, key.len, ps->text.data, (int)ps->text.len) ||
		       append_failed(ps));
}

static bool parse_value(struct parser *ps, bson_t *to, struct ejson_key key)
{
	char c = peek(ps);
	bool ok;

	if (ps->depth >= DEPTH_MAX)
		return fail(ps, "nested too deeply");
	ps->depth++;
	if (c == '{')
		ok = parse_object(ps, to, key);
	else if (c == '[')
		ok = parse_array(ps, to, key);
	else if (is_quote(c))
		ok = parse_text(ps, to, key);
	else if (c == '/')
		ok = parse_regex(ps, to, key);
	else if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.')
		ok = parse_number(ps, to, key);
	else
		ok = parse_word(ps, to, key);
	ps->depth--;
	return ok;
}

bson_t *parse_ejson(const char *buf, size_t len, bool *is_array, struct err *err)
{
	struct parser ps = {.start = buf, .p = buf, .end = buf + len, .depth = 1, .err = err};
	bson_t *doc;
	bool array, ok;

	if (len > INPUT_MAX) {
		err_set(err, ERR_LIMIT, "more than %zu MiB of JSON", INPUT_MAX >> 20);
		return NULL;
	}
	if (len >= 3 && memcmp(buf, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
		ps.p += 3;
	strbuf_init(&ps.text, INPUT_MAX);
	doc = bson_new();
	array = accept(&ps, '[');
	if (array)
		ok = parse_elements(&ps, doc, ']');
	else if (accept(&ps, '{'))
		ok = parse_members(&ps, doc);
	else
		ok = fail(&ps, "expected '{' or '['");
	strbuf_finish(&ps.text);
	if (!ok) {
		bson_destroy(doc);
		return NULL;
	}
	*is_array = array;
	return doc;
}
