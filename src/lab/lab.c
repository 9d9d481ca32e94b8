#include "lab.h"

#include "hotset/app.h"

static const struct lab lab_table[] = {
	{"demo", "three caches under load on this machine, each of its own, with the live screen",
		lab_demo},
};

#define LABS (sizeof(lab_table) / sizeof(lab_table[0]))

static void print_list(FILE *out)
{
	for (size_t i = 0; i < LABS; i++) {
		fprintf(out, "  %-14s %s\n", lab_table[i].name, lab_table[i].summary);
	}
}

int app_lab(const struct options *o)
{
	if (o->nargs == 0) {
		print_list(stdout);
		return 0;
	}
	for (size_t i = 0; i < LABS; i++) {
		if (strcmp(lab_table[i].name, o->args[0]) == 0 && o->nargs == 1) {
			return lab_table[i].run(o);
		}
	}
	fprintf(stderr, "hotset: no lab '%s' (hotset lab lists them)\n", o->args[o->nargs > 1]);
	return 2;
}
