#include "fail.h"

#include <stdarg.h>
#include <wiredtiger.h>

static const struct {
	enum fail_code code;
	const char *name;
} names[] = {
	{FAIL_INTERNAL, "InternalError"},
	{FAIL_BAD_VALUE, "BadValue"},
	{FAIL_FAILED_TO_PARSE, "FailedToParse"},
	{FAIL_UNAUTHORIZED, "Unauthorized"},
	{FAIL_TYPE_MISMATCH, "TypeMismatch"},
	{FAIL_LOCK_TIMEOUT, "LockTimeout"},
	{FAIL_INVALID_BSON, "InvalidBSON"},
	{FAIL_NAMESPACE_NOT_FOUND, "NamespaceNotFound"},
	{FAIL_INDEX_NOT_FOUND, "IndexNotFound"},
	{FAIL_MAX_TIME, "MaxTimeMSExpired"},
	{FAIL_COMMAND_NOT_FOUND, "CommandNotFound"},
	{FAIL_IMMUTABLE_FIELD, "ImmutableField"},
	{FAIL_CANNOT_CREATE_INDEX, "CannotCreateIndex"},
	{FAIL_INVALID_OPTIONS, "InvalidOptions"},
	{FAIL_INVALID_NAMESPACE, "InvalidNamespace"},
	{FAIL_INDEX_OPTIONS_CONFLICT, "IndexOptionsConflict"},
	{FAIL_INDEX_KEYS_CONFLICT, "IndexKeySpecsConflict"},
	{FAIL_OPERATION_FAILED, "OperationFailed"},
	{FAIL_WRITE_CONFLICT, "WriteConflict"},
	{FAIL_TRANSACTION_TOO_OLD, "TransactionTooOld"},
	{FAIL_NOT_IMPLEMENTED, "NotImplemented"},
	{FAIL_SNAPSHOT_TOO_OLD, "SnapshotTooOld"},
	{FAIL_NO_SUCH_TRANSACTION, "NoSuchTransaction"},
	{FAIL_TRANSACTION_COMMITTED, "TransactionCommitted"},
	{FAIL_TOO_MANY_SESSIONS, "TooManyLogicalSessions"},
	{FAIL_NOT_IN_TRANSACTION, "OperationNotSupportedInTransaction"},
	{FAIL_TRANSACTION_EXPIRED, "TransactionExceededLifetimeLimitSeconds"},
	{FAIL_TOO_LARGE, "BSONObjectTooLarge"},
	{FAIL_DUPLICATE_KEY, "DuplicateKey"},
	{FAIL_SHUTTING_DOWN, "InterruptedAtShutdown"},
	{FAIL_INTERRUPTED, "Interrupted"},
	{FAIL_UNKNOWN_STAGE, "Location40324"},
	{FAIL_TRANSACTION_STARTED, "Location50911"},
};

bool fail_set(struct fail *fail, enum fail_code code, const char *fmt, ...)
{
	va_list ap;

	fail->code = code;
	va_start(ap, fmt);
	vsnprintf(fail->msg, sizeof(fail->msg), fmt, ap);
	va_end(ap);
	return false;
}

bool fail_engine(struct fail *fail, int wt_error, const char *what)
{
	enum fail_code code = wt_error == WT_ROLLBACK ? FAIL_WRITE_CONFLICT : FAIL_INTERNAL;

	return fail_set(fail, code, "%s: %s", what, wiredtiger_strerror(wt_error));
}

const char *fail_name(enum fail_code code)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].code == code) {
			return names[i].name;
		}
	}
	return "UnknownError";
}
