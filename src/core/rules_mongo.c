/* The rules of mongo. */
#include "hotset/rules.h"

const struct rule rules_mongo[] = {
	{0},
};
