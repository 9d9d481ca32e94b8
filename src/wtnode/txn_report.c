/* An open transaction as $currentOp of mongod shows it. */
#include "txn.h"

#include "bsonx.h"
#include "clockx.h"

/* SHA-256 of the empty name: the user id of whoever is not authenticated. */
static const uint8_t nobody[32] = {0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4,
	0xc8, 0x99, 0x6f, 0xb9, 0x24, 0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95,
	0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55};

static void append_lsid(const struct txn *txn, bson_t *doc)
{
	bson_t lsid;

	BSON_APPEND_DOCUMENT_BEGIN(doc, "lsid", &lsid);
	BSON_APPEND_BINARY(
		&lsid, "id", (bson_subtype_t)txn->id.subtype, txn->id.bytes, TXN_ID_BYTES);
	BSON_APPEND_BINARY(&lsid, "uid", BSON_SUBTYPE_BINARY, nobody, sizeof(nobody));
	bson_append_document_end(doc, &lsid);
}

static void append_stamp(bson_t *doc, const char *key, uint64_t stamp)
{
	BSON_APPEND_TIMESTAMP(doc, key, (uint32_t)(stamp >> 32), (uint32_t)stamp);
}

static void append_parameters(const struct txn *txn, bson_t *doc)
{
	bson_t parameters, concern;

	BSON_APPEND_DOCUMENT_BEGIN(doc, "parameters", &parameters);
	BSON_APPEND_INT64(&parameters, "txnNumber", txn->number);
	BSON_APPEND_BOOL(&parameters, "autocommit", false);
	if (txn->level[0] != '\0') {
		BSON_APPEND_DOCUMENT_BEGIN(&parameters, "readConcern", &concern);
		BSON_APPEND_UTF8(&concern, "level", txn->level);
		if (txn->at != 0) {
			append_stamp(&concern, "atClusterTime", txn->at);
		}
		BSON_APPEND_UTF8(&concern, "provenance", "clientSupplied");
		bson_append_document_end(&parameters, &concern);
	}
	bson_append_document_end(doc, &parameters);
}

static void append_time(bson_t *doc, const char *key, int64_t ms)
{
	char text[CLOCKX_TEXT];

	clockx_text(ms, text);
	BSON_APPEND_UTF8(doc, key, text);
}

void txn_report(const struct txn *txn, bson_t *doc)
{
	int64_t open_us = (ops_now_ns() - txn->start_ns) / 1000, active_us = txn->active_ns / 1000;
	bson_t transaction;

	append_lsid(txn, doc);
	BSON_APPEND_DOCUMENT_BEGIN(doc, "transaction", &transaction);
	append_parameters(txn, &transaction);
	append_stamp(&transaction, "readTimestamp", txn->read_stamp);
	append_time(&transaction, "startWallClockTime", txn->start_wall_ms);
	BSON_APPEND_INT64(&transaction, "timeOpenMicros", open_us);
	BSON_APPEND_INT64(&transaction, "timeActiveMicros", active_us);
	BSON_APPEND_INT64(&transaction, "timeInactiveMicros", open_us - active_us);
	append_time(&transaction, "expiryTime", txn->start_wall_ms + txn->lifetime_ms);
	bson_append_document_end(doc, &transaction);
}
