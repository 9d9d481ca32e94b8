/*
 * This host by /proc, /sys and its cgroup, or a copy of them below a directory (proc:/DIR). The
 * files are read whole into one buffer that is allocated once; what cannot change is looked at in
 * the first poll only, and so is a PSI that is switched off.
 */
#include "kinds.h"
#include "cgroup.h"
#include "procfile.h"
#include "stamp.h"
#include "virt.h"

#include <errno.h>

#include "hotset/parse.h"

#define BUFFER_SIZE (1024ul * 1024) /* bytes; the interrupts line of /proc/stat can have 100 KB */

struct proc {
	const struct target *target;
	char *buf;
	bool looked;
	struct virt virt;
	struct cgroup cgroup;
	enum reason psi_why; /* REASON_OK: ask; else why there is none */
	char release[64];
	struct server_run run;
};

/* The first failure is the one that is told. */
static void make_partial(struct sample *out, const struct err *err)
{
	if (out->status == STATUS_OK) {
		out->status = STATUS_PARTIAL;
		out->err = *err;
	}
}

typedef bool parse_fn(const char *buf, size_t len, struct sample *out, struct err *err);

/* Reads and parses one file; a failure makes the sample partial and names the file. */
static bool take(struct proc *p, const char *path, parse_fn *parse, struct sample *out)
{
	struct err err;
	size_t len;

	if (procfile_read(p->target->path, path, p->buf, BUFFER_SIZE, &len, &err) &&
		parse(p->buf, len, out, &err))
		return true;
	make_partial(out, &err);
	return false;
}

static enum reason psi_reason(int sys)
{
	if (sys == EOPNOTSUPP)
		return REASON_PSI_OFF;
	if (sys == EACCES || sys == EPERM)
		return REASON_NO_PRIVILEGE;
	return REASON_NO_PSI;
}

static void no_psi(struct sample *out, enum reason why)
{
	sample_set_missing(out, METRIC_HOST_PSI_MEM_SOME_TOTAL, why);
	sample_set_missing(out, METRIC_HOST_PSI_MEM_FULL_TOTAL, why);
	sample_set_missing(out, METRIC_HOST_PSI_IO_SOME_TOTAL, why);
	sample_set_missing(out, METRIC_HOST_PSI_IO_FULL_TOTAL, why);
}

/* A kernel without PSI is no failure of ours: the values say why they are missing. */
static void take_psi(struct proc *p, struct sample *out)
{
	static const struct {
		const char *path;
		enum psi_what what;
	} files[] = {{"/proc/pressure/memory", PSI_MEMORY}, {"/proc/pressure/io", PSI_IO}};
	struct err err;
	size_t len;

	for (unsigned i = 0; i < 2 && p->psi_why == REASON_OK; i++) {
		if (!procfile_read(p->target->path, files[i].path, p->buf, BUFFER_SIZE, &len, &err))
			p->psi_why = psi_reason(err.sys);
		else if (!parse_psi(p->buf, len, files[i].what, out, &err))
			make_partial(out, &err);
	}
	if (p->psi_why != REASON_OK)
		no_psi(out, p->psi_why);
}

static void no_cgroup(struct sample *out)
{
	static const enum metric_id ids[] = {METRIC_HOST_CGROUP_USED, METRIC_HOST_CGROUP_MAX,
		METRIC_HOST_CGROUP_FILL, METRIC_HOST_CGROUP_FILE, METRIC_HOST_CGROUP_SWAP_USED,
		METRIC_HOST_CGROUP_SWAP_MAX, METRIC_HOST_CGROUP_RBYTES_TOTAL};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		sample_set_missing(out, ids[i], REASON_NO_CGROUP);
}

static void take_cgroup(struct proc *p, struct sample *out)
{
	double total = sample_f64(out, METRIC_HOST_MEM_TOTAL);

	if (p->cgroup.version)
		cgroup_read(&p->cgroup, p->target->path, total > 0 ? (uint64_t)total : 0, out);
	else
		no_cgroup(out);
	if (!sample_has(out, METRIC_HOST_CGROUP_MAX) && strcmp(p->virt.container, "none") != 0)
		sample_set_text(out, METRIC_HOST_SCOPE, "host-wide", strlen("host-wide"));
}

static void take_what_stays(struct proc *p, struct sample *out)
{
	if (!p->looked) {
		p->looked = true;
		virt_find(&p->virt, p->target->path);
		cgroup_find(&p->cgroup, p->target->path, 0);
		procfile_line(p->target->path, "/proc/sys/kernel/osrelease", p->release,
			sizeof(p->release));
	}
	sample_set_text(out, METRIC_HOST_VIRT, p->virt.vm, strlen(p->virt.vm));
	sample_set_text(out, METRIC_HOST_CONTAINER, p->virt.container, strlen(p->virt.container));
	sample_set_text(out, METRIC_HOST_STORAGE, p->virt.storage, strlen(p->virt.storage));
	snprintf(out->product, sizeof(out->product), "linux");
	snprintf(out->version, sizeof(out->version), "%.47s", p->release);
}

static void take_run(struct proc *p, struct sample *out)
{
	double btime = sample_f64(out, METRIC_HOST_BTIME);
	double now = (double)clock_wall_ns() / (double)NS_PER_SEC;

	parse_settle_epoch(&p->run, out);
	if (btime > 0 && now > btime)
		sample_set_f64(out, METRIC_HOST_UPTIME, now - btime);
}

static struct source *proc_create(const struct target *t, const struct source_options *o)
{
	struct proc *p = calloc(1, sizeof(*p));

	(void)o;
	if (!p)
		return NULL;
	p->target = t;
	p->psi_why = REASON_OK;
	p->buf = malloc(BUFFER_SIZE);
	return (struct source *)p;
}

static void proc_poll(struct source *s, const struct poll_request *req, struct sample *out)
{
	struct proc *p = (struct proc *)s;
	struct stamp begin = stamp_begin();
	struct err err = {.code = ERR_NONE};

	(void)req; /* the kernel answers, or nobody does */
	if (!p || !p->buf) {
		err_set(&err, ERR_SYSTEM, "no memory for a buffer");
		sample_fail(out, STATUS_ERROR, &err);
		return;
	}
	out->status = STATUS_OK;
	if (!take(p, "/proc/meminfo", parse_meminfo, out)) {
		err = out->err;
		sample_fail(out, STATUS_ERROR, &err);
		stamp_failed(begin, out);
		return;
	}
	take(p, "/proc/vmstat", parse_vmstat, out);
	take(p, "/proc/stat", parse_stat, out);
	take(p, "/proc/diskstats", parse_diskstats, out);
	take_psi(p, out);
	take_what_stays(p, out);
	take_cgroup(p, out);
	take_run(p, out);
	stamp_end(begin, out);
}

static void proc_destroy(struct source *s)
{
	struct proc *p = (struct proc *)s;

	if (!p)
		return;
	free(p->buf);
	free(p);
}

static const char *const schemes[] = {"proc", NULL};

const struct source_ops source_proc = {
	.name = "proc",
	.schemes = schemes,
	.kind = KIND_HOST,
	.create = proc_create,
	.poll = proc_poll,
	.destroy = proc_destroy,
};
