# Trunkline: "make help" lists what can be made.

PREFIX  ?= /usr/local
DESTDIR ?=

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-builtin-rules
.NOTPARALLEL:
.DEFAULT_GOAL := build

sbin     := $(PREFIX)/sbin
bin      := $(PREFIX)/bin
units    := $(PREFIX)/lib/systemd/system
catalogs := $(PREFIX)/lib/systemd/catalog
sysusers := $(PREFIX)/lib/sysusers.d
doc      := $(PREFIX)/share/doc/trunkline
man      := $(PREFIX)/share/man/man1/trunklinectl.1
bash     := $(PREFIX)/share/bash-completion/completions/trunklinectl
zsh      := $(PREFIX)/share/zsh/site-functions/_trunklinectl
fish     := $(PREFIX)/share/fish/vendor_completions.d/trunklinectl.fish

products := .build/release
sources  := Package.swift Sources Tests
scripts  := .ci/run $(wildcard scripts/*) $(wildcard Tests/Service/*)

# The compiler's warnings are errors by Package.swift; so is an import that a target does not declare.
swift_flags   := --explicit-target-dependency-import-check error
release_flags := --configuration release --static-swift-stdlib -Xlinker -s $(swift_flags)

.PHONY: build
build: ## build for release, into .build/release (the default)
	@scripts/setup
	swift build $(release_flags)

.PHONY: demo
demo: build ## build, then show the main job at work for about ten seconds
	@scripts/demo $(products)

.PHONY: test
test: ## build for debugging, then run every test
	@scripts/setup test
	swift test --disable-xctest $(swift_flags)

# How long the soak lasts, in seconds: make soak SECONDS=600
SECONDS := 60

.PHONY: soak
soak: ## abuse the daemon at random for a minute, or for SECONDS, and account for every message
	@scripts/setup test
	TRUNKLINE_SOAK=$(SECONDS) swift test --disable-xctest $(swift_flags) --filter SoakTests

.PHONY: reconnects
reconnects: ## lose the upstream five thousand times, in each of several ways: nothing may be left of it
	@scripts/setup test
	TRUNKLINE_RECONNECTS=5000 swift test --disable-xctest $(swift_flags) --filter LeakTests

.PHONY: test-long
test-long: ## every test under two sanitizers, then thousands of reconnects and a minute of random abuse (about 25 minutes)
	@scripts/setup test
	@scripts/test-long
	@$(MAKE) --no-print-directory reconnects soak

.PHONY: abuses
abuses: ## misuse the daemon in every way, and print what each costs
	@scripts/setup test
	@mkdir -p .build && rm -f .build/abuses
	TRUNKLINE_ABUSES="$$PWD/.build/abuses" \
	    swift test --disable-xctest $(swift_flags) --filter AbuseTests >.build/abuses.log || { cat .build/abuses.log; exit 1; }
	@{ printf 'abuse\tprocessor\tmemory before\tafter\tdescriptors before\tafter\tlines logged\n'; cat .build/abuses; } | \
	    column -t -s "$$(printf '\t')"

# How long "make fuzz" goes on with each.
FUZZ ?= 60

.PHONY: fuzz
fuzz: ## feed what reads strangers' bytes with what a fuzzer makes up, a minute each
	@scripts/setup
	@scripts/fuzz '$(FUZZ)'

# Options for the benchmark: make bench BENCH='--scenario out-64-10 --reps 1'
BENCH ?=
CFLAGS ?= -O2
benchmarks := $(addprefix .build/benchmarks/,feed sink limit)

.PHONY: bench
bench: build $(benchmarks) ## measure the release build beside an ideal bridge in C (some minutes)
	Benchmarks/bench $(BENCH)

.PHONY: bench-describe
bench-describe: build ## measure whether looking at a bridge delays its messages (some minutes)
	@scripts/setup test
	Benchmarks/describe $(BENCH)

.PHONY: bench-framing
bench-framing: .build/benchmarks/framing .build/benchmarks/framing-loops ## measure the decoders of all framings
	Benchmarks/framing-table $(BENCH)

.build/benchmarks/framing: Benchmarks/framing.swift $(wildcard Sources/Framing/*.swift) | setup-bench
	@mkdir -p $(@D)
	swiftc -O -wmo -swift-version 6 -parse-as-library -static-stdlib -Xlinker -s -module-name Framing $(filter %.swift,$^) -o $@

.build/benchmarks/framing-loops: Benchmarks/framing-loops.c | setup-bench
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -Wall -Wextra $(CFLAGS) -o $@ $<

$(benchmarks): .build/benchmarks/%: Benchmarks/%.c Benchmarks/common.h | setup-bench
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -Wall -Wextra $(CFLAGS) -o $@ $<

.PHONY: setup-bench
setup-bench:
	@scripts/setup bench

.PHONY: readme
readme: build ## run the commands that the README shows, and put what they print into it
	@scripts/setup test
	@scripts/readme-examples $(products)

.PHONY: check-systemd
check-systemd: build ## try the installed service under the systemd of two Debian releases, in containers
	@scripts/check-systemd

.PHONY: lint
lint: ## check the format of the sources, and the shell scripts
	@scripts/setup lint
	swift format lint --strict --parallel --recursive $(sources)
	shellcheck --external-sources $(scripts)

.PHONY: format
format: ## format the sources
	@scripts/setup
	swift format format --in-place --parallel --recursive $(sources)

.PHONY: check
check: lint test ## lint, a build without a warning, the allowed dependencies, every test

# Builds nothing: under sudo that would leave root's files in .build, and may not find Swift.
.PHONY: install
install: ## install below PREFIX (/usr/local), or for a package below DESTDIR; after "make"
	@test -x $(products)/trunklined -a -x $(products)/trunklinectl || \
	    { echo 'install: nothing is built yet; run "make" first' >&2; exit 1; }
	install -D -m 755 $(products)/trunklined '$(DESTDIR)$(sbin)/trunklined'
	install -D -m 755 $(products)/trunklinectl '$(DESTDIR)$(bin)/trunklinectl'
	install -d '$(DESTDIR)$(units)'
	for unit in trunkline@.service trunkline.target; do \
	    sed 's,/usr/local,$(PREFIX),' "systemd/$$unit" >'$(DESTDIR)$(units)'/"$$unit"; \
	    chmod 644 '$(DESTDIR)$(units)'/"$$unit"; \
	done
	install -D -m 644 systemd/trunkline.catalog '$(DESTDIR)$(catalogs)/trunkline.catalog'
	install -D -m 644 systemd/sysusers.d/trunkline.conf '$(DESTDIR)$(sysusers)/trunkline.conf'
	install -d '$(DESTDIR)$(doc)/examples'
	install -m 644 config/*.yaml systemd/trunkline-metrics.timer '$(DESTDIR)$(doc)/examples'
	sed 's,/usr/local,$(PREFIX),' systemd/trunkline-metrics.service >'$(DESTDIR)$(doc)/examples/trunkline-metrics.service'
	chmod 644 '$(DESTDIR)$(doc)/examples/trunkline-metrics.service'
	install -m 644 LICENSE $(wildcard README.md) '$(DESTDIR)$(doc)'
	install -d '$(DESTDIR)$(doc)/docs'
	install -m 644 docs/FRAMINGS.md docs/LOG.md docs/PROTOCOLS.md '$(DESTDIR)$(doc)/docs'
	install -d '$(DESTDIR)/etc/trunkline'
	install -d $(patsubst %,'$(DESTDIR)%',$(dir $(man) $(bash) $(zsh) $(fish)))
	$(products)/trunklinectl manual >'$(DESTDIR)$(man)'
	$(products)/trunklinectl completion bash >'$(DESTDIR)$(bash)'
	$(products)/trunklinectl completion zsh >'$(DESTDIR)$(zsh)'
	$(products)/trunklinectl completion fish >'$(DESTDIR)$(fish)'
	chmod 644 $(patsubst %,'$(DESTDIR)%',$(man) $(bash) $(zsh) $(fish))
	@scripts/after-install '$(DESTDIR)' '$(PREFIX)'

.PHONY: uninstall
uninstall: ## remove what "make install" installed; configurations stay
	rm -f '$(DESTDIR)$(sbin)/trunklined' '$(DESTDIR)$(bin)/trunklinectl'
	rm -f '$(DESTDIR)$(units)/trunkline@.service' '$(DESTDIR)$(units)/trunkline.target'
	rm -f '$(DESTDIR)$(sysusers)/trunkline.conf'
	rm -f '$(DESTDIR)$(catalogs)/trunkline.catalog'
	rm -f $(patsubst %,'$(DESTDIR)%',$(man) $(bash) $(zsh) $(fish))
	rm -rf '$(DESTDIR)$(doc)'
	@scripts/after-uninstall '$(DESTDIR)'

.PHONY: clean
clean: ## remove everything that was built
	rm -rf .build

.PHONY: help
help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22
