#include "logring.h"

#include "clockx.h"

#include <stdio.h>

/* The text of a line, which grows up to a bound. */
struct text {
	char bytes[LOGRING_LINE_MAX];
	size_t len;
	bool full;
};

static void put(struct text *t, const char *s)
{
	size_t len = strlen(s);

	if (t->full || len >= sizeof(t->bytes) - t->len) {
		t->full = true;
		return;
	}
	memcpy(t->bytes + t->len, s, len + 1);
	t->len += len;
}

/* What must be escaped between quotes in JSON. */
static void put_escaped(struct text *t, const char *s)
{
	for (; *s != '\0' && !t->full; s++) {
		char one[8];

		if (*s == '"' || *s == '\\') {
			snprintf(one, sizeof(one), "\\%c", *s);
		} else if ((unsigned char)*s < 0x20) {
			snprintf(one, sizeof(one), "\\u%04x", (unsigned)*s);
		} else {
			snprintf(one, sizeof(one), "%c", *s);
		}
		put(t, one);
	}
}

void logring_init(struct logring *log)
{
	memset(log, 0, sizeof(*log));
	pthread_mutex_init(&log->lock, NULL);
}

void logring_finish(struct logring *log)
{
	for (int i = 0; i < LOGRING_LINES; i++) {
		free(log->lines[i]);
	}
	pthread_mutex_destroy(&log->lock);
}

static void keep(struct logring *log, const char *line)
{
	char *copy = strdup(line);

	if (copy == NULL) {
		return;
	}
	pthread_mutex_lock(&log->lock);
	char **place = &log->lines[log->written % LOGRING_LINES];
	free(*place);
	*place = copy;
	log->written++;
	pthread_mutex_unlock(&log->lock);
}

/* mongod pads the first fields, so that people can read the lines. */
void logring_write(struct logring *log, char severity, const char *component, enum logring_id id,
	const char *context, const char *message, const char *attr, const char *value)
{
	char now[CLOCKX_TEXT], head[256], name[24];
	struct text t = {.len = 0};

	clockx_text(clockx_wall_ms(), now);
	snprintf(name, sizeof(name), "\"%s\",", component);
	snprintf(head, sizeof(head),
		"{\"t\":{\"$date\":\"%s\"},\"s\":\"%c\",  \"c\":%-11s\"id\":%d,   \"ctx\":\"%s\","
		"\"msg\":\"%s\"",
		now, severity, name, (int)id, context, message);
	put(&t, head);
	put(&t, ",\"attr\":{\"");
	put(&t, attr);
	put(&t, "\":\"");
	put_escaped(&t, value);
	put(&t, "\"}}");
	if (t.full) {
		t = (struct text){.len = 0};
		put(&t, head);
		put(&t, ",\"attr\":{},\"truncated\":{\"");
		put(&t, attr);
		put(&t, "\":{\"type\":\"string\"}}}");
	}
	keep(log, t.bytes);
}

int64_t logring_append(struct logring *log, const char *key, bson_t *out)
{
	char buf[16];
	const char *index;
	bson_t array;

	bson_append_array_begin(out, key, -1, &array);
	pthread_mutex_lock(&log->lock);
	int64_t written = log->written;
	int64_t first = written > LOGRING_LINES ? written - LOGRING_LINES : 0;
	for (int64_t i = first; i < written; i++) {
		bson_uint32_to_string((uint32_t)(i - first), &index, buf, sizeof(buf));
		BSON_APPEND_UTF8(&array, index, log->lines[i % LOGRING_LINES]);
	}
	pthread_mutex_unlock(&log->lock);
	bson_append_array_end(out, &array);
	return written;
}
