/* getLog: the last lines that the node wrote. */
#include "commands.h"

bool cmd_get_log(struct command *cmd)
{
	const char *which = bsonx_name(&cmd->arg, 32);
	bson_t names;

	if (which == NULL) {
		return fail_set(
			cmd->fail, FAIL_TYPE_MISMATCH, "Argument to getLog must be a string");
	}
	if (strcmp(which, "*") == 0) {
		bson_append_array_begin(cmd->out, "names", -1, &names);
		BSON_APPEND_UTF8(&names, "0", "global");
		bson_append_array_end(cmd->out, &names);
		return true;
	}
	if (strcmp(which, "global") != 0) {
		return fail_set(cmd->fail, FAIL_OPERATION_FAILED, "no such log: %s", which);
	}
	int64_t written = logring_append(&cmd->conn->node->log, "log", cmd->out);
	bsonx_append_int(cmd->out, "totalLinesWritten", written);
	return true;
}
