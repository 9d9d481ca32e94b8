/*
 * CLUSTER NODES: a line for each node,
 *
 *   id ip:port@bus,hostname flags master ping-sent pong-recv epoch link-state slot ...
 *
 * where a slot is a number, a range, or in brackets while it moves. Before 4.0 the bus, before 7.0
 * the host's name is not there; a node that does not know its own address sends ":6379".
 */
#include "hotset/lines.h"
#include "hotset/num.h"
#include "hotset/parse.h"

#include <string.h>

#define SLOTS_MAX 16384u

static bool has_flag(struct span flags, const char *flag)
{
	struct span one;

	while (span_next(&flags, ',', &one))
		if (span_is(one, flag))
			return true;
	return false;
}

static const char *state_of(struct span flags, struct span link)
{
	if (has_flag(flags, "fail"))
		return "fail";
	if (has_flag(flags, "fail?"))
		return "fail?";
	if (has_flag(flags, "handshake") || has_flag(flags, "noaddr"))
		return "handshake";
	return span_is(link, "connected") ? "ok" : "disconnected";
}

static uint64_t slots_in(struct span word)
{
	struct span from, to;
	uint64_t a, b;

	if (span_starts(word, "["))
		return 0;
	if (!span_split(word, '-', &from, &to))
		from = to = word;
	if (!num_parse_u64(from.s, from.len, &a) || !num_parse_u64(to.s, to.len, &b) || b < a ||
		b >= SLOTS_MAX)
		return 0;
	return b - a + 1;
}

/* Without the bus and the name. */
static struct span address_of(struct span word)
{
	struct span head, tail;

	if (span_split(word, '@', &head, &tail) || span_split(word, ',', &head, &tail))
		return head;
	return word;
}

static bool take_node(struct span line, struct sample *out)
{
	struct span word[8], slot;
	uint64_t slots = 0;

	for (unsigned i = 0; i < 8; i++)
		if (!span_word(&line, &word[i]))
			return false;
	while (span_word(&line, &slot))
		slots += slots_in(slot);
	struct raw *row = sample_add_row(out, TABLE_REDIS_NODE);
	if (!row)
		return true;
	struct span address = address_of(word[1]);
	const char *role = has_flag(word[2], "master") ? "master" : "replica";
	const char *state = state_of(word[2], word[7]);
	raw_set_text(out, &row[COL_REDIS_NODE_ADDRESS], address.s, address.len);
	raw_set_text(out, &row[COL_REDIS_NODE_ROLE], role, strlen(role));
	raw_set_text(out, &row[COL_REDIS_NODE_STATE], state, strlen(state));
	raw_set_u64(&row[COL_REDIS_NODE_SELF], has_flag(word[2], "myself"));
	raw_set_u64(&row[COL_REDIS_NODE_SLOTS], slots);
	return true;
}

void parse_redis_nodes(const char *text, size_t len, struct sample *out)
{
	struct lines l;
	struct span line;

	out->tables[TABLE_REDIS_NODE].asked = true;
	lines_init(&l, text, len);
	while (lines_next(&l, &line))
		(void)take_node(line, out);
}
