/* Two small blocking clients for loads, over the transport that the sources use. One thread. */
#ifndef HOTSET_LAB_KV_H
#define HOTSET_LAB_KV_H

#include <stddef.h>
#include "hotset/err.h"

struct kv;

/* A redis or memcached URI. NULL and err on failure; connects at the first call. */
struct kv *kv_create(const char *uri, struct err *err);
void kv_destroy(struct kv *kv);
/* *found says whether there was such a key; its value is read and thrown away. */
MUST_CHECK bool kv_get(struct kv *kv, const char *key, bool *found, struct err *err);
MUST_CHECK bool kv_set(struct kv *kv, const char *key, const char *value, size_t len,
	unsigned ttl_s, struct err *err);

#endif
