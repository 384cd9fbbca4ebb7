# vak needs Go 1.26, make and git. Start with "make demo" and "make test".

VERSION     ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.7.0
PREFIX      ?= $(HOME)/.local
FUZZTIME    ?= 10s

GO       = go
SURFACES = telegram slack discord webhook
BUILD    = build
EXE      = $(shell $(GO) env GOEXE)
LDFLAGS  = -s -w -X main.version=$(VERSION)
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.DEFAULT_GOAL := help
.PHONY: help build install demo test race lint gen gen-check golden fuzz bench scale soak crash load cross clean

help: ## list the targets
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | awk -F'\t' '{ printf "  make %-10s %s\n", $$1, $$2 }'

build: ## build build/vak and the plugins in build/plugins
	@mkdir -p $(BUILD)
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BUILD)/vak$(EXE) ./core/cmd/vak
	@set -e; for s in $(SURFACES); do \
		dir=$(BUILD)/plugins/$$s; mkdir -p $$dir; \
		echo "CGO_ENABLED=0 $(GO) build -trimpath -o $$dir/$$s$(EXE) ./plugins/$$s"; \
		CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o $$dir/$$s$(EXE) ./plugins/$$s; \
		$$dir/$$s$(EXE) manifest > $$dir/plugin.json.new; \
		mv $$dir/plugin.json.new $$dir/plugin.json; \
	done

install: build ## install vak and its plugins below PREFIX (default ~/.local)
	@mkdir -p $(PREFIX)/bin $(PREFIX)/lib/vak
	@rm -rf $(PREFIX)/lib/vak/plugins
	cp -R $(BUILD)/vak$(EXE) $(BUILD)/plugins $(PREFIX)/lib/vak/
	ln -sf $(abspath $(PREFIX))/lib/vak/vak$(EXE) $(PREFIX)/bin/vak$(EXE)

demo: build ## build all and show an answer on every surface
	@$(BUILD)/vak$(EXE) demo

test: ## run all tests
	$(GO) test ./...

race: ## run all tests with the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race ./...

lint: ## gofmt, go vet, staticcheck
	@out=$$(gofmt -l core sdk plugins); if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

gen: ## write what is generated: the protocol's Go code, docs/protocol.md, docs/errors.md, docs/api
	sdk/proto/generate.sh
	$(GO) test ./core/internal/protodoc -run '^TestProtocol$$' -count=1 -update
	$(GO) test ./core/internal/errordoc -run '^TestErrors$$' -count=1 -update
	$(GO) test ./core/internal/arch -run '^TestAPI$$' -count=1 -update

gen-check: ## fail if something generated is not up to date
	sdk/proto/generate.sh --check
	$(GO) test ./core/internal/protodoc -run '^TestProtocol$$' -count=1
	$(GO) test ./core/internal/errordoc -run '^TestErrors$$' -count=1
	$(GO) test ./core/internal/arch -run '^TestAPI$$' -count=1

golden: ## write the golden files anew; read the diff before you commit it
	$(GO) test $$(grep -rlE --include='*_test.go' 'sdktest\.(Pack)?Golden\(|Bool\("update"' core sdk plugins | grep -v core/internal/arch | xargs -n1 dirname | sort -u | sed 's|^|./|') -count=1 -run Golden -update

fuzz: ## run every fuzz test for FUZZTIME (default 10s)
	@set -e; grep -rl --include='*_test.go' '^func Fuzz' core sdk plugins | xargs -n1 dirname | sort -u | while read -r dir; do \
		for f in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$dir/*_test.go); do \
			echo "$$dir $$f"; $(GO) test ./$$dir -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME); \
		done; \
	done

bench: build ## measure the pipeline, planning, cards, epochs, the journal, delivery and plugin processes
	$(GO) run ./core/internal/bench
	$(GO) run ./core/internal/bench -jsonl $(BUILD)/vak$(EXE)
	$(GO) run ./core/internal/bench -delivery
	$(GO) run ./core/internal/bench -planning
	$(GO) run ./core/internal/bench -cards
	$(GO) run ./core/internal/bench -epochs
	$(GO) test ./core/internal/journal -count=1 -run '^TestFigures$$' -v -figures
	$(GO) test ./core/internal/host -count=1 -run '^TestFigures$$' -v -figures

scale: ## judge how time grows with hostile input; let nothing else run meanwhile
	VAK_SCALE=1 $(GO) test -p 1 -count=1 ./core/compile ./core/internal/acceptance -run 'TestHostile' -v

soak: ## render 10,000 times while renderer processes are killed at random
	$(GO) test ./core/internal/host -count=1 -run '^TestSoak$$' -v -soak 10000 -timeout 30m

crash: ## kill a host 1,000 times while it delivers, and see that nothing is lost
	VAK_CRASH=1000 $(GO) test ./core/internal/crash -count=1 -run '^TestKill$$' -v -timeout 60m

load: ## deliver 10,000 messages while everything around fails that can (some minutes)
	VAK_LOAD=10000 $(GO) test ./core/internal/load -count=1 -run '^TestLoad$$' -v -timeout 15m

cross: ## build for every platform, to see that it compiles
	@set -e; for p in $(PLATFORMS); do echo $$p; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build -o /dev/null ./core/cmd/vak; \
		for s in $(SURFACES); do CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build -o /dev/null ./plugins/$$s; done; \
	done

clean: ## remove build/
	rm -rf $(BUILD)
