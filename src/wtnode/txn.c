#include "txn.h"

#include "clockx.h"

#define REAPER_S_MIN 1
#define REAPER_S_MAX 60

/* ---- ending -----------------------------------------------------------------------------------
 */

/* Gives back what an open transaction holds; the engine's part of it is over. */
static void release(struct txns *t, struct txn *txn, bool committed)
{
	for (unsigned i = 0; i < txn->touched_count; i++) {
		struct txn_touched *touched = &txn->touched[i];

		if (committed) {
			atomic_fetch_add(&touched->coll->count, touched->count);
			atomic_fetch_add(&touched->coll->bytes, touched->bytes);
		}
		catalog_let_go(t->catalog, touched->coll);
	}
	txn->touched_count = 0;
	txn->session->close(txn->session, NULL);
	txn->session = NULL;
	ops_latency(t->ops, OPS_TRANSACTION, (ops_now_ns() - txn->start_ns) / 1000);
}

/* Marks a transaction that is checked out as ended and checks it in; the lock is held. */
static void set_ended(struct txns *t, struct txn *txn, enum txn_state state)
{
	txn->state = state;
	txn->busy = false;
	txn->used_ns = ops_now_ns();
	t->counts.open--;
	t->counts.active--;
	if (state == TXN_COMMITTED) {
		t->counts.committed++;
	} else {
		t->counts.aborted++;
	}
	pthread_cond_broadcast(&t->changed);
}

static void set_busy(struct txns *t, struct txn *txn)
{
	txn->busy = true;
	txn->busy_ns = ops_now_ns();
	t->counts.active++;
}

/* Rolls back a transaction that the caller has checked out; takes the lock for a moment. */
static void abort_busy(struct txns *t, struct txn *txn)
{
	txn->session->rollback_transaction(txn->session, NULL);
	release(t, txn, false);
	pthread_mutex_lock(&t->lock);
	set_ended(t, txn, TXN_ABORTED);
	pthread_mutex_unlock(&t->lock);
}

/* Ends an open transaction for that reason, now or when its statement is back. With the lock, which
 * it gives up meanwhile. */
static void end_locked(struct txns *t, struct txn *txn, enum fail_code why)
{
	if (txn->busy) {
		atomic_store(&txn->killed, (int)why);
		return;
	}
	set_busy(t, txn);
	pthread_mutex_unlock(&t->lock);
	abort_busy(t, txn);
	pthread_mutex_lock(&t->lock);
}

/* ---- the reaper -------------------------------------------------------------------------------
 */

static bool expired(const struct txn *txn)
{
	return txn->state == TXN_OPEN && ops_now_ns() - txn->start_ns > txn->lifetime_ms * 1000000;
}

static int64_t period_s(const struct txns *t)
{
	int64_t s = atomic_load(t->lifetime_s) / 2;

	return s < REAPER_S_MIN ? REAPER_S_MIN : s > REAPER_S_MAX ? REAPER_S_MAX : s;
}

/* Wakes up as often as mongod's: half of the lifetime, so that an idle one lives up to 1.5 times
 * the limit. */
static void *reaper_main(void *arg)
{
	struct txns *t = arg;
	int64_t last_s = ops_now_ns() / 1000000000;

	pthread_mutex_lock(&t->lock);
	while (!t->stop) {
		struct timespec when = {.tv_sec = last_s + period_s(t)};

		if (ops_now_ns() / 1000000000 < when.tv_sec) {
			pthread_cond_timedwait(&t->changed, &t->lock, &when);
			continue;
		}
		last_s = ops_now_ns() / 1000000000;
		for (int i = 0; i < TXN_SESSIONS; i++) {
			if (expired(&t->all[i])) {
				end_locked(t, &t->all[i], FAIL_TRANSACTION_EXPIRED);
			}
		}
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

bool txns_open(struct txns *t, struct engine *engine, struct catalog *catalog, struct ops *ops,
	const atomic_uint *lifetime_s, struct fail *fail)
{
	pthread_condattr_t attr;

	t->engine = engine;
	t->catalog = catalog;
	t->ops = ops;
	t->lifetime_s = lifetime_s;
	pthread_mutex_init(&t->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&t->changed, &attr);
	pthread_condattr_destroy(&attr);
	int ret = pthread_create(&t->reaper, NULL, reaper_main, t);
	if (ret != 0) {
		pthread_cond_destroy(&t->changed);
		pthread_mutex_destroy(&t->lock);
		return fail_set(fail, FAIL_INTERNAL, "no thread: %s", strerror(ret));
	}
	return true;
}

void txns_stop(struct txns *t)
{
	pthread_mutex_lock(&t->lock);
	t->stop = true;
	pthread_cond_broadcast(&t->changed);
	for (int i = 0; i < TXN_SESSIONS; i++) {
		if (t->all[i].state == TXN_OPEN) {
			end_locked(t, &t->all[i], FAIL_SHUTTING_DOWN);
		}
	}
	pthread_mutex_unlock(&t->lock);
	pthread_join(t->reaper, NULL);
}

void txns_close(struct txns *t)
{
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
}

void txns_wake(struct txns *t)
{
	pthread_mutex_lock(&t->lock);
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
}

void txns_kill(struct txns *t, const struct txn_id *id)
{
	pthread_mutex_lock(&t->lock);
	for (int i = 0; i < TXN_SESSIONS; i++) {
		struct txn *txn = &t->all[i];

		if (txn->state == TXN_OPEN &&
			(id == NULL || memcmp(txn->id.bytes, id->bytes, TXN_ID_BYTES) == 0)) {
			end_locked(t, txn, FAIL_INTERRUPTED);
		}
	}
	pthread_mutex_unlock(&t->lock);
}

/* ---- statements -------------------------------------------------------------------------------
 */

static struct txn *find(struct txns *t, const struct txn_id *id)
{
	for (int i = 0; i < TXN_SESSIONS; i++) {
		if (t->all[i].state != TXN_UNUSED &&
			memcmp(t->all[i].id.bytes, id->bytes, TXN_ID_BYTES) == 0) {
			return &t->all[i];
		}
	}
	return NULL;
}

/* The session's place, once no statement has it; NULL without one, or at the node's end. */
static struct txn *find_idle(struct txns *t, const struct txn_id *id)
{
	struct txn *txn = find(t, id);

	while (txn != NULL && txn->busy && !t->stop) {
		pthread_cond_wait(&t->changed, &t->lock);
		txn = find(t, id);
	}
	return t->stop ? NULL : txn;
}

/* A place for a new session: a free one, or that of the transaction which ended first. */
static struct txn *take_place(struct txns *t)
{
	struct txn *best = NULL;

	for (int i = 0; i < TXN_SESSIONS; i++) {
		struct txn *txn = &t->all[i];

		if (txn->state == TXN_UNUSED) {
			return txn;
		}
		if (txn->state != TXN_OPEN && (best == NULL || txn->used_ns < best->used_ns)) {
			best = txn;
		}
	}
	return best;
}

/* Begins the engine's transaction. A snapshot reads at a timestamp, which pins history. */
static bool begin_engine(struct txns *t, struct txn *txn, struct fail *fail)
{
	bool timestamped = strcmp(txn->level, "snapshot") == 0;
	int ret = engine_session(t->engine, &txn->session);

	if (ret != 0) {
		return fail_engine(fail, ret, "opening a session");
	}
	txn->read_stamp = txn->at;
	if (timestamped) {
		if (engine_begin_at(t->engine, txn->session, &txn->read_stamp, fail)) {
			txn->horizon = txn->read_stamp;
			return true;
		}
	} else {
		txn->horizon = engine_newest(t->engine);
		ret = txn->session->begin_transaction(txn->session, NULL);
		if (ret == 0) {
			return true;
		}
		fail_engine(fail, ret, "beginning a transaction");
	}
	txn->session->close(txn->session, NULL);
	txn->session = NULL;
	return false;
}

/* Starts a transaction in the place, which holds none that is open. One that cannot begin is
 * remembered as aborted. */
static bool start(struct txns *t, struct txn *txn, const struct txn_request *req,
	const struct ops_client *client, struct fail *fail)
{
	txn->at = req->at;
	memcpy(txn->level, req->level, sizeof(txn->level));
	bool ok = begin_engine(t, txn, fail);
	txn->state = ok ? TXN_OPEN : TXN_ABORTED;
	t->counts.open += ok;
	t->counts.started += ok;
	txn->id = req->id;
	txn->number = req->number;
	txn->client = *client;
	txn->touched_count = 0;
	txn->active_ns = 0;
	txn->start_ns = txn->used_ns = ops_now_ns();
	txn->start_wall_ms = clockx_wall_ms();
	txn->lifetime_ms = (int64_t)atomic_load(t->lifetime_s) * 1000;
	atomic_store(&txn->killed, 0);
	return ok;
}

static const char *state_name(enum txn_state state)
{
	return state == TXN_OPEN ? "in progress" : state == TXN_COMMITTED ? "committed" : "aborted";
}

static bool enter_new(struct txns *t, struct txn **place, const struct txn_request *req,
	const struct ops_client *client, struct fail *fail)
{
	struct txn *txn = *place;

	if (txn != NULL && req->number == txn->number) {
		return fail_set(fail, FAIL_TRANSACTION_STARTED,
			"Cannot start a transaction at given transaction number %lld a transaction "
			"with the same number is in state %s",
			(long long)req->number, state_name(txn->state));
	}
	if (t->counts.open >= TXN_OPEN_MAX || (txn == NULL && (txn = take_place(t)) == NULL)) {
		return fail_set(fail, FAIL_TOO_MANY_SESSIONS,
			"wtnode has at most %d transactions open at once", TXN_OPEN_MAX);
	}
	*place = txn;
	return start(t, txn, req, client, fail);
}

static bool check_open(const struct txn *txn, const struct txn_request *req, struct fail *fail)
{
	long long number = (long long)req->number;

	if (txn == NULL || req->number > txn->number) {
		return fail_set(fail, FAIL_NO_SUCH_TRANSACTION,
			"Given transaction number %lld does not match any in-progress "
			"transactions. The active transaction number is %lld",
			number, txn == NULL ? -1LL : (long long)txn->number);
	}
	if (txn->state == TXN_COMMITTED) {
		return fail_set(fail, FAIL_TRANSACTION_COMMITTED,
			"Transaction %lld has been committed.", number);
	}
	if (txn->state == TXN_ABORTED) {
		return fail_set(fail, FAIL_NO_SUCH_TRANSACTION,
			"Transaction %lld has been aborted.", number);
	}
	return true;
}

static bool check_age(const struct txn *txn, const struct txn_request *req, struct fail *fail)
{
	if (txn != NULL && req->number < txn->number) {
		return fail_set(fail, FAIL_TRANSACTION_TOO_OLD,
			"Cannot start transaction %lld on this session because a newer transaction "
			"%lld has already started.",
			(long long)req->number, (long long)txn->number);
	}
	return true;
}

static bool check_stop(const struct txns *t, struct fail *fail)
{
	return t->stop ? fail_set(fail, FAIL_SHUTTING_DOWN, "the node is shutting down") : true;
}

struct txn *txn_enter(struct txns *t, const struct txn_request *req,
	const struct ops_client *client, struct fail *fail)
{
	struct txn *txn;

	pthread_mutex_lock(&t->lock);
	while ((txn = find_idle(t, &req->id)) != NULL && req->start && txn->state == TXN_OPEN &&
		req->number > txn->number) {
		end_locked(t, txn, FAIL_INTERRUPTED); /* a newer one takes its place */
	}
	bool ok = check_stop(t, fail) && check_age(txn, req, fail) &&
		  (req->start ? enter_new(t, &txn, req, client, fail) : check_open(txn, req, fail));
	if (ok && txn) {
		txn->client = *client;
		set_busy(t, txn);
	}
	pthread_mutex_unlock(&t->lock);
	return ok ? txn : NULL;
}

void txn_leave(struct txns *t, struct txn *txn, bool ok)
{
	pthread_mutex_lock(&t->lock);
	txn->active_ns += ops_now_ns() - txn->busy_ns;
	bool stays = ok && !t->stop && atomic_load(&txn->killed) == 0;
	if (stays) {
		txn->busy = false;
		txn->used_ns = ops_now_ns();
		t->counts.active--;
		pthread_cond_broadcast(&t->changed);
	}
	pthread_mutex_unlock(&t->lock);
	if (!stays) {
		abort_busy(t, txn);
	}
}

/* Checks out the transaction that a command ends. With committed, one that is so already is no
 * failure and *txn NULL. */
static bool enter_last(struct txns *t, const struct txn_request *req, bool committed,
	struct txn **txn, struct fail *fail)
{
	pthread_mutex_lock(&t->lock);
	struct txn *found = find_idle(t, &req->id);
	bool ok = check_stop(t, fail) && check_age(found, req, fail);
	if (ok && committed && found != NULL && req->number == found->number &&
		found->state == TXN_COMMITTED) {
		found = NULL;
	} else if (ok) {
		ok = check_open(found, req, fail);
		if (ok && found != NULL) {
			set_busy(t, found);
		}
	}
	*txn = found;
	pthread_mutex_unlock(&t->lock);
	return ok;
}

bool txn_commit(struct txns *t, const struct txn_request *req, unsigned slot, struct fail *fail)
{
	struct txn *txn;

	if (!enter_last(t, req, true, &txn, fail)) {
		return false;
	}
	if (txn == NULL) {
		return true;
	}
	int ret = engine_commit(t->engine, txn->session, slot);
	release(t, txn, ret == 0);
	pthread_mutex_lock(&t->lock);
	set_ended(t, txn, ret == 0 ? TXN_COMMITTED : TXN_ABORTED);
	pthread_mutex_unlock(&t->lock);
	return ret == 0 ? true : fail_engine(fail, ret, "commit");
}

bool txn_abort(struct txns *t, const struct txn_request *req, struct fail *fail)
{
	struct txn *txn;

	if (!enter_last(t, req, false, &txn, fail)) {
		return false;
	}
	abort_busy(t, txn);
	return true;
}

/* ---- what it writes to ------------------------------------------------------------------------
 */

static struct txn_touched *find_touched(struct txn *txn, const struct collection *coll)
{
	for (unsigned i = 0; i < txn->touched_count; i++) {
		if (txn->touched[i].coll == coll) {
			return &txn->touched[i];
		}
	}
	return NULL;
}

bool txn_touch(struct txns *t, struct txn *txn, struct collection *coll, struct fail *fail)
{
	if (find_touched(txn, coll) != NULL) {
		return true;
	}
	if (txn->touched_count == TXN_TOUCHED_MAX) {
		return fail_set(fail, FAIL_NOT_IMPLEMENTED,
			"a transaction can write to %d collections here", TXN_TOUCHED_MAX);
	}
	if (!catalog_hold(t->catalog, coll)) {
		return fail_set(fail, FAIL_LOCK_TIMEOUT,
			"Unable to acquire the lock on the collection: an index is being built");
	}
	txn->touched[txn->touched_count++] = (struct txn_touched){.coll = coll};
	return true;
}

void txn_account(struct txn *txn, struct collection *coll, int64_t count, int64_t bytes)
{
	struct txn_touched *touched = find_touched(txn, coll);

	if (touched != NULL) {
		touched->count += count;
		touched->bytes += bytes;
	}
}

/* ---- reports ----------------------------------------------------------------------------------
 */

void txns_count(struct txns *t, struct txn_counts *counts)
{
	pthread_mutex_lock(&t->lock);
	*counts = t->counts;
	pthread_mutex_unlock(&t->lock);
}

static struct txn copy_of(const struct txn *txn)
{
	struct txn copy = *txn;

	if (copy.busy) {
		copy.active_ns += ops_now_ns() - copy.busy_ns;
	}
	return copy;
}

void txn_copy(struct txns *t, const struct txn *txn, struct txn *copy)
{
	pthread_mutex_lock(&t->lock);
	*copy = copy_of(txn);
	pthread_mutex_unlock(&t->lock);
}

void txns_each_idle(struct txns *t, bool (*visit)(const struct txn *txn, void *arg), void *arg)
{
	bool more = true;

	for (int i = 0; i < TXN_SESSIONS && more; i++) {
		struct txn copy;

		pthread_mutex_lock(&t->lock);
		bool idle = t->all[i].state == TXN_OPEN && !t->all[i].busy;
		if (idle) {
			copy = copy_of(&t->all[i]);
		}
		pthread_mutex_unlock(&t->lock);
		if (idle) {
			more = visit(&copy, arg);
		}
	}
}
