/*
 * `stats settings` has sixty lines and more, most of them about sockets and files. Kept are those
 * that decide what is evicted, where items go, and who may connect.
 */
#include "hotset/lines.h"
#include "hotset/parse.h"

static const char *const names[] = {"maxconns", "num_threads", "item_size_max", "evictions",
	"lru_segmented", "lru_maintainer_thread", "lru_crawler", "hot_lru_pct", "warm_lru_pct",
	"slab_reassign", "slab_automove", "growth_factor", "ext_path", "ext_item_size",
	"ext_item_age", "ext_low_ttl", "ext_recache_rate", "ext_wbuf_size", "ext_compact_under",
	"ext_drop_under", "ext_max_frag", "flush_enabled", "idle_timeout", "auth_enabled_sasl",
	"auth_enabled_ascii", "ssl_enabled", "proxy_enabled", NULL};

static bool is_kept(struct span name)
{
	for (const char *const *n = names; *n; n++)
		if (span_is(name, *n))
			return true;
	return false;
}

void parse_memcached_settings(const char *text, size_t len, struct sample *out)
{
	struct span line, word, name;
	struct lines l;

	out->tables[TABLE_MEMCACHED_SETTING].asked = true;
	lines_init(&l, text, len);
	while (lines_next(&l, &line)) {
		if (!span_word(&line, &word) || !span_is(word, "STAT") ||
			!span_word(&line, &name) || !is_kept(name))
			continue;
		struct span value = span_trim(line);
		struct raw *row = sample_add_row(out, TABLE_MEMCACHED_SETTING);
		if (!row)
			return;
		raw_set_text(out, &row[COL_MEMCACHED_SETTING_NAME], name.s, name.len);
		raw_set_text(out, &row[COL_MEMCACHED_SETTING_VALUE], value.s, value.len);
	}
}
