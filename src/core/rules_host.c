/* The host under the databases: memory pressure, a small page cache, virtual storage. */
#include "rules_limit.h"

#define MEAN_S       10u
#define SOME_WARN    10.0  /* percent of time in which some task stalls on memory */
#define FULL_CRIT    10.0  /* and in which all do */
#define REFAULT_WARN 500.0 /* pages per second, about 2 MB/s */

static void eval_pressure(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	const struct history *h = ep->history;
	struct value swap = ep->frame.v[METRIC_HOST_SWAP_IN];
	char pages[NUM_MAX], swapping[64] = "";
	double some, full = 0;

	(void)m;
	if (!history_mean(h, METRIC_HOST_PSI_MEM_SOME, ep->seen_mono_ns, MEAN_S, 1, &some))
		return;
	(void)history_mean(h, METRIC_HOST_PSI_MEM_FULL, ep->seen_mono_ns, MEAN_S, 1, &full);
	if (some < SOME_WARN && full < FULL_CRIT)
		return;
	if (value_ok(swap) && swap.v > 0)
		snprintf(swapping, sizeof(swapping), "; %s pages/s swapped in",
			num_short(pages, swap.v));
	finding_say(out, full < FULL_CRIT ? LEVEL_WARN : LEVEL_CRIT,
		"tasks wait for memory %.0f %% of the time, all of them %.0f %% "
		"(mean of up to 10 s)%s",
		some, full, swapping);
	finding_next(out, "The caches together are larger than the memory: make one smaller.");
	data_num(&out->data, "some_percent", some);
	data_num(&out->data, "full_percent", full);
}

static void eval_refaulting(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	struct value file = ep->frame.v[METRIC_HOST_MEM_FILE_CACHE];
	char rate[NUM_MAX], bytes[NUM_MAX], cache[NUM_MAX] = "n/a";
	double refaults;

	(void)m;
	if (!history_mean(
		    ep->history, METRIC_HOST_VM_REFAULT, ep->seen_mono_ns, MEAN_S, 1, &refaults) ||
		refaults < REFAULT_WARN)
		return;
	if (value_ok(file))
		num_format(cache, UNIT_BYTES, file.v, false);
	finding_say(out, LEVEL_WARN,
		"the page cache (%s) is too small: %s pages/s (%s) are read again soon after their "
		"eviction",
		cache, num_short(rate, refaults),
		num_format(bytes, UNIT_BYTES_PER_SEC, refaults * 4096, false));
	finding_next(
		out, "Misses of the database now cost device reads; see who else reads files.");
	data_num(&out->data, "refaults_per_s", refaults);
}

static bool is_one_of(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (strncmp(text, *list, strlen(*list)) == 0)
			return true;
	return false;
}

static void eval_virtual(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	static const char *const layered[] = {
		"overlay", "fuse", "virtiofs", "9p", "nfs", "cifs", "tmpfs", "ramfs", NULL};
	const char *virt = frame_info(&ep->frame, METRIC_HOST_VIRT);
	const char *storage = frame_info(&ep->frame, METRIC_HOST_STORAGE);
	bool guest = virt && strcmp(virt, "none") != 0;
	bool stacked = storage && is_one_of(storage, layered);

	(void)m;
	if (!guest && !stacked)
		return;
	finding_say(out, LEVEL_INFO, "%s%s%s%s: times of reads measure that layer, not a disk",
		guest ? "a virtual machine (" : "", guest ? virt : "",
		guest ? (stacked ? ") with its data on " : ")") : "data on ",
		stacked ? storage : "");
	finding_next(out, "Compare reads only with others of this machine.");
	data_text(&out->data, "virt", virt);
	data_text(&out->data, "storage", storage);
}

const struct rule rules_host[] = {
	{.code = "host.psi_memory", .kind = KIND_HOST, .hold_s = 10, .eval = eval_pressure},
	{.code = LIMIT_CODE, .kind = KIND_HOST, .hold_s = 10, .eval = rules_limit_of_host},
	{.code = "host.refaulting", .kind = KIND_HOST, .hold_s = 10, .eval = eval_refaulting},
	{.code = "host.virtual_storage",
		.kind = KIND_HOST,
		.hold_s = 60,
		.quiet = true,
		.standing = true,
		.eval = eval_virtual},
	{0},
};
