/* A lab is one entry of the table in lab.c and one file. */
#ifndef HOTSET_LAB_LAB_H
#define HOTSET_LAB_LAB_H

#include "hotset/options.h"

struct lab {
	const char *name;
	const char *summary; /* one line for the list */
	int (*run)(const struct options *o); /* the exit code */
};

int lab_demo(const struct options *o);

#endif
