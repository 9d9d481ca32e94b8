#include "hotset/hostparse.h"

#include <string.h>

#include "hotset/fields.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- memory ---- */

static const char *const meminfo_names[MEMINFO_COUNT] = {
	[MEMINFO_TOTAL] = "MemTotal",
	[MEMINFO_FREE] = "MemFree",
	[MEMINFO_AVAILABLE] = "MemAvailable",
	[MEMINFO_BUFFERS] = "Buffers",
	[MEMINFO_CACHED] = "Cached",
	[MEMINFO_SHMEM] = "Shmem",
	[MEMINFO_DIRTY] = "Dirty",
	[MEMINFO_WRITEBACK] = "Writeback",
	[MEMINFO_SRECLAIMABLE] = "SReclaimable",
	[MEMINFO_SWAP_TOTAL] = "SwapTotal",
	[MEMINFO_SWAP_FREE] = "SwapFree",
	[MEMINFO_HUGE_TOTAL] = "HugePages_Total",
	[MEMINFO_HUGE_FREE] = "HugePages_Free",
	[MEMINFO_HUGE_RESERVED] = "HugePages_Rsvd",
	[MEMINFO_HUGE_SIZE] = "Hugepagesize",
};

static const struct {
	enum metric_id   id;
	enum meminfo_key key;
} meminfo_metrics[] = {
	{METRIC_HOST_MEM_TOTAL, MEMINFO_TOTAL},
	{METRIC_HOST_MEM_FREE, MEMINFO_FREE},
	{METRIC_HOST_MEM_BUFFERS, MEMINFO_BUFFERS},
	{METRIC_HOST_MEM_CACHED, MEMINFO_CACHED},
	{METRIC_HOST_MEM_SHMEM, MEMINFO_SHMEM},
	{METRIC_HOST_MEM_DIRTY, MEMINFO_DIRTY},
	{METRIC_HOST_MEM_WRITEBACK, MEMINFO_WRITEBACK},
	{METRIC_HOST_MEM_SRECLAIMABLE, MEMINFO_SRECLAIMABLE},
	{METRIC_HOST_SWAP_TOTAL, MEMINFO_SWAP_TOTAL},
};

void meminfo_init(struct meminfo *m)
{
	for (unsigned i = 0; i < MEMINFO_COUNT; i++)
		m->v[i] = field_none(REASON_NOT_SENT);
}

bool meminfo_find(struct span name, enum meminfo_key *key)
{
	for (unsigned i = 0; i < MEMINFO_COUNT; i++)
		if (span_is(name, meminfo_names[i])) {
			*key = (enum meminfo_key)i;
			return true;
		}
	return false;
}

bool meminfo_is_pages(enum meminfo_key key)
{
	return key == MEMINFO_HUGE_TOTAL || key == MEMINFO_HUGE_FREE ||
	       key == MEMINFO_HUGE_RESERVED;
}

static void store(struct sample *out, enum metric_id id, struct raw v, enum reason absent)
{
	if (v.type == RAW_NONE && v.why == REASON_NOT_SENT)
		v.why = (uint8_t)absent;
	out->raw[id] = v;
}

static struct raw plausible_bytes(struct raw v)
{
	if (v.type == RAW_U64 && v.u >= FIELD_BYTES_PLAUSIBLE)
		return field_none(REASON_IMPLAUSIBLE);
	return v;
}

static uint64_t or_zero(struct raw v)
{
	return v.type == RAW_U64 && v.u < FIELD_BYTES_PLAUSIBLE ? v.u : 0;
}

/*
 * Kernels before 3.14 have no MemAvailable: free + Buffers + Cached + SReclaimable - Shmem, which
 * in a container may mix scopes and so exceed the total.
 */
static struct raw estimate_available(const struct meminfo *m)
{
	struct raw total = plausible_bytes(m->v[MEMINFO_TOTAL]);
	struct raw free = plausible_bytes(m->v[MEMINFO_FREE]);
	struct raw cached = plausible_bytes(m->v[MEMINFO_CACHED]);
	if (total.type != RAW_U64 || free.type != RAW_U64 || cached.type != RAW_U64)
		return field_none(REASON_NOT_SENT);
	uint64_t shmem = or_zero(m->v[MEMINFO_SHMEM]);
	uint64_t file = cached.u > shmem ? cached.u - shmem : 0;
	struct raw sum = free;
	sum.u += file + or_zero(m->v[MEMINFO_BUFFERS]) + or_zero(m->v[MEMINFO_SRECLAIMABLE]);
	return sum.u < total.u ? sum : total;
}

static void store_available(const struct meminfo *m, struct sample *out, enum reason absent)
{
	struct raw v = plausible_bytes(m->v[MEMINFO_AVAILABLE]), total = m->v[MEMINFO_TOTAL];
	const char *source = "kernel";
	if (v.type == RAW_U64 && total.type == RAW_U64 && v.u > total.u)
		v = field_none(REASON_IMPLAUSIBLE);
	if (v.type == RAW_NONE && v.why == REASON_NOT_SENT) {
		v = estimate_available(m);
		source = "est.";
	}
	store(out, METRIC_HOST_MEM_AVAILABLE, v, absent);
	if (v.type != RAW_NONE)
		sample_set_text(out, METRIC_HOST_MEM_AVAILABLE_SOURCE, source, strlen(source));
}

static struct raw huge_bytes(const struct meminfo *m, enum meminfo_key key)
{
	struct raw pages = m->v[key], size = m->v[MEMINFO_HUGE_SIZE];
	if (pages.type != RAW_U64 || size.type != RAW_U64)
		return pages.type == RAW_U64 ? size : pages;
	if (__builtin_mul_overflow(pages.u, size.u, &pages.u))
		return field_none(REASON_IMPLAUSIBLE);
	return plausible_bytes(pages);
}

void meminfo_store(const struct meminfo *m, struct sample *out, enum reason absent)
{
	for (size_t i = 0; i < ARRAY_LEN(meminfo_metrics); i++)
		store(out, meminfo_metrics[i].id, plausible_bytes(m->v[meminfo_metrics[i].key]),
			absent);
	store_available(m, out, absent);
	/* lxcfs may print a limit of 8 EiB: the difference of the two is true all the same */
	store(out, METRIC_HOST_SWAP_USED,
		plausible_bytes(field_minus(m->v[MEMINFO_SWAP_TOTAL], m->v[MEMINFO_SWAP_FREE])),
		absent);
	store(out, METRIC_HOST_MEM_HUGE_TOTAL, huge_bytes(m, MEMINFO_HUGE_TOTAL), absent);
	store(out, METRIC_HOST_MEM_HUGE_FREE, huge_bytes(m, MEMINFO_HUGE_FREE), absent);
	store(out, METRIC_HOST_MEM_HUGE_RESERVED, huge_bytes(m, MEMINFO_HUGE_RESERVED), absent);
}

/* ---- vmstat ---- */

static const struct {
	const char    *name;
	enum metric_id id;
	uint64_t       scale;
} vmstat_metrics[] = {
	{"pswpin", METRIC_HOST_SWAP_IN_TOTAL, 1},
	{"pswpout", METRIC_HOST_SWAP_OUT_TOTAL, 1},
	{"oom_kill", METRIC_HOST_VM_OOM_KILL_TOTAL, 1},
	{"pgmajfault", METRIC_HOST_VM_MAJFAULT_TOTAL, 1},
	{"pgpgin", METRIC_HOST_VM_PGIN_TOTAL, 1024}, /* the kernel counts KiB here */
	{"pgpgout", METRIC_HOST_VM_PGOUT_TOTAL, 1024},
	{"workingset_refault_file", METRIC_HOST_VM_REFAULT_TOTAL, 1},
	{"workingset_refault", METRIC_HOST_VM_REFAULT_TOTAL, 1}, /* before 5.9, then split in two */
};

void vmstat_init(struct vmstat *v)
{
	*v = (struct vmstat){0};
	for (unsigned i = 0; i < 2; i++)
		v->total[i] = v->zones[i] = field_none(REASON_NOT_SENT);
}

static void add_up(struct raw *sum, struct raw value)
{
	if (sum->type == RAW_NONE && sum->why != REASON_NOT_SENT)
		return;
	if (value.type != RAW_U64)
		*sum = field_none(
			value.type == RAW_NONE ? (enum reason)value.why : REASON_IMPLAUSIBLE);
	else if (sum->type == RAW_NONE)
		*sum = value;
	else if (__builtin_add_overflow(sum->u, value.u, &sum->u))
		*sum = field_none(REASON_IMPLAUSIBLE);
}

static bool is_zone(struct span s)
{
	static const char *const zones[] = {"dma", "dma32", "normal", "high", "movable"};
	for (size_t i = 0; i < ARRAY_LEN(zones); i++)
		if (span_is(s, zones[i]))
			return true;
	return false;
}

/*
 * The pages scanned and reclaimed have one name per reclaimer ("pgscan_kswapd"); old kernels have
 * one per reclaimer and zone ("pgscan_kswapd_dma"), the oldest also "pgsteal_dma". New kernels add
 * the same pages split by another view ("pgscan_anon", "pgscan_file"), and pgscan_direct_throttle
 * counts no pages: both stay out.
 */
static bool add_reclaim(struct vmstat *v, struct span name, struct raw value)
{
	static const char *const kinds[] = {"pgscan_", "pgsteal_"};
	static const char *const reclaimers[] = {"kswapd", "direct", "khugepaged", "proactive"};
	unsigned k = span_starts(name, kinds[0]) ? 0 : 1;
	if (!span_starts(name, kinds[k]))
		return false;
	struct span rest = span_skip(name, strlen(kinds[k]));
	for (size_t i = 0; i < ARRAY_LEN(reclaimers); i++) {
		if (span_is(rest, reclaimers[i])) {
			add_up(&v->total[k], value);
			return true;
		}
		struct span zone = span_skip(rest, strlen(reclaimers[i]));
		if (span_starts(rest, reclaimers[i]) && span_starts(zone, "_")) {
			rest = span_skip(zone, 1);
			break;
		}
	}
	if (!is_zone(rest))
		return false;
	add_up(&v->zones[k], value);
	return true;
}

static struct raw scaled(struct raw value, uint64_t scale)
{
	if (value.type == RAW_U64 && __builtin_mul_overflow(value.u, scale, &value.u))
		return field_none(REASON_IMPLAUSIBLE);
	return value;
}

void vmstat_add(struct vmstat *v, struct sample *out, struct span name, struct raw value)
{
	if (add_reclaim(v, name, value)) {
		v->known++;
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(vmstat_metrics); i++)
		if (span_is(name, vmstat_metrics[i].name)) {
			out->raw[vmstat_metrics[i].id] = scaled(value, vmstat_metrics[i].scale);
			v->known++;
		}
}

void vmstat_store(const struct vmstat *v, struct sample *out, enum reason absent)
{
	static const enum metric_id ids[] = {METRIC_HOST_VM_SCAN_TOTAL, METRIC_HOST_VM_STEAL_TOTAL};
	for (unsigned k = 0; k < 2; k++) {
		bool has_total = v->total[k].type != RAW_NONE || v->total[k].why != REASON_NOT_SENT;
		store(out, ids[k], has_total ? v->total[k] : v->zones[k], absent);
	}
	for (size_t i = 0; i < ARRAY_LEN(vmstat_metrics); i++)
		store(out, vmstat_metrics[i].id, out->raw[vmstat_metrics[i].id], absent);
}

/* ---- disks ---- */

static bool has_prefix_of(struct span device, const char *const *prefixes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (span_starts(device, prefixes[i]))
			return true;
	return false;
}

struct disk *disks_get(struct disks *d, struct span device)
{
	static const char *const no_disk[] = {"ram", "zram", "loop", "sr", "fd"};
	struct raw none = field_none(REASON_NOT_SENT);
	if (has_prefix_of(device, no_disk, ARRAY_LEN(no_disk)))
		return NULL;
	for (unsigned i = 0; i < d->n; i++)
		if (d->disk[i].device.len == device.len &&
			memcmp(d->disk[i].device.s, device.s, device.len) == 0)
			return &d->disk[i];
	d->cut = d->cut || d->n == DISKS_MAX;
	if (d->cut)
		return NULL;
	d->disk[d->n] = (struct disk){device, none, none};
	return &d->disk[d->n++];
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* sda1 of sda, nvme0n1p2 of nvme0n1 */
static bool is_part_of(struct span device, struct span disk)
{
	if (device.len <= disk.len || disk.len == 0 || memcmp(device.s, disk.s, disk.len) != 0)
		return false;
	struct span rest = span_skip(device, disk.len);
	return span_numbered(rest, is_digit(disk.s[disk.len - 1]) ? "p" : "", NULL);
}

static bool is_partition(const struct disks *d, unsigned i)
{
	for (unsigned k = 0; k < d->n; k++)
		if (k != i && is_part_of(d->disk[i].device, d->disk[k].device))
			return true;
	return false;
}

void disks_store(const struct disks *d, struct sample *out)
{
	static const char *const upon_others[] = {"dm-", "md", "bcache", "drbd"};
	struct raw sum = field_none(REASON_NOT_SENT);
	out->tables[TABLE_HOST_DISK].asked = true;
	out->tables[TABLE_HOST_DISK].cut = d->cut;
	for (unsigned i = 0; i < d->n; i++) {
		const struct disk *disk = &d->disk[i];
		if (is_partition(d, i))
			continue;
		if (!has_prefix_of(disk->device, upon_others, ARRAY_LEN(upon_others)))
			add_up(&sum, disk->read);
		struct raw *row = sample_add_row(out, TABLE_HOST_DISK);
		if (!row)
			break;
		raw_set_text(out, &row[COL_HOST_DISK_DEVICE], disk->device.s, disk->device.len);
		row[COL_HOST_DISK_READ] = disk->read;
		row[COL_HOST_DISK_WRITE] = disk->written;
	}
	out->raw[METRIC_HOST_DISK_READ_TOTAL] = d->cut ? field_none(REASON_TOO_MANY) : sum;
}
