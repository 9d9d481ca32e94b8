/*
 * Where a miss is served. A cache that is too small hides behind the page cache: its misses are
 * cheap until the memory is needed for something else. Bytes are compared over the same seconds:
 * what WiredTiger read, and what the kernel had to fetch for it.
 */
#include "rules_mongo.h"

#include <math.h>

#define MEAN_S       10u
#define MEAN_MIN_S   5u   /* seconds of these that must be known */
#define MISSES_MIN   50.0 /* pages read per second: fewer cost nobody anything */
#define MASKED_SHARE 20.0 /* percent from the device, below which the page cache serves */
#define DEVICE_SHARE 80.0 /* percent from which the read time is that of the device */
#define DEVICE_MIN_S 3u   /* seconds with such a share that a price needs */

/* Mean time per page over those seconds of the history in which the device served; else NAN. */
static double device_price(const struct endpoint *ep)
{
	float share[HISTORY_STEPS], latency[HISTORY_STEPS];
	unsigned steps = history_steps(ep->history), n = 0;
	double sum = 0;

	if (steps > HISTORY_STEPS)
		steps = HISTORY_STEPS;
	history_window(
		ep->history, METRIC_MONGO_READ_DEVICE_SHARE, ep->seen_mono_ns, steps, share);
	history_window(ep->history, METRIC_MONGO_READ_LATENCY, ep->seen_mono_ns, steps, latency);
	for (unsigned i = 0; i < steps; i++) {
		if (isnan(share[i]) || isnan(latency[i]) || (double)share[i] < DEVICE_SHARE)
			continue;
		sum += (double)latency[i];
		n++;
	}
	return n >= DEVICE_MIN_S ? sum / n : (double)NAN;
}

/* "kvm" of a watched host that is virtual; "" otherwise. The node is proven to be on it. */
static const char *virtual_layer(const struct model *m)
{
	for (unsigned i = 0; i < m->n; i++) {
		const char *virt = frame_info(&m->ep[i]->frame, METRIC_HOST_VIRT);

		if (m->ep[i]->kind == KIND_HOST && virt && strcmp(virt, "none") != 0 &&
			strcmp(m->ep[i]->address, "this host") == 0)
			return virt;
	}
	return "";
}

void rules_masked(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	const struct history *h = ep->history;
	const char *virt = virtual_layer(m);
	char page[NUM_MAX] = "n/a", price[NUM_MAX], device[64] = "not known yet";
	char layer[64] = "";
	double pages, share, latency, cost;

	if (!value_ok(ep->frame.v[METRIC_MONGO_READ_DEVICE_SHARE]))
		return;
	if (!history_mean(h, METRIC_MONGO_CACHE_PAGES_READ, ep->seen_mono_ns, MEAN_S, MEAN_MIN_S,
		    &pages) ||
		!history_mean(h, METRIC_MONGO_READ_DEVICE_SHARE, ep->seen_mono_ns, MEAN_S,
			MEAN_MIN_S, &share) ||
		pages < MISSES_MIN || share >= MASKED_SHARE)
		return;
	if (history_mean(h, METRIC_MONGO_READ_LATENCY, ep->seen_mono_ns, MEAN_S, 1, &latency))
		num_format(page, UNIT_USEC, latency, false);
	cost = device_price(ep);
	if (!isnan(cost))
		snprintf(device, sizeof(device), "%s when it served here",
			num_format(price, UNIT_USEC, cost, false));
	if (*virt)
		snprintf(layer, sizeof(layer), "; a virtual machine (%s), so not a disk's", virt);
	finding_say(out, LEVEL_INFO,
		"the page cache serves the misses: %.0f %% of what is read comes from the device, "
		"%s a page; the device's price: %s%s",
		share, page, device, layer);
	finding_next(out, "It is as good as the memory that is free for it: see page cache and "
			  "refaults in view 5.");
	data_num(&out->data, "device_percent", share);
	data_num(&out->data, "page_us", value_ok(ep->frame.v[METRIC_MONGO_READ_LATENCY])
						? ep->frame.v[METRIC_MONGO_READ_LATENCY].v
						: (double)NAN);
	data_num(&out->data, "device_page_us", cost);
}
