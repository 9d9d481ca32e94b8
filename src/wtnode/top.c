#include "top.h"

static const char *const names[TOP_EVENTS] = {"total", "readLock", "writeLock", "queries",
	"getmore", "insert", "update", "remove", "commands"};

void top_init(struct top *top)
{
	memset(top, 0, sizeof(*top));
	pthread_mutex_init(&top->lock, NULL);
}

void top_finish(struct top *top)
{
	pthread_mutex_destroy(&top->lock);
}

/* FNV-1a */
static uint32_t hash_of(const char *ns)
{
	uint32_t h = 2166136261u;

	for (; *ns != '\0'; ns++) {
		h = (h ^ (uint8_t)*ns) * 16777619u;
	}
	return h;
}

/* The place of the namespace, or used. */
static unsigned find(const struct top *top, const char *ns, uint32_t hash)
{
	unsigned i = 0;

	while (i < top->used && (top->hash[i] != hash || strcmp(top->entries[i].ns, ns) != 0)) {
		i++;
	}
	return i;
}

static void add(struct top_entry *entry, enum top_event event, int64_t count, int64_t us)
{
	entry->count[event] += count;
	entry->time_us[event] += us;
}

void top_record(
	struct top *top, const char *ns, enum top_event kind, bool write, int64_t count, int64_t us)
{
	uint32_t hash = hash_of(ns);

	pthread_mutex_lock(&top->lock);
	unsigned i = find(top, ns, hash);
	if (i == top->used && i < TOP_MAX) {
		top->entries[i] = (struct top_entry){.ns = ""};
		snprintf(top->entries[i].ns, sizeof(top->entries[i].ns), "%s", ns);
		top->hash[i] = hash;
		top->used++;
	}
	if (i < TOP_MAX) {
		add(&top->entries[i], TOP_TOTAL, count, us);
		add(&top->entries[i], write ? TOP_WRITE_LOCK : TOP_READ_LOCK, count, us);
		add(&top->entries[i], kind, count, us);
	}
	pthread_mutex_unlock(&top->lock);
}

void top_forget(struct top *top, const char *ns)
{
	pthread_mutex_lock(&top->lock);
	unsigned i = find(top, ns, hash_of(ns));
	if (i < top->used) {
		top->used--;
		top->entries[i] = top->entries[top->used];
		top->hash[i] = top->hash[top->used];
	}
	pthread_mutex_unlock(&top->lock);
}

static void append_entry(const struct top_entry *entry, bson_t *out)
{
	bson_t doc, event;

	BSON_APPEND_DOCUMENT_BEGIN(out, entry->ns, &doc);
	for (int i = 0; i < TOP_EVENTS; i++) {
		BSON_APPEND_DOCUMENT_BEGIN(&doc, names[i], &event);
		BSON_APPEND_INT64(&event, "time", entry->time_us[i]);
		BSON_APPEND_INT64(&event, "count", entry->count[i]);
		bson_append_document_end(&doc, &event);
	}
	bson_append_document_end(out, &doc);
}

void top_append(struct top *top, bson_t *out)
{
	pthread_mutex_lock(&top->lock);
	for (unsigned i = 0; i < top->used; i++) {
		append_entry(&top->entries[i], out);
	}
	pthread_mutex_unlock(&top->lock);
}
