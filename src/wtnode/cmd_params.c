/* getParameter and setParameter: the three parameters that mean something here. */
#include "commands.h"

#define RUNTIME_CONFIG "wiredTigerEngineRuntimeConfig"
#define WINDOW         "minSnapshotHistoryWindowInSeconds"
#define LIFETIME       "transactionLifetimeLimitSeconds"
#define SECONDS_MAX    86400

static bool append_param(struct node *node, const char *name, const char *key, bson_t *out)
{
	if (strcmp(name, WINDOW) == 0) {
		BSON_APPEND_INT32(out, key, (int32_t)atomic_load(&node->engine.window_s));
	} else if (strcmp(name, LIFETIME) == 0) {
		BSON_APPEND_INT32(out, key, (int32_t)atomic_load(&node->transaction_lifetime_s));
	} else if (strcmp(name, RUNTIME_CONFIG) == 0) {
		/* As mongod: the last string that was set, not the configuration in force. */
		pthread_mutex_lock(&node->params_lock);
		BSON_APPEND_UTF8(out, key, node->runtime_config);
		pthread_mutex_unlock(&node->params_lock);
	} else {
		return false;
	}
	return true;
}

bool cmd_get_parameter(struct command *cmd)
{
	struct node *node = cmd->conn->node;
	bson_iter_t it = cmd->arg;
	const char *what = bsonx_name(&cmd->arg, 8);
	unsigned found = 0;

	if (what != NULL && strcmp(what, "*") == 0) {
		append_param(node, WINDOW, WINDOW, cmd->out);
		append_param(node, LIFETIME, LIFETIME, cmd->out);
		append_param(node, RUNTIME_CONFIG, RUNTIME_CONFIG, cmd->out);
		return true;
	}
	while (bson_iter_next(&it)) {
		found += append_param(node, bson_iter_key(&it), bson_iter_key(&it), cmd->out);
	}
	return found > 0 ? true
			 : fail_set(cmd->fail, FAIL_INVALID_OPTIONS, "no option found to get");
}

/* The length of the item that p begins: up to a comma outside of brackets and quotes. */
static size_t item_length(const char *p)
{
	size_t n = 0;
	int depth = 0;
	bool quoted = false;

	for (; p[n] != '\0' && (p[n] != ',' || depth > 0 || quoted); n++) {
		quoted ^= p[n] == '"';
		depth += !quoted && p[n] != '\0' && strchr("([{", p[n]) != NULL;
		depth -= !quoted && p[n] != '\0' && strchr(")]}", p[n]) != NULL;
	}
	return n;
}

/*
 * All is left to the engine but for what would make the node useless: no statistics, a cache that
 * panics when it is full, no log.
 */
static bool check_config(const char *config, struct fail *fail)
{
	static const char *const closed[] = {"statistics", "cache_overflow", "log", "debug_mode",
		"compatibility", "shared_cache"};

	for (const char *p = config; *p != '\0';) {
		size_t item = item_length(p);
		const char *name = p + strspn(p, " \t\r\n\"");

		for (size_t i = 0; i < sizeof(closed) / sizeof(closed[0]); i++) {
			if (strcspn(name, "=:,\" \t\r\n({[") == strlen(closed[i]) &&
				strncmp(name, closed[i], strlen(closed[i])) == 0) {
				return fail_set(fail, FAIL_BAD_VALUE,
					"'%s' cannot be changed in wtnode", closed[i]);
			}
		}
		p += item;
		p += *p == ',';
	}
	return true;
}

static bool set_config(struct command *cmd, const bson_iter_t *it)
{
	struct node *node = cmd->conn->node;
	const char *config = bsonx_name(it, sizeof(node->runtime_config) - 1);
	char context[32];

	if (config == NULL) {
		return fail_set(cmd->fail, FAIL_BAD_VALUE, RUNTIME_CONFIG " needs a short string");
	}
	if (!check_config(config, cmd->fail)) {
		return false;
	}
	snprintf(context, sizeof(context), "conn%d", (int)cmd->conn->op->client.connection_id);
	pthread_mutex_lock(&node->params_lock);
	bool ok = engine_reconfigure(&node->engine, config, context, cmd->fail);
	if (ok) {
		snprintf(node->runtime_config, sizeof(node->runtime_config), "%s", config);
	}
	pthread_mutex_unlock(&node->params_lock);
	return ok;
}

static bool set_seconds(struct command *cmd, const bson_iter_t *it, atomic_uint *param, int64_t min)
{
	int64_t n = bsonx_is_number(it) ? bsonx_int64(it) : -1;

	if (n < min || n > SECONDS_MAX) {
		return fail_set(cmd->fail, FAIL_BAD_VALUE, "%s must be %d to %d seconds",
			bson_iter_key(it), (int)min, SECONDS_MAX);
	}
	atomic_store(param, (unsigned)n);
	return true;
}

bool cmd_set_parameter(struct command *cmd)
{
	struct node *node = cmd->conn->node;
	bson_iter_t it = cmd->arg;

	/* mongod sets one parameter per command and answers with what it was. */
	if (!bson_iter_next(&it) || !append_param(node, bson_iter_key(&it), "was", cmd->out)) {
		return fail_set(
			cmd->fail, FAIL_INVALID_OPTIONS, "attempted to set unrecognized parameter");
	}
	if (strcmp(bson_iter_key(&it), WINDOW) == 0) {
		return set_seconds(cmd, &it, &node->engine.window_s, 0);
	}
	if (strcmp(bson_iter_key(&it), LIFETIME) == 0) {
		bool ok = set_seconds(cmd, &it, &node->transaction_lifetime_s, 1);

		txns_wake(&node->txns);
		return ok;
	}
	return set_config(cmd, &it);
}
