# Everything a fresh machine with Go needs: each target fetches what it lacks.
# `make test` and `make run` are the README's two commands' longer names.

GO      ?= go
# Two workers suit the smallest machine we support; give a bigger one more: make test JOBS=8
JOBS    ?= 2
ARGS    ?= run first-hall -o out

LINT_VERSION := v2.15.0
# The linter is built once and kept outside the tree, under its version.
TOOLS   ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/headroom/tools
LINT    := $(TOOLS)/golangci-lint-$(LINT_VERSION)/golangci-lint

# How long make fuzz spends on each target.
FUZZTIME ?= 10m

.PHONY: all build test lint fmt bench validate fuzz race vuln chaos mutate run clean
all: build test lint

build:
	$(GO) build -o bin/ ./cmd/...

test:
	$(GO) test -p $(JOBS) ./...

lint: $(LINT)
	$(LINT) run --concurrency $(JOBS) ./...

# gofumpt at the version the linter checks with.
fmt: $(LINT)
	$(LINT) fmt ./...

bench:
	$(GO) test -p 1 -run '^$$' -bench . -benchmem ./...

# Runs every comparison with a published or measured number and writes docs/validation.md.
# A new miss or a wider error is refused; make validate ACCEPT=-accept takes it.
validate:
	@rows=$$(mktemp -d); trap 'rm -rf "$$rows"' EXIT; \
	HEADROOM_VALIDATION="$$rows" $(GO) test -count=1 -p $(JOBS) ./... && $(GO) run ./validation/book -rows "$$rows" $(ACCEPT)

# Every fuzz target there is, one after another, for FUZZTIME each; what one finds stands in its package's testdata.
# make fuzz ONLY=FuzzReadEPW for one of them.
ONLY ?= Fuzz
fuzz:
	@failed=; for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test $$pkg -list '^$(ONLY)' | grep '^Fuzz'); do \
			echo "$$pkg $$target, $(FUZZTIME)"; \
			$(GO) test $$pkg -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 2s -parallel $(JOBS) || failed="$$failed $$target"; \
		done; \
	done; [ -z "$$failed" ] || { echo "findings:$$failed"; exit 1; }

# The race detector over the whole suite, one package at a time; it needs a C compiler.
race:
	CGO_ENABLED=1 $(GO) test -race -p 1 -timeout 60m ./...

# Runs and studies killed at random moments a hundred times each; the ordinary tests do it ten times.
chaos:
	HEADROOM_CHAOS=100 $(GO) test -count=1 -timeout 60m -v -run 'TestKilledRun|TestKilledStudy' ./cmd/headroom

# Changes operators, comparisons and constants at random places and counts those that a test notices.
MUTANTS ?= 40
mutate:
	$(GO) run ./validation/mutate -n $(MUTANTS) -least 0.8 ./facility/cooling ./facility/placement ./sim

# Known vulnerabilities of what the program calls; it needs the vulnerability database (VULNDB=URL for a copy).
vuln:
	$(GO) run golang.org/x/vuln/cmd/govulncheck@v1.9.0 $(if $(VULNDB),-db $(VULNDB)) ./...

run:
	$(GO) run ./cmd/headroom $(ARGS)

clean:
	rm -rf bin out

# A linter of the right version on the PATH is used as it is; otherwise it is built, which takes a few minutes.
$(LINT):
	@mkdir -p $(@D)
	@have=$$(command -v golangci-lint || true); \
	if [ -n "$$have" ] && "$$have" version 2>/dev/null | grep -q 'version $(LINT_VERSION:v%=v\?%) '; then \
		cp -L "$$have" $@; \
	else \
		echo "building golangci-lint $(LINT_VERSION) into $(@D), once"; \
		GOBIN=$(@D) GOFLAGS= $(GO) install -p $(JOBS) github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION); \
	fi
