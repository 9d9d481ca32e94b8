/* top: time and number of operations per collection. */
#include "commands.h"

bool cmd_top(struct command *cmd)
{
	bson_t totals;

	BSON_APPEND_DOCUMENT_BEGIN(cmd->out, "totals", &totals);
	BSON_APPEND_UTF8(&totals, "note", "all times in microseconds");
	top_append(&cmd->conn->node->top, &totals);
	bson_append_document_end(cmd->out, &totals);
	return true;
}

/* As mongod: a find is a query, a write what it is, all else on a collection a command. */
static enum top_event kind_of(const char *op)
{
	static const struct {
		const char *op;
		enum top_event kind;
	} kinds[] = {{"query", TOP_QUERIES}, {"insert", TOP_INSERT}, {"update", TOP_UPDATE},
		{"remove", TOP_REMOVE}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].op, op) == 0) {
			return kinds[i].kind;
		}
	}
	return TOP_COMMANDS;
}

void command_record_top(struct command *cmd, const char *op, bool write, int64_t us)
{
	if (strchr(cmd->ns, '$') == NULL) {
		top_record(&cmd->conn->node->top, cmd->ns, kind_of(op), write,
			cmd->statements > 0 ? cmd->statements : 1, us);
	}
}
