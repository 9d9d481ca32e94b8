#include "mounts.h"

#include <string.h>

/* Copies one blank-separated field, with \040 and the like decoded; false if it is too long. */
static bool take_field(const char **pos, const char *end, char *out, size_t cap)
{
	const char *p = *pos;
	size_t n = 0;

	while (p < end && *p != ' ') {
		char c = *p++;

		if (c == '\\' && end - p >= 3 && p[0] >= '0' && p[0] <= '3' && p[1] >= '0' &&
			p[1] <= '7' && p[2] >= '0' && p[2] <= '7') {
			c = (char)((p[0] - '0') * 64 + (p[1] - '0') * 8 + (p[2] - '0'));
			p += 3;
		}
		if (n + 1 >= cap)
			return false;
		out[n++] = c;
	}
	out[n] = '\0';
	*pos = p < end ? p + 1 : p;
	return n != 0;
}

/* "36 35 98:0 /root /point rw,noatime shared:1 - ext4 /dev/sda1 rw,errors=continue" */
static bool parse_line(const char *line, const char *end, struct mount *m)
{
	const char *dash = memmem(line, (size_t)(end - line), " - ", 3), *p = line;
	char skip[MOUNT_FIELD_MAX];

	if (!dash)
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (!take_field(&p, dash, skip, sizeof(skip)))
			return false;
	if (!take_field(&p, dash, m->root, sizeof(m->root)) ||
		!take_field(&p, dash, m->point, sizeof(m->point)))
		return false;
	p = dash + 3;
	if (!take_field(&p, end, m->type, sizeof(m->type)) ||
		!take_field(&p, end, m->source, sizeof(m->source)))
		return false;
	if (!take_field(&p, end, m->options, sizeof(m->options)))
		m->options[0] = '\0'; /* overlay's may be longer than we keep */
	return true;
}

bool mounts_next(const char **pos, struct mount *out)
{
	const char *line = *pos;

	while (*line) {
		const char *end = line + strcspn(line, "\n");
		bool ok = parse_line(line, end, out);

		line = *end ? end + 1 : end;
		*pos = line;
		if (ok)
			return true;
	}
	return false;
}

static bool is_below(const char *path, const char *point)
{
	size_t n = strlen(point);

	if (n == 1)
		return true;
	return strncmp(path, point, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

bool mounts_of_path(const char *text, const char *path, struct mount *out)
{
	struct mount m;
	size_t best = 0;

	while (mounts_next(&text, &m))
		if (is_below(path, m.point) && strlen(m.point) >= best) {
			best = strlen(m.point);
			*out = m;
		}
	return best != 0;
}
