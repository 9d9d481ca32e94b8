/* Which theme is wanted, and where its file may be. */
#ifndef HOTSET_APP_THEMES_H
#define HOTSET_APP_THEMES_H

#include "hotset/options.h"
#include "hotset/theme.h"

/*
 * The theme of the options; the mono one where no colour is wanted. Files are looked for in the
 * user's configuration (hotset/themes/NAME.theme), then beside the program: as it is installed in
 * ../share/hotset/themes, as it is built in ../themes.
 */
MUST_CHECK bool theme_from_options(struct theme *t, const struct options *o, struct err *err);

#endif
