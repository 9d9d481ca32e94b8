#include "mongo_conn.h"

#include <strings.h>

#include "hotset/clock.h"
#include "hotset/log.h"
#include "hotset/parse.h"

#define CONNECT_MAX_MS 3000
#define SOCKET_SHARE   0.8         /* of the poll's time that one read may take */
#define SOCKET_CLOSE   INT64_C(95) /* percent of that: a read that failed later was out of time */

/* ---- URI ---- */

/* A URI may shorten our bounds, not lengthen them; 0 means "for ever" to the driver. */
static void limit_option(mongoc_uri_t *uri, const char *name, int32_t max_ms)
{
	int32_t ms = mongoc_uri_get_option_as_int32(uri, name, max_ms);

	mongoc_uri_set_option_as_int32(uri, name, ms > 0 && ms < max_ms ? ms : max_ms);
}

static bool is_single_seed(const mongoc_uri_t *uri)
{
	const mongoc_host_list_t *hosts = mongoc_uri_get_hosts(uri);

	return hosts && !hosts->next && !mongoc_uri_get_replica_set(uri) &&
	       !mongoc_uri_get_srv_hostname(uri) &&
	       !mongoc_uri_get_option_as_bool(uri, MONGOC_URI_LOADBALANCED, false);
}

static void bound_times(struct mongo_conn *c, mongoc_uri_t *uri, double timeout_s)
{
	int32_t poll_ms = (int32_t)(timeout_s * 1000);
	int32_t connect_ms = poll_ms < CONNECT_MAX_MS ? poll_ms : CONNECT_MAX_MS;

	c->socket_ms = (int32_t)(poll_ms * SOCKET_SHARE);
	limit_option(uri, MONGOC_URI_CONNECTTIMEOUTMS, connect_ms);
	limit_option(uri, MONGOC_URI_SOCKETTIMEOUTMS, c->socket_ms);
	limit_option(uri, MONGOC_URI_SERVERSELECTIONTIMEOUTMS, connect_ms);
	c->socket_ms =
		mongoc_uri_get_option_as_int32(uri, MONGOC_URI_SOCKETTIMEOUTMS, c->socket_ms);
	mongoc_uri_set_option_as_bool(uri, MONGOC_URI_RETRYREADS, false);
	mongoc_uri_set_appname(uri, "hotset");
	if (is_single_seed(uri))
		mongoc_uri_set_option_as_bool(uri, MONGOC_URI_DIRECTCONNECTION, true);
}

void mongo_conn_init(struct mongo_conn *c, const struct target *t, double timeout_s)
{
	*c = (struct mongo_conn){.target = t, .uri = mongoc_uri_new(t->uri)};
	if (!c->uri)
		return;
	if (t->user[0])
		mongoc_uri_set_username(c->uri, t->user);
	if (t->user[0] && t->password[0])
		mongoc_uri_set_password(c->uri, t->password);
	bound_times(c, c->uri, timeout_s);
	c->prefs = mongoc_read_prefs_copy(mongoc_uri_get_read_prefs_t(c->uri));
	if (mongoc_read_prefs_get_mode(c->prefs) == MONGOC_READ_PRIMARY)
		mongoc_read_prefs_set_mode(c->prefs, MONGOC_READ_PRIMARY_PREFERRED);
}

void mongo_conn_close(struct mongo_conn *c)
{
	if (c->client)
		mongoc_client_destroy(c->client);
	c->client = NULL;
}

void mongo_conn_finish(struct mongo_conn *c)
{
	mongo_conn_close(c);
	mongoc_read_prefs_destroy(c->prefs);
	mongoc_uri_destroy(c->uri);
}

/* ---- failures ---- */

/* What the driver says of the host itself stands in brackets behind its own view of things. */
static void take_cause(const char *message, char *out, size_t cap)
{
	const char *open = strchr(message, '['), *close = open ? strchr(open, ']') : NULL;
	const char *from = close ? open + 1 : message;
	size_t len = close ? (size_t)(close - from) : strlen(message);

	snprintf(out, cap, "%.*s", (int)(len < cap ? len : cap - 1), from);
}

static enum err_code guess_code(const char *cause)
{
	static const struct {
		const char *word;
		enum err_code code;
	} words[] = {{"refused", ERR_REFUSED}, {"timeout", ERR_TIMEOUT}, {"timed out", ERR_TIMEOUT},
		{"resolve", ERR_DNS}, {"DNS", ERR_DNS}, {"TLS", ERR_TLS}, {"SSL", ERR_TLS},
		{"certificate", ERR_TLS}, {"wire version", ERR_UNSUPPORTED},
		{"uthentication", ERR_AUTH}, {NULL, ERR_REFUSED}};
	size_t i = 0;

	while (words[i].word && !strstr(cause, words[i].word))
		i++;
	return words[i].code;
}

static enum err_code classify(
	const struct mongo_conn *c, const bson_error_t *e, int64_t took_ms, const char *cause)
{
	switch (e->domain) {
	case MONGOC_ERROR_CLIENT:
		return e->code == MONGOC_ERROR_CLIENT_AUTHENTICATE ? ERR_AUTH : guess_code(cause);
	case MONGOC_ERROR_SASL:
	case MONGOC_ERROR_SCRAM:
		return ERR_AUTH;
	case MONGOC_ERROR_PROTOCOL:
		return e->code == MONGOC_ERROR_PROTOCOL_BAD_WIRE_VERSION ? ERR_UNSUPPORTED
									 : ERR_PROTOCOL;
	case MONGOC_ERROR_BSON:
		return ERR_PROTOCOL;
	case MONGOC_ERROR_STREAM:
		/* "socket error or timeout", says the driver: the time tells which. */
		if (e->code == MONGOC_ERROR_STREAM_SOCKET)
			return took_ms * 100 >= c->socket_ms * SOCKET_CLOSE ? ERR_TIMEOUT
									    : ERR_REFUSED;
		return e->code == MONGOC_ERROR_STREAM_NAME_RESOLUTION ? ERR_DNS : guess_code(cause);
	default:
		return guess_code(cause);
	}
}

static const char *words_for(enum err_code code)
{
	switch (code) {
	case ERR_TIMEOUT:
		return "no answer in time";
	case ERR_REFUSED:
		return "no connection";
	case ERR_DNS:
		return "name not found";
	case ERR_TLS:
		return "TLS failed";
	case ERR_AUTH:
		return "login failed";
	default:
		return "not the MongoDB protocol";
	}
}

static void explain(
	const struct mongo_conn *c, const bson_error_t *e, int64_t took_ms, struct mongo_failure *f)
{
	char cause[128];
	enum err_code code;

	f->code = 0;
	if (e->domain == MONGOC_ERROR_SERVER) {
		f->code = (int)e->code;
		f->status = parse_mongo_error(f->code, e->message, &f->err);
		return;
	}
	take_cause(e->message, cause, sizeof(cause));
	code = classify(c, e, took_ms, cause);
	f->status = status_from_err(code);
	if (e->domain == MONGOC_ERROR_STREAM && e->code == MONGOC_ERROR_STREAM_SOCKET) {
		err_set(&f->err, code,
			code == ERR_TIMEOUT ? "%s does not answer in time"
					    : "connection to %s lost",
			c->target->address);
		return;
	}
	err_set(&f->err, code, "%s: %s", words_for(code), cause);
}

/* ---- commands ---- */

bool mongo_conn_open(struct mongo_conn *c, struct mongo_failure *f)
{
	int64_t begin = clock_mono_ns();
	mongoc_server_description_t *sd;
	bson_error_t error;

	if (c->client)
		return true;
	c->client = c->uri ? mongoc_client_new_from_uri_with_error(c->uri, &error) : NULL;
	if (!c->client) {
		*f = (struct mongo_failure){.status = STATUS_ERROR};
		return err_set(&f->err, ERR_SYSTEM, "cannot make a MongoDB client");
	}
	mongoc_client_set_error_api(c->client, MONGOC_ERROR_API_VERSION_2);
	sd = mongoc_client_select_server(c->client, false, c->prefs, &error);
	if (!sd) {
		explain(c, &error, (clock_mono_ns() - begin) / NS_PER_MS, f);
		mongo_conn_close(c);
		return false;
	}
	c->server_id = mongoc_server_description_id(sd);
	log_write("%s: watching %s", c->target->id,
		mongoc_server_description_host(sd)->host_and_port);
	mongoc_server_description_destroy(sd);
	return true;
}

bool mongo_conn_run(struct mongo_conn *c, const char *db, const bson_t *cmd, bson_t *reply,
	struct mongo_failure *f)
{
	int64_t begin = clock_mono_ns();
	bson_t opts = BSON_INITIALIZER;
	bson_error_t error;
	bool ok;

	if (!c->client) {
		bson_init(reply);
		*f = (struct mongo_failure){.status = STATUS_REFUSED};
		return err_set(&f->err, ERR_REFUSED, "connection lost");
	}
	BSON_APPEND_INT32(&opts, "serverId", (int32_t)c->server_id);
	ok = mongoc_client_command_with_opts(c->client, db, cmd, c->prefs, &opts, reply, &error);
	bson_destroy(&opts);
	if (ok)
		return true;
	explain(c, &error, (clock_mono_ns() - begin) / NS_PER_MS, f);
	if (f->code == 0)
		mongo_conn_close(c);
	return false;
}

/* ---- hello without a login ---- */

static void copy_tls_options(const mongoc_uri_t *from, mongoc_uri_t *to)
{
	const bson_t *options = mongoc_uri_get_options(from);
	bson_iter_t it;

	if (!bson_iter_init(&it, options))
		return;
	while (bson_iter_next(&it)) {
		const char *key = bson_iter_key(&it);

		if (strncasecmp(key, "tls", 3) != 0)
			continue;
		if (BSON_ITER_HOLDS_BOOL(&it))
			mongoc_uri_set_option_as_bool(to, key, bson_iter_bool(&it));
		else if (BSON_ITER_HOLDS_UTF8(&it))
			mongoc_uri_set_option_as_utf8(to, key, bson_iter_utf8(&it, NULL));
	}
}

bool mongo_conn_hello_unauthenticated(const struct mongo_conn *c, bson_t *reply)
{
	const mongoc_host_list_t *host = mongoc_uri_get_hosts(c->uri);
	struct mongo_conn plain = {.target = c->target, .socket_ms = c->socket_ms};
	struct mongo_failure f;
	bson_t cmd = BSON_INITIALIZER;
	bool ok;

	bson_init(reply);
	if (!host || host->next)
		return false;
	plain.uri = mongoc_uri_new_for_host_port(host->host, host->port);
	if (!plain.uri)
		return false;
	copy_tls_options(c->uri, plain.uri);
	bound_times(&plain, plain.uri, c->socket_ms / 1000.0);
	plain.prefs = mongoc_read_prefs_copy(c->prefs);
	BSON_APPEND_INT32(&cmd, "isMaster", 1);
	bson_destroy(reply);
	if (mongo_conn_open(&plain, &f)) {
		ok = mongo_conn_run(&plain, "admin", &cmd, reply, &f);
	} else {
		bson_init(reply);
		ok = false;
	}
	bson_destroy(&cmd);
	mongo_conn_finish(&plain);
	return ok;
}
