/*
 * Why a command failed: the error code of the MongoDB protocol and one line of text. Held by value,
 * no allocation. A function that takes a struct fail returns false after filling it and leaves its
 * outputs alone.
 */
#ifndef WTNODE_FAIL_H
#define WTNODE_FAIL_H

#include <stdbool.h>

/* Codes that clients know from mongod, with its numbers. */
enum fail_code {
	FAIL_INTERNAL = 1,
	FAIL_BAD_VALUE = 2,
	FAIL_FAILED_TO_PARSE = 9,
	FAIL_UNAUTHORIZED = 13,
	FAIL_TYPE_MISMATCH = 14,
	FAIL_LOCK_TIMEOUT = 24,
	FAIL_INVALID_BSON = 22,
	FAIL_NAMESPACE_NOT_FOUND = 26,
	FAIL_INDEX_NOT_FOUND = 27,
	FAIL_MAX_TIME = 50,
	FAIL_COMMAND_NOT_FOUND = 59,
	FAIL_IMMUTABLE_FIELD = 66,
	FAIL_CANNOT_CREATE_INDEX = 67,
	FAIL_INVALID_OPTIONS = 72,
	FAIL_INVALID_NAMESPACE = 73,
	FAIL_INDEX_OPTIONS_CONFLICT = 85,
	FAIL_INDEX_KEYS_CONFLICT = 86,
	FAIL_OPERATION_FAILED = 96,
	FAIL_WRITE_CONFLICT = 112,
	FAIL_TRANSACTION_TOO_OLD = 225,
	FAIL_NOT_IMPLEMENTED = 238,
	FAIL_SNAPSHOT_TOO_OLD = 239,
	FAIL_NO_SUCH_TRANSACTION = 251,
	FAIL_TRANSACTION_COMMITTED = 256,
	FAIL_TOO_MANY_SESSIONS = 261,
	FAIL_NOT_IN_TRANSACTION = 263,
	FAIL_TRANSACTION_EXPIRED = 290,
	FAIL_TOO_LARGE = 10334,
	FAIL_DUPLICATE_KEY = 11000,
	FAIL_SHUTTING_DOWN = 11600,
	FAIL_INTERRUPTED = 11601,
	FAIL_UNKNOWN_STAGE = 40324,
	FAIL_TRANSACTION_STARTED = 50911,
};

struct fail {
	enum fail_code code;
	char msg[256];
};

/* Fills fail and returns false, so that a caller can write `return fail_set(...)`. */
bool fail_set(struct fail *fail, enum fail_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A failure of WiredTiger, as its error number says it; what names the attempt. Returns false. */
bool fail_engine(struct fail *fail, int wt_error, const char *what);

/* The protocol's name of a code ("CommandNotFound"). */
const char *fail_name(enum fail_code code);

#endif
