/*
 * serverStatus as a poll asks for it. The server makes each section anew for every call, so those
 * that nothing here reads are left out by name: unknown names are ignored, and there is no way to
 * ask for one section only. `metrics` is half of what remains, in bytes as in time.
 */
#include "mongo_status.h"

static const char *const unread[] = {
	"asserts", "batchedDeletes", "catalogStats", "changeStreamPreImages", "collectionCatalog",
	"defaultRWConcern", "electionMetrics", "encryptionAtRest", "extra_info", "freeMonitoring",
	"globalLock", "hedgingMetrics", "indexBulkBuilder", "indexStats", "internalTransactions",
	"locks", "logicalSessionRecordCache", "network", "opReadConcernCounters", "opcountersRepl",
	"oplogTruncation", "planCache", "queryAnalyzers", "querySettings", "queryStats",
	"readConcernCounters", "readPreferenceCounters", "repl", "resharding", "scramCache",
	"security", "shardedIndexConsistency", "sharding", "shardingStatistics",
	"spillWiredTiger", /* a cache of its own, of sorts: never mixed with the main one */
	"tcmalloc", "tenantMigrationAccessBlocker", "tenantMigrations", "timing",
	"trafficRecording", "transactions", "transportSecurity", "twoPhaseCommitCoordinator",
	"watchdog", NULL};

void mongo_status_command(bson_t *cmd, bool plain, bool with_metrics)
{
	bson_t latencies;

	BSON_APPEND_INT32(cmd, "serverStatus", 1);
	if (plain)
		return;
	for (const char *const *name = unread; *name; name++)
		bson_append_int32(cmd, *name, -1, 0);
	if (!with_metrics)
		BSON_APPEND_INT32(cmd, "metrics", 0);
	BSON_APPEND_DOCUMENT_BEGIN(cmd, "opLatencies", &latencies);
	BSON_APPEND_BOOL(&latencies, "histograms", true);
	bson_append_document_end(cmd, &latencies);
}
