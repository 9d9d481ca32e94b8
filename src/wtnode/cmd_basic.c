/* Who the node is, and how to stop it. */
#include "commands.h"

#include "clockx.h"

#include <sys/utsname.h>
#include <unistd.h>

#define WIRE_VERSION_MIN 0
#define WIRE_VERSION_MAX 8 /* MongoDB 4.2, whose engine WiredTiger 3.2 is */
#define BATCH_MAX        100000

/*
 * No topologyVersion: drivers would then wait on hello. No setName and no session timeout: they
 * would then send what a standalone node without sessions does not answer.
 */
bool cmd_hello(struct command *cmd)
{
	bson_iter_t it;
	bson_t client;
	bool hello = strcasecmp(bson_iter_key(&cmd->arg), "hello") == 0;

	if (bson_iter_init_find(&it, &cmd->req->body, "client") && bsonx_iter_view(&it, &client)) {
		ops_set_client(cmd->conn->op, &client);
	}
	if (bsonx_flag(&cmd->req->body, "helloOk", false)) {
		BSON_APPEND_BOOL(cmd->out, "helloOk", true);
	}
	BSON_APPEND_BOOL(cmd->out, hello ? "isWritablePrimary" : "ismaster", true);
	BSON_APPEND_INT32(cmd->out, "maxBsonObjectSize", WIRE_DOCUMENT_MAX);
	BSON_APPEND_INT32(cmd->out, "maxMessageSizeBytes", WIRE_MESSAGE_MAX);
	BSON_APPEND_INT32(cmd->out, "maxWriteBatchSize", BATCH_MAX);
	BSON_APPEND_DATE_TIME(cmd->out, "localTime", clockx_wall_ms());
	BSON_APPEND_INT32(cmd->out, "connectionId", cmd->conn->op->client.connection_id);
	BSON_APPEND_INT32(cmd->out, "minWireVersion", WIRE_VERSION_MIN);
	BSON_APPEND_INT32(cmd->out, "maxWireVersion", WIRE_VERSION_MAX);
	BSON_APPEND_BOOL(cmd->out, "readOnly", false);
	return true;
}

bool cmd_ping(struct command *cmd)
{
	(void)cmd;
	return true;
}

bool cmd_build_info(struct command *cmd)
{
	bson_t engines;

	BSON_APPEND_UTF8(cmd->out, "version", cmd->conn->node->version);
	BSON_APPEND_BOOL(cmd->out, "wtnode", true);
	BSON_APPEND_UTF8(cmd->out, "process", "wtnode");
	BSON_APPEND_INT32(cmd->out, "bits", 64);
	BSON_APPEND_BOOL(cmd->out, "debug", false);
	BSON_APPEND_INT32(cmd->out, "maxBsonObjectSize", WIRE_DOCUMENT_MAX);
	bson_append_array_begin(cmd->out, "storageEngines", -1, &engines);
	BSON_APPEND_UTF8(&engines, "0", "wiredTiger");
	bson_append_array_end(cmd->out, &engines);
	return true;
}

/* The limit of the control group in MB, or what the machine has when there is none below. */
static int64_t memory_limit_mb(int64_t memory_mb)
{
	FILE *f = fopen("/sys/fs/cgroup/memory.max", "re");
	char line[32] = "";
	int64_t limit = 0;

	if (f == NULL) {
		return memory_mb;
	}
	if (fgets(line, sizeof(line), f) != NULL) {
		limit = (int64_t)(strtoull(line, NULL, 10) >> 20); /* "max" is 0 */
	}
	fclose(f);
	return limit > 0 && limit < memory_mb ? limit : memory_mb;
}

bool cmd_host_info(struct command *cmd)
{
	struct utsname name = {0};
	bson_t doc;
	int64_t page = sysconf(_SC_PAGESIZE);
	int64_t memory_mb = sysconf(_SC_PHYS_PAGES) * page >> 20;

	uname(&name);
	BSON_APPEND_DOCUMENT_BEGIN(cmd->out, "system", &doc);
	BSON_APPEND_DATE_TIME(&doc, "currentTime", clockx_wall_ms());
	BSON_APPEND_UTF8(&doc, "hostname", cmd->conn->node->host);
	BSON_APPEND_INT32(&doc, "cpuAddrSize", 64);
	BSON_APPEND_INT64(&doc, "memSizeMB", memory_mb);
	BSON_APPEND_INT64(&doc, "memLimitMB", memory_limit_mb(memory_mb));
	BSON_APPEND_INT32(&doc, "numCores", (int32_t)sysconf(_SC_NPROCESSORS_ONLN));
	BSON_APPEND_UTF8(&doc, "cpuArch", name.machine);
	bson_append_document_end(cmd->out, &doc);
	BSON_APPEND_DOCUMENT_BEGIN(cmd->out, "os", &doc);
	BSON_APPEND_UTF8(&doc, "type", name.sysname);
	BSON_APPEND_UTF8(&doc, "name", name.sysname);
	BSON_APPEND_UTF8(&doc, "version", name.release);
	bson_append_document_end(cmd->out, &doc);
	BSON_APPEND_DOCUMENT_BEGIN(cmd->out, "extra", &doc);
	BSON_APPEND_UTF8(&doc, "kernelVersion", name.release);
	BSON_APPEND_INT64(&doc, "pageSize", page);
	bson_append_document_end(cmd->out, &doc);
	return true;
}

static void append_argv(bson_t *out, const struct node *node)
{
	char buf[16];
	const char *key;
	bson_t argv;

	bson_append_array_begin(out, "argv", -1, &argv);
	for (int i = 0; i < node->argc; i++) {
		size_t len = strlen(node->argv[i]);

		bson_uint32_to_string((uint32_t)i, &key, buf, sizeof(buf));
		if (bson_utf8_validate(node->argv[i], len, false)) {
			BSON_APPEND_UTF8(&argv, key, node->argv[i]);
		} else {
			BSON_APPEND_NULL(&argv, key);
		}
	}
	bson_append_array_end(out, &argv);
}

bool cmd_cmd_line(struct command *cmd)
{
	const struct node *node = cmd->conn->node;
	bson_t parsed, doc, wt, config;

	append_argv(cmd->out, node);
	BSON_APPEND_DOCUMENT_BEGIN(cmd->out, "parsed", &parsed);
	BSON_APPEND_DOCUMENT_BEGIN(&parsed, "net", &doc);
	BSON_APPEND_UTF8(&doc, "bindIp", "127.0.0.1");
	BSON_APPEND_INT32(&doc, "port", node->port);
	bson_append_document_end(&parsed, &doc);
	BSON_APPEND_DOCUMENT_BEGIN(&parsed, "storage", &doc);
	if (bson_utf8_validate(node->dbpath, strlen(node->dbpath), false)) {
		BSON_APPEND_UTF8(&doc, "dbPath", node->dbpath);
	}
	BSON_APPEND_DOCUMENT_BEGIN(&doc, "wiredTiger", &wt);
	BSON_APPEND_DOCUMENT_BEGIN(&wt, "engineConfig", &config);
	BSON_APPEND_DOUBLE(&config, "cacheSizeGB", (double)node->cache_bytes / (1 << 30));
	if (node->engine_config != NULL) {
		BSON_APPEND_UTF8(&config, "configString", node->engine_config);
	}
	bson_append_document_end(&wt, &config);
	bson_append_document_end(&doc, &wt);
	bson_append_document_end(&parsed, &doc);
	bson_append_document_end(cmd->out, &parsed);
	return true;
}

/* Compares in constant time: other users of the machine can reach the port and measure. */
static bool token_matches(const struct node *node, const char *token)
{
	unsigned diff = 0;

	if (token == NULL || strlen(token) != sizeof(node->token) - 1) {
		return false;
	}
	for (size_t i = 0; i < sizeof(node->token) - 1; i++) {
		diff |= (unsigned)(token[i] ^ node->token[i]);
	}
	return diff == 0;
}

bool cmd_shutdown(struct command *cmd)
{
	bson_iter_t it;
	const char *token = NULL;

	if (bson_iter_init_find(&it, &cmd->req->body, "token")) {
		token = bsonx_name(&it, sizeof(cmd->conn->node->token));
	}
	if (!token_matches(cmd->conn->node, token)) {
		return fail_set(cmd->fail, FAIL_UNAUTHORIZED,
			"shutdown needs the token that wtnode printed at its start");
	}
	cmd->conn->end_node = true;
	return true;
}
