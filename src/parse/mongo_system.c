/*
 * systemMetrics: what a mongod on Linux samples of its own host, once a second, for its diagnostic
 * data. It is the way to the page cache under a node on another machine. Figures are those of the
 * whole host, also where the server lives in a container.
 */
#include "hotset/parse.h"

#include "bdoc.h"

#define KIB         1024u
#define SECTOR      512u                /* bytes, whatever the device's own sectors have */
#define KIB_MAX     (UINT64_C(1) << 44) /* more memory than that, in KiB, is damage */
#define SECTORS_MAX (UINT64_C(1) << 54)

/* false: absent; implausible figures count as absent. */
static bool find_kib(const bson_t *doc, const char *path, uint64_t *bytes)
{
	bson_iter_t it;
	uint64_t kib;

	if (!bdoc_find(doc, path, &it) || !bdoc_count(&it, &kib) || kib >= KIB_MAX)
		return false;
	*bytes = kib * KIB;
	return true;
}

static void set_kib(const bson_t *doc, const char *path, struct sample *out, enum metric_id id)
{
	uint64_t bytes;

	if (find_kib(doc, path, &bytes))
		sample_set_u64(out, id, bytes);
}

/* There is no Shmem among the figures, so the file cache is the sum of its two lists. */
static void take_memory(const bson_t *doc, struct sample *out)
{
	uint64_t active, inactive;

	set_kib(doc, "memory.MemAvailable_kb", out, METRIC_MONGO_HOST_AVAILABLE);
	set_kib(doc, "memory.Dirty_kb", out, METRIC_MONGO_HOST_DIRTY);
	if (find_kib(doc, "memory.Active(file)_kb", &active) &&
		find_kib(doc, "memory.Inactive(file)_kb", &inactive))
		sample_set_u64(out, METRIC_MONGO_HOST_FILE_CACHE, active + inactive);
}

/* Devices that are built upon others would count twice. */
static bool is_stacked(const char *name)
{
	static const char *const prefixes[] = {"dm-", "md", "loop", "ram", "zram", NULL};

	for (const char *const *p = prefixes; *p; p++)
		if (strncmp(name, *p, strlen(*p)) == 0)
			return true;
	return false;
}

static void take_disks(const bson_t *doc, struct sample *out)
{
	uint64_t sum = 0;
	bson_iter_t disks, it, sectors;
	bool any = false;
	bson_t disk;

	if (!bdoc_find(doc, "disks", &disks) || !BSON_ITER_HOLDS_DOCUMENT(&disks) ||
		!bson_iter_recurse(&disks, &it))
		return;
	while (bson_iter_next(&it)) {
		uint64_t n;

		if (is_stacked(bson_iter_key(&it)) || !bdoc_view(&it, &disk) ||
			!bdoc_find(&disk, "read_sectors", &sectors))
			continue;
		if (!bdoc_count(&sectors, &n) || n >= SECTORS_MAX - sum)
			return; /* a sum without one of them would be wrong */
		sum += n;
		any = true;
	}
	if (any)
		sample_set_u64(out, METRIC_MONGO_HOST_DISK_READ_TOTAL, sum * SECTOR);
}

void parse_mongo_system(const bson_t *doc, struct sample *out)
{
	bson_iter_t it;

	take_memory(doc, out);
	take_disks(doc, out);
	if (bdoc_find(doc, "vmstat.pgmajfault", &it))
		bdoc_set_count(out, METRIC_MONGO_HOST_MAJFAULT_TOTAL, &it);
	if (bdoc_find(doc, "pressure.io.some.totalMicros", &it)) /* 8.0 */
		bdoc_set_count(out, METRIC_MONGO_HOST_PSI_IO_TOTAL, &it);
}

/* What was not taken anew is not of now, and its counters would show a rate of 0. */
static bool is_same_again(const bson_t *system, int64_t *taken_ms)
{
	int64_t before = *taken_ms;
	bson_iter_t it;

	*taken_ms = 0;
	if (!bdoc_find(system, "start", &it))
		return false;
	if (BSON_ITER_HOLDS_DATE_TIME(&it))
		*taken_ms = bson_iter_date_time(&it);
	else if (!bdoc_i64(&it, taken_ms))
		return false;
	return before && *taken_ms == before;
}

bool parse_mongo_diagnostic(
	const bson_t *doc, int64_t *taken_ms, struct sample *out, struct err *err)
{
	bson_iter_t it;
	bson_t system;

	if (!bdoc_find(doc, "data.systemMetrics", &it) || !bdoc_view(&it, &system))
		return err_set(err, ERR_UNSUPPORTED,
			"the diagnostic data has no systemMetrics (only mongod on Linux has)");
	if (!is_same_again(&system, taken_ms))
		parse_mongo_system(&system, out);
	return true;
}
