#include "ops.h"

#include "bsonx.h"

#include <errno.h>

/* mongod's bounds: powers of two, with a half step between 2 ms and 1.6 s. */
static const int64_t bounds_us[OPS_BUCKETS] = {0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048,
	3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152, 65536, 98304, 131072, 196608,
	262144, 393216, 524288, 786432, 1048576, 1572864, 2097152, 4194304, 8388608, 16777216,
	33554432, 67108864, 134217728, 268435456, 536870912, 1073741824, 2147483648, 4294967296,
	8589934592, 17179869184, 34359738368, 68719476736, 137438953472, 274877906944, 549755813888,
	1099511627776};

int64_t ops_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void ops_init(struct ops *ops)
{
	memset(ops, 0, sizeof(*ops));
	for (int i = 0; i < OPS_SLOTS; i++) {
		pthread_mutex_init(&ops->slots[i].lock, NULL);
	}
	sem_init(&ops->tickets[OPS_READ], 0, OPS_TICKETS);
	sem_init(&ops->tickets[OPS_WRITE], 0, OPS_TICKETS);
}

void ops_finish(struct ops *ops)
{
	for (int i = 0; i < OPS_SLOTS; i++) {
		pthread_mutex_destroy(&ops->slots[i].lock);
	}
	sem_destroy(&ops->tickets[OPS_READ]);
	sem_destroy(&ops->tickets[OPS_WRITE]);
}

struct op_slot *ops_connect(struct ops *ops, const char *client)
{
	for (int i = 0; i < OPS_SLOTS; i++) {
		struct op_slot *slot = &ops->slots[i];
		bool taken = false;

		pthread_mutex_lock(&slot->lock);
		if (!slot->connected) {
			taken = true;
			slot->connected = true;
			slot->active = false;
			slot->client.connection_id = atomic_fetch_add(&ops->next_connection, 1) + 1;
			slot->client.app[0] = '\0';
			slot->client.metadata_len = 0;
			snprintf(slot->client.address, sizeof(slot->client.address), "%s", client);
		}
		pthread_mutex_unlock(&slot->lock);
		if (taken) {
			atomic_fetch_add(&ops->connected, 1);
			return slot;
		}
	}
	return NULL;
}

void ops_disconnect(struct ops *ops, struct op_slot *slot)
{
	pthread_mutex_lock(&slot->lock);
	slot->connected = false;
	pthread_mutex_unlock(&slot->lock);
	atomic_fetch_sub(&ops->connected, 1);
}

void ops_set_client(struct op_slot *slot, const bson_t *client)
{
	bson_iter_t it, name;
	const char *app = NULL;

	if (client->len > OPS_METADATA_MAX) {
		return;
	}
	if (bson_iter_init(&it, client) &&
		bson_iter_find_descendant(&it, "application.name", &name)) {
		app = bsonx_name(&name, OPS_APP_MAX);
	}
	pthread_mutex_lock(&slot->lock);
	if (slot->client.metadata_len == 0) {
		memcpy(slot->client.metadata, bson_get_data(client), client->len);
		slot->client.metadata_len = client->len;
		snprintf(slot->client.app, sizeof(slot->client.app), "%s", app == NULL ? "" : app);
	}
	pthread_mutex_unlock(&slot->lock);
}

void ops_begin(struct ops *ops, struct op_slot *slot, enum ops_class class, const char *op,
	const char *ns, const struct request *req)
{
	pthread_mutex_lock(&slot->lock);
	slot->active = true;
	slot->class = class;
	slot->opid = atomic_fetch_add(&ops->next_opid, 1) + 1;
	slot->start_ns = ops_now_ns();
	slot->op = op;
	slot->plan[0] = '\0';
	slot->txn = NULL;
	snprintf(slot->ns, sizeof(slot->ns), "%s", ns);
	memcpy(slot->db, req->db, sizeof(slot->db));
	slot->command = bson_get_data(&req->body);
	slot->command_len = req->body.len;
	atomic_store(&slot->yields, 0);
	atomic_store(&slot->keys, 0);
	atomic_store(&slot->docs, 0);
	pthread_mutex_unlock(&slot->lock);
	while (class != OPS_COMMAND && sem_wait(&ops->tickets[class]) != 0 && errno == EINTR) {
	}
}

void ops_latency(struct ops *ops, enum ops_class class, int64_t us)
{
	struct ops_histogram *h = &ops->latency[class];
	unsigned bucket = 0;

	while (bucket + 1 < OPS_BUCKETS && us >= bounds_us[bucket + 1]) {
		bucket++;
	}
	atomic_fetch_add(&h->buckets[bucket], 1);
	atomic_fetch_add(&h->latency_us, us);
	atomic_fetch_add(&h->ops, 1);
}

void ops_end(struct ops *ops, struct op_slot *slot)
{
	enum ops_class class = slot->class;

	if (class != OPS_COMMAND) {
		sem_post(&ops->tickets[class]);
	}
	ops_latency(ops, class, (ops_now_ns() - slot->start_ns) / 1000);
	ops_count(ops, OPS_SCANNED_KEYS, atomic_load(&slot->keys));
	ops_count(ops, OPS_SCANNED_DOCS, atomic_load(&slot->docs));
	pthread_mutex_lock(&slot->lock);
	slot->active = false;
	slot->command = NULL;
	pthread_mutex_unlock(&slot->lock);
}

void ops_set_plan(struct op_slot *slot, const char *plan)
{
	pthread_mutex_lock(&slot->lock);
	snprintf(slot->plan, sizeof(slot->plan), "%s", plan);
	pthread_mutex_unlock(&slot->lock);
}

void ops_set_txn(struct op_slot *slot, const struct txn *txn)
{
	pthread_mutex_lock(&slot->lock);
	slot->txn = txn;
	pthread_mutex_unlock(&slot->lock);
}

void ops_count(struct ops *ops, enum ops_counter which, int64_t by)
{
	atomic_fetch_add_explicit(&ops->counters[which], by, memory_order_relaxed);
}

int64_t ops_bucket_us(unsigned bucket)
{
	return bounds_us[bucket];
}
