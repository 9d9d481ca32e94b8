/*
 * What a node on this host really reads from its device. WiredTiger counts what it asks the kernel
 * for; the kernel counts, for the process or its cgroup, what it had to fetch. The difference came
 * from the page cache.
 */
#include "mongo.h"
#include "procfile.h"
#include "same_host.h"

#include <stdlib.h>

#define IO_MAX   1024  /* bytes of /proc/PID/io */
#define STAT_MAX 65536 /* bytes of a cgroup's io.stat */

/* The number of the line "read_bytes: N". */
static bool read_process(pid_t pid, uint64_t *bytes)
{
	char path[64], text[IO_MAX];
	const char *line;
	struct err err;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/io", (int)pid);
	if (!procfile_read("", path, text, sizeof(text), &len, &err))
		return false;
	line = strstr(text, "\nread_bytes: ");
	if (!line)
		return false;
	*bytes = strtoull(line + strlen("\nread_bytes: "), NULL, 10);
	return true;
}

/* The process' own group of cgroup v2, "0::/a/b"; not the root, which is everybody's. */
static bool find_group(pid_t pid, char *out, size_t cap)
{
	char path[64], text[4096];
	struct err err;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	if (!procfile_read("", path, text, sizeof(text), &len, &err) ||
		strncmp(text, "0::/", 4) != 0)
		return false;
	len = strcspn(text, "\n");
	text[len] = '\0';
	if (len == 4 || len - 3 >= cap || strstr(text, "/.."))
		return false;
	memcpy(out, text + 3, len - 3 + 1);
	return true;
}

static bool read_group(pid_t pid, uint64_t *bytes)
{
	char group[512], path[640], *text = malloc(STAT_MAX);
	struct raw sum = {.type = RAW_NONE};
	struct err err;
	size_t len;

	if (!text)
		return false;
	if (find_group(pid, group, sizeof(group))) {
		snprintf(path, sizeof(path), "/sys/fs/cgroup%s/io.stat", group);
		if (procfile_read("", path, text, STAT_MAX, &len, &err))
			sum = parse_cgroup_reads(text, 2);
	}
	free(text);
	*bytes = sum.type == RAW_U64 ? sum.u : 0;
	return sum.type == RAW_U64;
}

/* The host and port of the member that answers, which a URI of several may leave open. */
static enum reason prove(struct mongo *m, uint64_t server_pid)
{
	mongoc_server_description_t *sd =
		mongoc_client_get_server_description(m->conn.client, m->conn.server_id);
	enum reason why = REASON_NOT_SAME_HOST;
	const mongoc_host_list_t *host;

	if (!sd)
		return why;
	host = mongoc_server_description_host(sd);
	if (host->port)
		why = same_host_prove(host->host, host->port, server_pid, &m->here.pid);
	mongoc_server_description_destroy(sd);
	return why;
}

static bool read_bytes(const struct mongo *m, uint64_t *bytes)
{
	return m->here.group ? read_group(m->here.pid, bytes) : read_process(m->here.pid, bytes);
}

/* Once per run of the server, so that all its figures are counted for the same. */
static void find_out(struct mongo *m, const bson_t *status)
{
	double server_pid = 0;
	uint64_t bytes;

	(void)mongo_number(status, "pid", &server_pid);
	m->here.why = prove(m, server_pid > 0 ? (uint64_t)server_pid : 0);
	m->here.group = false;
	if (m->here.why != REASON_OK || read_bytes(m, &bytes))
		return;
	m->here.group = true;
	if (!read_bytes(m, &bytes))
		m->here.why = REASON_NO_PERMISSION;
}

void mongo_take_device(struct mongo *m, const bson_t *status, struct sample *out)
{
	const char *source;
	uint64_t bytes;

	if (!sample_has(out, METRIC_MONGO_BLOCK_BYTES_READ_TOTAL))
		return;
	if (!m->here.tried || m->here.epoch != out->epoch) {
		find_out(m, status);
		m->here.tried = true;
		m->here.epoch = out->epoch;
	}
	place_set(&m->place, m->here.why, m->here.pid, out->epoch);
	place_take(&m->place, METRIC_MONGO_CGROUP_MAX, METRIC_MONGO_CGROUP_USED, out);
	if (m->here.why != REASON_OK || !read_bytes(m, &bytes)) {
		sample_set_missing(out, METRIC_MONGO_READ_DEVICE_BYTES,
			m->here.why != REASON_OK ? m->here.why : REASON_NO_ANSWER);
		return;
	}
	source = m->here.group ? "cgroup" : "process";
	sample_set_u64(out, METRIC_MONGO_READ_DEVICE_BYTES, bytes);
	sample_set_text(out, METRIC_MONGO_READ_DEVICE_SOURCE, source, strlen(source));
}
