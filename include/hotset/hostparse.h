/*
 * What /proc and a node_exporter scrape have in common: the same names for memory, vmstat counters
 * and disks. A parser adds what it reads, in bytes or counts, and stores the sum once at the end,
 * with the reason to give for what never came.
 */
#ifndef HOTSET_HOSTPARSE_H
#define HOTSET_HOSTPARSE_H

#include "hotset/lines.h"
#include "hotset/sample.h"

enum meminfo_key {
	MEMINFO_TOTAL,
	MEMINFO_FREE,
	MEMINFO_AVAILABLE,
	MEMINFO_BUFFERS,
	MEMINFO_CACHED,
	MEMINFO_SHMEM,
	MEMINFO_DIRTY,
	MEMINFO_WRITEBACK,
	MEMINFO_SRECLAIMABLE,
	MEMINFO_SWAP_TOTAL,
	MEMINFO_SWAP_FREE,
	MEMINFO_HUGE_TOTAL, /* pages, as the next two */
	MEMINFO_HUGE_FREE,
	MEMINFO_HUGE_RESERVED,
	MEMINFO_HUGE_SIZE,
	MEMINFO_COUNT
};
struct meminfo {
	struct raw v[MEMINFO_COUNT]; /* bytes unless said otherwise above */
};
void meminfo_init(struct meminfo *m);
/* "MemTotal", ... to its key; false for a name of no interest. */
bool meminfo_find(struct span name, enum meminfo_key *key);
bool meminfo_is_pages(enum meminfo_key key);
void meminfo_store(const struct meminfo *m, struct sample *out, enum reason absent);

struct vmstat {
	struct raw total[2], zones[2]; /* pages scanned and reclaimed */
	unsigned   known;              /* lines of interest */
};
void vmstat_init(struct vmstat *v);
/* One counter of /proc/vmstat by its name there. */
void vmstat_add(struct vmstat *v, struct sample *out, struct span name, struct raw value);
void vmstat_store(const struct vmstat *v, struct sample *out, enum reason absent);

#define DISKS_MAX 512
struct disks {
	unsigned n;
	bool     cut; /* there were more */
	struct disk {
		struct span device; /* borrowed from the text */
		struct raw  read, written; /* bytes */
	} disk[DISKS_MAX];
};
/* The device's entry, made if needed; NULL for RAM disks and past DISKS_MAX. */
struct disk *disks_get(struct disks *d, struct span device);
/*
 * Rows for every disk but partitions; host.disk.read is the sum over those that are not built upon
 * others of the list (device mapper, RAID), which would count twice.
 */
void disks_store(const struct disks *d, struct sample *out);

#endif
