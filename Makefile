# hotset: one non-recursive Makefile. `make help` lists what it does.
#
#   make V=1            show the commands
#   make B=DIR          build somewhere else than build/
#   make SAN=address,undefined   with sanitizers
#   make WERROR=1       warnings are errors (as CI does)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
# keeps the tests' objects: make would remove them as intermediate and compile them again next time
.SECONDARY:
MAKEFLAGS += --no-builtin-rules

B      ?= build
V      ?= 0
SAN    ?=
WERROR ?= 0
PREFIX ?= /usr/local
ifeq ($(origin CC),default)
CC := cc
endif
VERSION := 0.1.0

# where nobody said how many
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-5s %s\n' '$(1)' '$(2)')

# ---- libraries ---------------------------------------------------------------------------------

PKGS   := ncursesw libmongoc-1.0 libbson-1.0 hiredis libcurl zlib
NODEPS := help clean dist demo
ifneq ($(filter-out $(NODEPS),$(or $(MAKECMDGOALS),all)),)
MISSING := $(shell for p in $(PKGS) inih; do pkg-config --exists $$p 2>/dev/null || printf '%s ' $$p; done)
ifneq ($(strip $(MISSING)),)
$(error missing libraries: $(MISSING)- run ./contrib/setup, which installs what hotset needs)
endif
PKG_CFLAGS := $(patsubst -I%,-isystem %,$(filter-out -D_GNU_SOURCE -D_DEFAULT_SOURCE -D_XOPEN_SOURCE=600,$(shell pkg-config --cflags $(PKGS))))
PKG_LIBS   := $(shell pkg-config --libs $(PKGS)) -linih
# for the tests alone: the servers' side of TLS and of logins
HAVE_SSL   := $(shell pkg-config --exists openssl 2>/dev/null && echo 1)
SSL_LIBS   := $(if $(HAVE_SSL),$(shell pkg-config --libs openssl))
HAVE_WT    := $(shell pkg-config --exists wiredtiger 2>/dev/null && echo 1)
endif

# ---- flags: what the user sets in CFLAGS, CPPFLAGS and LDFLAGS comes last -----------------------

WARN := -Wall -Wextra -Wshadow -Wformat=2 -Wundef -Wwrite-strings -Wpointer-arith \
        -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wcast-qual \
        -Wconversion -Wvla -Wimplicit-fallthrough
ifeq ($(WERROR),1)
WARN += -Werror
endif
OPT  := $(if $(SAN),-O1 -g -fno-omit-frame-pointer -fsanitize=$(SAN) -fno-sanitize-recover=all,-O2 -g)
HARD := -fstack-protector-strong -fPIE $(if $(SAN),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
HOTSET_CPPFLAGS := -D_GNU_SOURCE -DHOTSET_VERSION='"$(VERSION)"' -Iinclude -Itests/support -Itests/fake -include hotset/banned.h
HOTSET_CFLAGS   := -std=c17 $(OPT) $(HARD) $(WARN)
HOTSET_LDFLAGS  := -pie -Wl,-z,relro,-z,now $(if $(SAN),-fsanitize=$(SAN))
COMPILE = $(CC) $(HOTSET_CPPFLAGS) $(PKG_CFLAGS) $(CPPFLAGS) $(HOTSET_CFLAGS) $(CFLAGS) -MMD -MP -c
LINK    = $(CC) $(HOTSET_LDFLAGS) $(LDFLAGS)

# ---- what there is to build --------------------------------------------------------------------

WT_SRCS   := $(wildcard src/wtnode/*.c)
SRCS      := $(filter-out $(WT_SRCS),$(wildcard src/*/*.c))
LIB_SRCS  := $(filter-out src/app/main.c,$(SRCS))
TEST_SRCS := $(wildcard tests/*/test_*.c)
SUP_SRCS  := $(wildcard tests/support/*.c) $(filter-out tests/fake/test_%,$(wildcard tests/fake/*.c)) \
             tests/bench/pty.c
BENCH_SRCS:= $(wildcard tests/bench/bench_*.c)
TOOL_SRCS := $(wildcard tests/tools/*.c)
EVERY_SRC := $(SRCS) $(WT_SRCS) $(TEST_SRCS) $(SUP_SRCS) $(BENCH_SRCS) $(TOOL_SRCS)

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
TESTS   := $(patsubst %.c,$(B)/%,$(TEST_SRCS))
BENCHES := $(patsubst %.c,$(B)/%,$(BENCH_SRCS))
PROGS   := $(B)/hotset $(if $(HAVE_WT),$(B)/wtnode)

all: $(PROGS) ## hotset, and wtnode where libwiredtiger is
ifeq ($(HAVE_WT),)
	@echo 'note: no libwiredtiger here, so wtnode (the embedded lab node) is not built; the dashboard is complete'
endif

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(COMPILE) -o $@ $<

$(B)/libhotset.a: $(call obj,$(LIB_SRCS))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) qcs $@ $^

$(B)/libtest.a: $(call obj,$(SUP_SRCS))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) qcs $@ $^

$(B)/hotset: $(B)/obj/src/app/main.o $(B)/libhotset.a
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(PKG_LIBS) -lpthread -lm

$(B)/obj/tests/fake/%.o: CPPFLAGS += $(if $(HAVE_SSL),-DHAVE_OPENSSL)

# wtnode is a program of its own: WiredTiger is GPL, and nothing of hotset links it.
$(B)/wtnode: $(call obj,$(WT_SRCS))
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(shell pkg-config --libs wiredtiger libbson-1.0) -lpthread -lm

$(B)/tests/%: $(B)/obj/tests/%.o $(B)/libtest.a $(B)/libhotset.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $< -Wl,--start-group $(B)/libtest.a $(B)/libhotset.a -Wl,--end-group -lcmocka $(PKG_LIBS) $(SSL_LIBS) -lpthread -lm -lutil

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

# ---- tests -------------------------------------------------------------------------------------

tests: $(PROGS) $(TESTS)

check: ## build and run every test; ends with "N passed, N failed"
	$(Q)$(MAKE) --no-print-directory $(JOBS) tests
	$(Q)B=$(B) tests/run $(TESTS)

snap-update: tests ## rewrite the snapshots from what the program draws now
	$(Q)B=$(B) FILTER=snapshot/ SNAP_UPDATE=1 tests/run $(TESTS)

integration e2e: tests ## only the tests against real servers, or on a real terminal
	$(Q)B=$(B) FILTER=$@/ tests/run $(TESTS)

asan: ## the tests again under the address and undefined-behaviour sanitizers
	$(Q)$(MAKE) --no-print-directory B=$(B)/asan SAN=address,undefined check

tsan: ## the tests of threads under the thread sanitizer
	$(Q)$(MAKE) --no-print-directory B=$(B)/tsan SAN=thread check

lint: $(B)/hotset ## layers, headers, style, scripts, manual pages, generated files, analyzers
	$(Q)B=$(B) CC="$(CC)" CFLAGS="$(HOTSET_CPPFLAGS) $(PKG_CFLAGS)" tests/lint/run

bench: $(PROGS) $(BENCHES) ## what hotset costs, beside htop in the same run (contrib/setup bench)
	$(Q)B=$(B) tests/bench/run

cov: ## line coverage of the tests, per file
	$(Q)$(MAKE) --no-print-directory B=$(B)/cov CFLAGS='--coverage -O0' LDFLAGS=--coverage check
	$(Q)tests/lint/coverage $(B)/cov

# ---- to look at, to read, to install ------------------------------------------------------------

demo: ## set up, build, and show three private caches under load on the live screen
	$(Q)contrib/setup
	$(Q)$(MAKE) --no-print-directory $(JOBS) all
	$(Q)$(B)/hotset lab demo

docs: $(B)/hotset $(B)/tests/tools/shot ## write docs/METRICS.md and docs/screen.svg anew, from the program
	$(Q)$(B)/hotset metrics --markdown >docs/METRICS.md
	$(Q)$(B)/tests/tools/shot docs/recordings/scan.rec.gz 43 overview >docs/screen.svg

install: $(PROGS) ## into PREFIX (/usr/local), below DESTDIR
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin share/man/man1 share/man/man5 share/hotset/themes \
		share/hotset/recordings)
	install -m 755 $(B)/hotset $(DESTDIR)$(PREFIX)/bin/
	install -m 644 docs/hotset.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 docs/hotset.5 docs/hotset-rec.5 $(DESTDIR)$(PREFIX)/share/man/man5/
	install -m 644 tests/fixtures/captures/collscan-slow-cool.bson.gz \
		$(DESTDIR)$(PREFIX)/share/hotset/recordings/
	install -m 644 themes/* $(DESTDIR)$(PREFIX)/share/hotset/themes/
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 644 contrib/completions/hotset.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/hotset
ifneq ($(HAVE_WT),)
	install -d $(DESTDIR)$(PREFIX)/libexec/hotset
	install -m 755 $(B)/wtnode $(DESTDIR)$(PREFIX)/libexec/hotset/
endif

uninstall: ## what install put there
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/hotset libexec/hotset/wtnode share/man/man1/hotset.1 \
		share/man/man5/hotset.5 share/man/man5/hotset-rec.5 \
		share/bash-completion/completions/hotset)
	rm -rf $(DESTDIR)$(PREFIX)/share/hotset

dist: ## hotset-VERSION.tar.gz from the last commit
	git archive --prefix=hotset-$(VERSION)/ -o hotset-$(VERSION).tar.gz HEAD

compile_commands.json: $(EVERY_SRC) Makefile ## for editors and clang's tools
	$(Q){ printf '['; sep=; for f in $(EVERY_SRC); do \
		printf '%s\n{"directory": "%s", "file": "%s", "command": "%s -c %s"}' "$$sep" "$(CURDIR)" $$f \
		'$(subst ",\\\",$(subst ',,$(CC) $(HOTSET_CPPFLAGS) $(PKG_CFLAGS) $(HOTSET_CFLAGS)))' $$f; \
		sep=,; done; printf '\n]\n'; } >$@

clean: ## remove what was built
	rm -rf $(B)

help: ## this list
	@sed -n 's/^\([a-z][a-z_.0-9 -]*\):.*## /\1\t/p' Makefile | expand -t 24 | sed 's/^/  make /'

.PHONY: all tests check snap-update integration e2e asan tsan lint bench cov demo docs install \
	uninstall dist clean help
