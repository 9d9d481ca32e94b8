#include "mongo_conn.h"

#include "mongo_uri.h"

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
}

static mongoc_uri_t *parse_whole(struct mongo_conn *c)
{
	const struct target *t = c->target;
	mongoc_uri_t *uri = mongoc_uri_new(t->uri);

	if (!uri)
		return NULL;
	if (t->user[0])
		mongoc_uri_set_username(uri, t->user);
	if (t->user[0] && t->password[0])
		mongoc_uri_set_password(uri, t->password);
	bound_times(c, uri, c->timeout_s);
	return uri;
}

void mongo_conn_init(struct mongo_conn *c, const struct target *t, double timeout_s)
{
	mongoc_uri_t *whole;

	*c = (struct mongo_conn){.target = t, .timeout_s = timeout_s};
	c->prefs = mongoc_read_prefs_new(MONGOC_READ_PRIMARY_PREFERRED);
	whole = parse_whole(c);
	if (!whole)
		return;
	c->srv = mongoc_uri_get_srv_hostname(whole) != NULL;
	c->tls = mongoc_uri_get_tls(whole);
	if (!c->srv || t->learned)
		mongo_uri_place(t->path[0] ? t->path : t->host, t->port, c->place);
	if (c->srv || mongoc_uri_get_option_as_bool(whole, MONGOC_URI_LOADBALANCED, false)) {
		c->uri = whole;
		return;
	}
	c->uri = mongo_uri_direct(whole, c->place, true);
	if (c->uri)
		bound_times(c, c->uri, timeout_s);
	mongoc_uri_destroy(whole);
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

/* Behind a NAT, or in containers, the names that members have for each other may mean nothing. */
static const char own_name_hint[] = " (so the set calls this member; where it has another name "
				    "from here, list every host in the URI)";

static bool is_unreachable(enum err_code code)
{
	return code == ERR_DNS || code == ERR_REFUSED || code == ERR_TIMEOUT;
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
	err_set(&f->err, code, "%s: %s%s", words_for(code), cause,
		c->target->learned && is_unreachable(code) ? own_name_hint : "");
}

/* ---- commands ---- */

static bool make_client(struct mongo_conn *c, const mongoc_uri_t *uri, struct mongo_failure *f)
{
	int64_t begin = clock_mono_ns();
	bson_error_t error = {.domain = 0};

	c->client = uri ? mongoc_client_new_from_uri_with_error(uri, &error) : NULL;
	if (c->client) {
		mongoc_client_set_error_api(c->client, MONGOC_ERROR_API_VERSION_2);
		return true;
	}
	if (error.domain) { /* an SRV record that is not to be had */
		explain(c, &error, (clock_mono_ns() - begin) / NS_PER_MS, f);
		return false;
	}
	*f = (struct mongo_failure){.status = STATUS_ERROR};
	return err_set(&f->err, ERR_SYSTEM, "cannot make a MongoDB client");
}

/* Logs in at the one server of the client, or at the best one of those that SRV names. */
static bool select_server(struct mongo_conn *c, struct mongo_failure *f)
{
	int64_t begin = clock_mono_ns();
	mongoc_server_description_t *sd;
	bson_error_t error;

	sd = mongoc_client_select_server(c->client, false, c->prefs, &error);
	if (!sd) {
		explain(c, &error, (clock_mono_ns() - begin) / NS_PER_MS, f);
		mongo_conn_close(c);
		return false;
	}
	c->server_id = mongoc_server_description_id(sd);
	snprintf(c->answers, sizeof(c->answers), "%s",
		mongoc_server_description_host(sd)->host_and_port);
	log_write("%s: watching %s", c->target->id, c->answers);
	mongoc_server_description_destroy(sd);
	return true;
}

static bool names_place(const mongoc_uri_t *uri, const char *place)
{
	char other[MONGO_PLACE_MAX];

	for (const mongoc_host_list_t *h = mongoc_uri_get_hosts(uri); h; h = h->next) {
		mongo_uri_place(h->host, h->port, other);
		if (strcasecmp(other, place) == 0)
			return true;
	}
	return false;
}

/*
 * What SRV and TXT records say is looked up for each connection. An endpoint then stays with the
 * member that answered first, since another one has other counters, until it is not listed any
 * more.
 */
static bool follow_srv(struct mongo_conn *c, struct mongo_failure *f)
{
	mongoc_uri_t *direct;
	bool ok = true;

	if (!make_client(c, c->uri, f))
		return false;
	if (!c->target->learned && !names_place(mongoc_client_get_uri(c->client), c->place))
		c->place[0] = '\0';
	if (!c->place[0]) {
		ok = select_server(c, f);
		if (ok)
			snprintf(c->place, sizeof(c->place), "%s", c->answers);
	}
	if (!ok)
		return false;
	direct = mongo_uri_direct(mongoc_client_get_uri(c->client), c->place, true);
	mongo_conn_close(c);
	if (direct)
		bound_times(c, direct, c->timeout_s);
	ok = make_client(c, direct, f);
	mongoc_uri_destroy(direct);
	return ok;
}

bool mongo_conn_open(struct mongo_conn *c, struct mongo_failure *f)
{
	if (c->client)
		return true;
	if (!(c->srv ? follow_srv(c, f) : make_client(c, c->uri, f)))
		return false;
	return select_server(c, f);
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

bool mongo_conn_hello_unauthenticated(const struct mongo_conn *c, bson_t *reply)
{
	struct mongo_conn plain = {.target = c->target, .timeout_s = c->socket_ms / 1000.0};
	struct mongo_failure f;
	bson_t cmd = BSON_INITIALIZER;
	bool ok = false;

	bson_init(reply);
	if (c->uri && c->place[0])
		plain.uri = mongo_uri_direct(c->uri, c->place, false);
	if (!plain.uri)
		return false;
	bound_times(&plain, plain.uri, plain.timeout_s);
	plain.prefs = mongoc_read_prefs_copy(c->prefs);
	BSON_APPEND_INT32(&cmd, "isMaster", 1);
	if (mongo_conn_open(&plain, &f)) {
		bson_destroy(reply);
		ok = mongo_conn_run(&plain, "admin", &cmd, reply, &f);
	}
	bson_destroy(&cmd);
	mongo_conn_finish(&plain);
	return ok;
}
