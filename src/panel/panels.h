/* Every panel, each in its file in src/panel/. Views are put together in src/panel/panels.c. */
#ifndef HOTSET_PANELS_H
#define HOTSET_PANELS_H

#include "hotset/panel.h"

/* X(name): panel_NAME */
#define PANEL_LIST(X)                                                                              \
	X(mongo_cache)                                                                             \
	X(mongo_ws)                                                                                \
	X(mongo_pages)                                                                             \
	X(mongo_eviction)                                                                          \
	X(mongo_pinned)                                                                            \
	X(mongo_miss)                                                                              \
	X(mongo_load)                                                                              \
	X(mongo_ops)                                                                               \
	X(mongo_coll)                                                                              \
	X(mongo_members)                                                                           \
	X(mongo_shards)                                                                            \
	X(redis_memory)                                                                            \
	X(redis_hits)                                                                              \
	X(redis_keys)                                                                              \
	X(redis_load)                                                                              \
	X(redis_stampede)                                                                          \
	X(redis_commands)                                                                          \
	X(redis_dbs)                                                                               \
	X(redis_slow)                                                                              \
	X(redis_masters)                                                                           \
	X(redis_hot_keys)                                                                          \
	X(redis_replicas)                                                                          \
	X(redis_nodes)                                                                             \
	X(memcached_memory)                                                                        \
	X(memcached_hits)                                                                          \
	X(memcached_evictions)                                                                     \
	X(memcached_load)                                                                          \
	X(memcached_ext)                                                                           \
	X(memcached_probe)                                                                         \
	X(memcached_settings)                                                                      \
	X(memcached_slabs)                                                                         \
	X(host_memory)                                                                             \
	X(host_pressure)                                                                           \
	X(host_io)                                                                                 \
	X(host_disks)                                                                              \
	X(block)                                                                                   \
	X(fleet)                                                                                   \
	X(events)                                                                                  \
	X(verdicts)                                                                                \
	X(silent)                                                                                  \
	X(lack)

#define X(name) extern const struct panel_ops panel_##name;
PANEL_LIST(X)
#undef X

/* The endpoints, worst first: the order of the fleet table. Returns how many. */
unsigned fleet_order(const struct model *m, uint16_t order[ENDPOINTS_MAX]);

/* The tables of the operations view. */
struct table_view;
extern const struct table_view mongo_ops_table, mongo_coll_table;

#endif
