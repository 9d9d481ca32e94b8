/*
 * Error lines of Redis and memcached as a status with a sentence of advice. The first rule whose
 * pattern fits wins; a pattern that begins with '*' may stand anywhere in the line.
 */
#include "hotset/fields.h"
#include "hotset/parse.h"
#include "hotset/text.h"

#define QUOTE_MAX 88 /* bytes of the server's words in a message */

struct rule {
	const char   *pattern;
	enum err_code code;
	const char   *advice;
};

static const struct rule redis_rules[] = {
	{"NOAUTH", ERR_AUTH, "credentials needed: give them in the URI or with --credentials"},
	{"WRONGPASS", ERR_AUTH, "wrong user or password"},
	{"NOPERM", ERR_AUTH, "this user may not run the command: grant +info"},
	{"ERR invalid password", ERR_AUTH, "wrong password"},
	{"ERR operation not permitted", ERR_AUTH, "credentials needed: give them in the URI"},
	{"ERR Client sent AUTH", ERR_AUTH, "a password was given, but the server has none"},
	{"ERR AUTH <password> called", ERR_AUTH, "a password was given, but the server has none"},
	{"LOADING", ERR_LOADING, "the server is loading its data"},
	{"DENIED", ERR_REFUSED, "protected mode: it takes no remote clients without a password"},
	{"*max number of clients", ERR_REFUSED, "the server's limit of clients is reached"},
	{"MOVED", ERR_UNSUPPORTED, "a cluster's redirection: watch each of its nodes"},
	{"ASK ", ERR_UNSUPPORTED, "a cluster's redirection: watch each of its nodes"},
	{"*unknown command", ERR_UNSUPPORTED, "no INFO here: a proxy, or the command is renamed"},
	{"*unsupported command", ERR_UNSUPPORTED,
		"no INFO here: a proxy; watch the servers behind"},
	{"*not supported", ERR_UNSUPPORTED, "no INFO here: a proxy; watch the servers behind"},
	{"*not allowed", ERR_UNSUPPORTED, "no INFO here: a proxy; watch the servers behind"},
	{"BUSY ", ERR_FORMAT, "busy with a script: wait, or SCRIPT KILL"},
	{"MASTERDOWN", ERR_FORMAT, "a replica that lost its master and serves no stale data"},
	{"HTTP/", ERR_PROTOCOL, "an HTTP server answers, not Redis"},
	{FIELD_TLS_ALERT, ERR_TLS, "the port expects TLS: use rediss://"},
	{"", ERR_FORMAT, "the server answers with an error"},
};

static const struct rule memcached_rules[] = {
	{"ERROR Too many open connections", ERR_REFUSED,
		"the server's connection limit is reached"},
	{"CLIENT_ERROR unauthenticated", ERR_AUTH, "credentials needed: give them in the URI"},
	{"CLIENT_ERROR authentication", ERR_AUTH, "wrong user or password"},
	{"ERROR", ERR_UNSUPPORTED, "no statistics here: a proxy? watch the servers behind"},
	{"CLIENT_ERROR", ERR_UNSUPPORTED, "no statistics here"},
	{"SERVER_ERROR", ERR_FORMAT, "the server answers with an error"},
	{"-", ERR_PROTOCOL, "the port speaks the Redis protocol, not memcached's"},
	{"HTTP/", ERR_PROTOCOL, "an HTTP server answers, not memcached"},
	{FIELD_TLS_ALERT, ERR_TLS, "the port expects TLS: use memcacheds://"},
	{"", ERR_PROTOCOL, "the port does not speak memcached's protocol"},
};

static bool rule_fits(const struct rule *r, struct span line)
{
	return r->pattern[0] == '*' ? span_contains(line, r->pattern + 1) :
		span_starts(line, r->pattern);
}

/*
 * Redis repeats the arguments of a command that it does not know: where AUTH is renamed, these are
 * the password. The quote ends before them.
 */
static struct span without_arguments(struct span line)
{
	struct span rest = line, piece;
	while (span_next(&rest, ',', &piece))
		if (span_contains(piece, "with args"))
			return (struct span){line.s, (size_t)(piece.s - line.s) - 1};
	return line;
}

static enum status apply(const struct rule *rules, struct span line, struct err *err)
{
	while (!rule_fits(rules, line))
		rules++; /* ends: the pattern of the last rule is "" */
	struct span said = span_trim(without_arguments(line));
	char quote[QUOTE_MAX];
	text_sanitize(quote, sizeof(quote), said.s, said.len);
	if (quote[0] && rules->code != ERR_TLS)
		err_set(err, rules->code, "%s (\"%s\")", rules->advice, quote);
	else
		err_set(err, rules->code, "%s", rules->advice);
	return status_from_err(rules->code);
}

enum status parse_redis_error(const char *line, size_t len, struct err *err)
{
	return apply(redis_rules, span_trim((struct span){line, len}), err);
}

enum status parse_memcached_error(const char *line, size_t len, struct err *err)
{
	return apply(memcached_rules, span_trim((struct span){line, len}), err);
}
