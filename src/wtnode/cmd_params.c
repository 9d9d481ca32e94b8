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

/* Whether s, of len bytes, is a number that may have a unit: "80", "512MB", "1G". */
static bool valid_amount(const char *s, size_t len)
{
	size_t digits = 0;

	while (digits < len && s[digits] >= '0' && s[digits] <= '9') {
		digits++;
	}
	size_t rest = len - digits;
	if (rest > 0 && strchr("KMGTkmgt", s[digits]) != NULL) {
		rest--;
		digits++;
	}
	return digits > 0 && s[0] >= '0' && s[0] <= '9' &&
	       (rest == 0 || (rest == 1 && (s[digits] == 'B' || s[digits] == 'b')));
}

/* Lets only eviction thresholds and the size of the cache through to the engine. */
static bool check_config(const char *config, struct fail *fail)
{
	static const char *const keys[] = {"eviction_target", "eviction_trigger",
		"eviction_dirty_target", "eviction_dirty_trigger", "cache_size"};
	const char *p = config;

	while (*p != '\0') {
		size_t item = strcspn(p, ","), name = strcspn(p, "=,"), i = 0;
		size_t n = sizeof(keys) / sizeof(keys[0]);

		while (i < n && (strlen(keys[i]) != name || strncmp(keys[i], p, name) != 0)) {
			i++;
		}
		if (i == n || name >= item || !valid_amount(p + name + 1, item - name - 1)) {
			return fail_set(fail, FAIL_BAD_VALUE,
				"'%.*s': only eviction_[dirty_]target, eviction_[dirty_]trigger "
				"and "
				"cache_size can be set, to a number",
				(int)(item < 60 ? item : 60), p);
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

	if (config == NULL) {
		return fail_set(cmd->fail, FAIL_BAD_VALUE, RUNTIME_CONFIG " needs a short string");
	}
	if (!check_config(config, cmd->fail)) {
		return false;
	}
	pthread_mutex_lock(&node->params_lock);
	int ret = node->engine.wt->reconfigure(node->engine.wt, config);
	if (ret == 0) {
		snprintf(node->runtime_config, sizeof(node->runtime_config), "%s", config);
	}
	pthread_mutex_unlock(&node->params_lock);
	if (ret != 0) {
		return fail_set(cmd->fail, FAIL_BAD_VALUE, "WiredTiger refuses '%.100s': %s",
			config, wiredtiger_strerror(ret));
	}
	return true;
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
