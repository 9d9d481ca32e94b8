/*
 * MongoDB's URIs, which may name many hosts. A target keeps the whole text and stands for one of
 * them: its copies at the other hosts, and at members that the set itself names, share the
 * credentials and options.
 */
#include "target_parts.h"

#include <mongoc/mongoc.h>
#include <strings.h>

#define HOSTS_MAX 64 /* of one URI */

static bool is_srv(const struct target *t)
{
	return strcmp(t->scheme, "mongodb+srv") == 0;
}

/* Takes the next of the hosts that commas separate; false after the last. */
static bool next_host(struct slice *rest, struct slice *host)
{
	const char *comma;

	if (!rest->s)
		return false;
	comma = slice_find(*rest, ',');
	*host = slice_of(rest->s, comma ? comma : rest->s + rest->len);
	*rest = comma ? slice_of(comma + 1, rest->s + rest->len) : (struct slice){NULL, 0};
	return true;
}

/* Host and port, or a percent-encoded socket, which goes to `path`. */
static const char *decode_host(struct slice in, struct target *t)
{
	const char *why;

	t->host[0] = t->path[0] = '\0';
	t->port = TARGET_MONGO_PORT;
	if (in.len < 3 || strncasecmp(in.s, "%2f", 3) != 0)
		return uri_decode_host(in, t->host, sizeof(t->host), &t->port);
	t->port = 0;
	why = uri_decode(in, t->path, sizeof(t->path));
	return !why && uri_has_control(t->path) ? "the path holds control characters" : why;
}

static void name_host(struct target *t)
{
	if (t->path[0])
		target_set_address(t, t->path);
	else if (is_srv(t))
		target_set_address(t, t->host);
	else
		target_set_host_address(t);
}

/* ---- parsing ---- */

/* Whether the user asked for a set: the driver would look for its members, too. */
static bool asks_for_set(const mongoc_uri_t *m, unsigned hosts)
{
	return (hosts > 1 || mongoc_uri_get_replica_set(m) || mongoc_uri_get_srv_hostname(m)) &&
	       !mongoc_uri_get_option_as_bool(m, MONGOC_URI_DIRECTCONNECTION, false) &&
	       !mongoc_uri_get_option_as_bool(m, MONGOC_URI_LOADBALANCED, false);
}

/* The driver judges the rest of the URI; its message is used only if it holds no secret. */
static const char *check(const char *uri, unsigned hosts, struct target *t, bson_error_t *error)
{
	mongoc_uri_t *m = mongoc_uri_new_with_error(uri, error);

	if (!m)
		return t->password[0] && strstr(error->message, t->password)
			       ? "the driver refuses this URI"
			       : error->message;
	t->tls = mongoc_uri_get_tls(m);
	t->learns = asks_for_set(m, hosts);
	mongoc_uri_destroy(m);
	return NULL;
}

/* All hosts have to be right; the target stands for the first. */
static const char *decode_hosts(struct slice rest, struct target *t, unsigned *n)
{
	struct slice first = {NULL, 0}, host;
	const char *why = NULL;

	for (*n = 0; !why && next_host(&rest, &host); ++*n) {
		if (*n == HOSTS_MAX)
			return "too many hosts";
		if (*n == 0)
			first = host;
		why = decode_host(host, t);
	}
	return why ? why : decode_host(first, t);
}

const char *target_parse_mongo(
	const char *text, const struct uri *u, struct target *t, bson_error_t *error)
{
	const char *why = target_decode_userinfo(u, t);
	char all[sizeof(t->address) + 16];
	unsigned n = 0;

	if (!why)
		why = decode_hosts(u->authority, t, &n);
	if (!why)
		why = check(text, n, t, error);
	if (why)
		return why;
	t->uri = strdup(text);
	if (!t->uri)
		return "no memory";
	name_host(t);
	if (n > 1) {
		snprintf(all, sizeof(all), "%s +%u", t->address, n - 1);
		target_set_address(t, all);
	}
	return NULL;
}

/* ---- copies at other hosts ---- */

static struct slice hosts_of(const struct target *t)
{
	struct uri u = {.has_userinfo = false};

	uri_split(t->uri, strstr(t->uri, "://"), &u);
	return u.authority;
}

unsigned target_host_count(const struct target *t)
{
	struct slice rest, host;
	unsigned n = 0;

	if (t->ops->kind != KIND_MONGO)
		return 1;
	rest = hosts_of(t);
	while (next_host(&rest, &host))
		n++;
	return n;
}

static bool copy_at(const struct target *t, struct slice host, struct target *out, struct err *err)
{
	struct target copy = *t;
	char name[sizeof(t->name) + sizeof(t->address)];
	const char *why;

	copy.uri = NULL;
	why = decode_host(host, &copy);
	if (!why && !(copy.uri = strdup(t->uri)))
		why = "no memory";
	if (why) {
		target_finish(&copy);
		return err_set(err, ERR_FORMAT, "a host named by %s: %s", t->id, why);
	}
	name_host(&copy);
	if (t->name[0]) {
		snprintf(name, sizeof(name), "%s/%s", t->name, copy.address);
		target_shorten(copy.name, sizeof(copy.name), name);
	}
	*out = copy;
	explicit_bzero(&copy, sizeof(copy));
	return true;
}

bool target_at_host(const struct target *t, unsigned i, struct target *out, struct err *err)
{
	struct slice rest = hosts_of(t), host = {"", 0};

	for (unsigned n = 0; n <= i && next_host(&rest, &host); n++)
		;
	return copy_at(t, host, out, err);
}

bool target_at_member(
	const struct target *t, const char *host_port, struct target *out, struct err *err)
{
	struct target from = *t; /* a view: `uri` stays the owner's */
	char *slash = strchr(from.name, '/');
	bool ok;

	if (slash) /* "NAME/HOST" of another copy */
		*slash = '\0';
	snprintf(from.scheme, sizeof(from.scheme), "mongodb"); /* found, not to be looked up */
	from.learned = true;
	ok = copy_at(&from, slice_of(host_port, host_port + strlen(host_port)), out, err);
	explicit_bzero(&from, sizeof(from));
	return ok;
}
