# Everyday commands. CI runs `make test`.

CARGO ?= cargo
# Executions of each fuzz target; if not given, a million of scenarios, a hundred thousand or more of the others.
FUZZ_RUNS ?=

BENCH_ARGS ?=

WASM := wasm32-unknown-unknown
# Another system, for which all is checked, tests included; nothing but `live-bpf` needs a compiler of C. `make verify` checks a third one.
ELSEWHERE ?= x86_64-pc-windows-gnu
MUSL := $(shell uname -m)-unknown-linux-musl
# The programs for the kernel are built, linted and tested with all else where what they need is there: one build, not two.
BPF = $(shell [ "$$(uname -s)" = Linux ] && pkg-config --exists libelf zlib 2>/dev/null && echo --features ackclock-cli/live-bpf,ackclock-bpf/bpf)
# Where the Python package is installed for its tests.
PYTHON = $(abspath $(or $(CARGO_TARGET_DIR),target))/python

.PHONY: help setup tools test check elsewhere verify headlines accept docs dist bpf gallery fuzz bench bench-setup instructions instructions-check instructions-sweeps sabotage clean

help: ## print this
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-18s %s\n", $$1, $$2 }'

# The verdicts at the end of the reports of `reproduce --quick`, each below the title of its study.
HEADLINES = for report in target/quick/*/report.txt; do head -n 1 "$$report"; sed -n '/^Verdict$$/,$$p' "$$report"; echo; done

setup: tools ## install what the other commands need
	@command -v $(CARGO) >/dev/null || { echo "error: cargo is missing; install Rust (stable) first" >&2; exit 1; }
	@$(CARGO) fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	@$(CARGO) clippy --version >/dev/null 2>&1 || rustup component add clippy
	$(CARGO) fetch --locked

tools: ## install tshark, tcptrace, Chromium, Slurm, iperf3 and libraries that tests work with (Debian, Ubuntu; as root; else skipped)
	@.ci/tools

test: setup check ## every fast test: format, lint, unit, script, property, network, command line, README, studies in short
	$(CARGO) test --workspace --locked $(BPF)
	@# The program as the tests built it (`cargo run` would build it with other features of its libraries): verdicts that change
	@# fail, and so do findings that are no longer true.
	"$${CARGO_TARGET_DIR:-target}/debug/ackclock" reproduce --quick --out target/quick
	@# Their pages in a browser, where there is one.
	STUDY_PAGES="$(CURDIR)/target/quick" $(CARGO) test --workspace --locked $(BPF) --test cli pages_of_studies
	@# The Python package: its wheel, installed as by users.
	OR_SKIP=1 python/make dev
	@if [ -d "$(PYTHON)" ]; then \
		"$(PYTHON)/bin/ruff" check python && "$(PYTHON)/bin/python" -m pytest -q -p no:cacheprovider python/tests; \
	fi
	@# The wheel alone in an environment of its own, and the first pages of the manual there.
	python3 python/fresh wheel
	@# The commands of the manual from a clone to a chart in a notebook, counted and timed. In a clone of its own, so that our crates are
	@# built anew: less optimised.
	CARGO_PROFILE_DEV_OPT_LEVEL=1 MATURIN_PEP517_ARGS="--profile dev" python3 python/fresh chart
	@# Every block of code of the manual, by the command of the wheel; then its pages, with their links.
	@if python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
		python3 bench/sabotage.py --list >/dev/null && python3 docs/site/test_site.py && \
		if [ -d "$(PYTHON)" ]; then \
			python3 docs/site/check.py --program "$(PYTHON)/bin/ackclock" --python "$(PYTHON)/bin/python"; \
		else \
			python3 docs/site/check.py --program "$${CARGO_TARGET_DIR:-target}/debug/ackclock"; \
		fi; \
	else \
		echo "*** Python 3.11 or later cannot be had here: the blocks of the manual are NOT RUN" >&2; \
	fi
	OR_SKIP=1 LOOK=1 docs/site/make "$${CARGO_TARGET_DIR:-target}/debug/ackclock"
	@# What each report says in the end is a snapshot; `make headlines` takes it over.
	$(HEADLINES) | diff -u studies/headlines.txt -
	@# Once more as users run it: optimised differently, the same code once gave other numbers.
	$(CARGO) test --release --locked -p ackclock --test both_engines

check: ## format, lint, documentation, the builds for browsers, Windows and macOS
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked $(BPF) -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked $(BPF)
	@.ci/deny
	@# Simulator and scenario files in a browser: without contact plans as files.
	@if rustup target add $(WASM) >/dev/null 2>&1; then \
		echo "$(CARGO) check for $(WASM)"; \
		$(CARGO) check --locked -p ackclock -p ackclock-scenario --no-default-features --target $(WASM); \
	else \
		echo "*** the target $(WASM) cannot be had here: the build for browsers is NOT CHECKED" >&2; \
	fi
	@$(MAKE) --no-print-directory elsewhere

elsewhere:
	@# Everything else than live runs, on systems that have none: programs, Python module, tests.
	@for target in $(ELSEWHERE); do \
		if rustup target add $$target >/dev/null 2>&1; then \
			echo "$(CARGO) check for $$target"; \
			$(CARGO) check --workspace --all-targets --locked --target $$target || exit 1; \
		else \
			echo "*** the target $$target cannot be had here: the build for it is NOT CHECKED" >&2; \
		fi; \
	done

verify: test ## slow, on a machine without other work: all studies in full, all networks on both engines, ten times the random cases, the fuzz targets
	$(MAKE) elsewhere ELSEWHERE=x86_64-apple-darwin
	PROPTEST_CASES=20000 $(CARGO) test --release --locked -p ackclock --test tcp tcp_properties
	SACK_SCOREBOARDS=1000000 $(CARGO) test --release --locked -p ackclock --lib random_scoreboards
	PROPTEST_CASES=2000 $(CARGO) test --release --locked -p ackclock --test networks random_networks
	ENGINES_ROUNDS=20 $(CARGO) test --release --locked -p ackclock --test both_engines engines::
	RECORDED_ONE_IN=16 PROPTEST_CASES=100000 $(CARGO) test --release --locked -p ackclock --test both_engines engines_random
	MEASURE_CASES=200 $(CARGO) test --locked -p ackclock-cli --test cli -- measures
	@# More bits that flip.
	VERIFY_FLIPS=100 $(CARGO) test --locked -p ackclock-cli --test cli -- verify
	PROPTEST_CASES=200 $(CARGO) test --locked -p ackclock-sweep --test sweeps properties
	@# How exact live runs are here; other work on the machine makes it fail.
	$(CARGO) test --release --locked -p ackclock-live --test live self_test_of_this_machine -- --ignored --nocapture
	CUBIC_TABLES=full $(CARGO) test --release --locked -p ackclock --test tcp cubic_tables
	$(CARGO) test --locked -p ackclock-scenario --test language recipes -- --ignored
	python3 python/fresh chart --empty
	$(CARGO) run --release --locked -- reproduce
	$(MAKE) fuzz

headlines: ## takes the verdicts of target/quick over into studies/headlines.txt
	$(HEADLINES) >studies/headlines.txt

docs: ## build the manual into target/docs/site (needs Python 3.11); SERVE=1 serves it at 127.0.0.1:8000, too
	$(CARGO) build --release --locked -p ackclock-cli
	@docs/site/make "$${CARGO_TARGET_DIR:-target}/release/ackclock" $(if $(SERVE),--serve)

dist: ## build the wheel and a static program (Linux) into target/distribution, with their checksums
	python/make dist
	rustup target add $(MUSL)
	$(CARGO) build --profile dist --locked -p ackclock-cli --target $(MUSL)
	@dir="$${CARGO_TARGET_DIR:-target}"; rm -rf "$$dir/distribution"; mkdir -p "$$dir/distribution"; \
		cp "$$dir"/wheels/*.whl "$$dir/$(MUSL)/dist/ackclock" "$$dir/distribution"; \
		cd "$$dir/distribution" && sha256sum * >SHA256SUMS && cat SHA256SUMS

bpf: ## compile the programs for the kernel again (needs clang, llvm and libbpf-dev)
	crates/ackclock-bpf/bpf/build

gallery: ## draw the pictures of the manual again
	$(CARGO) build --release --locked -p ackclock-cli
	python3 docs/site/check.py --program "$${CARGO_TARGET_DIR:-target}/release/ackclock" --write docs/gallery/index.md

accept: ## look at changed snapshots and take them over
	@command -v cargo-insta >/dev/null || $(CARGO) install --locked cargo-insta
	$(CARGO) insta review
	INSTA_UPDATE=always $(CARGO) test --locked -p ackclock-scenario --test language registry
	INSTA_UPDATE=always $(CARGO) test --locked -p ackclock-cli --test cli readme::the_message
	OR_SKIP=1 python/make dev
	python3 docs/site/check.py --program "$${CARGO_TARGET_DIR:-target}/debug/ackclock" --write \
		$$([ -d "$(PYTHON)" ] && echo --python "$(PYTHON)/bin/python")

fuzz: ## FUZZ_RUNS executions of every reader of files and of both engines side by side (needs the nightly toolchain)
	@command -v cargo-fuzz >/dev/null || $(CARGO) install --locked cargo-fuzz
	mkdir -p fuzz/corpus/scenario fuzz/corpus/sweep fuzz/corpus/elements fuzz/corpus/kept
	@# Keys and words as the schema has them.
	$(CARGO) run --release --locked -q -p ackclock-cli -- schema | grep -oE '"[a-z0-9_-]+"' | sort -u | \
		cat fuzz/scenario.dict - >fuzz/corpus/scenario.dict
	cd fuzz && $(CARGO) +nightly fuzz run --sanitizer none scenario corpus/scenario seeds/scenario -- \
		-runs=$(or $(FUZZ_RUNS),1000000) -max_len=4096 -timeout=20 -dict=corpus/scenario.dict
	cd fuzz && $(CARGO) +nightly fuzz run --sanitizer none sweep corpus/sweep seeds/sweep -- \
		-runs=$(or $(FUZZ_RUNS),200000) -max_len=1024 -timeout=20 -rss_limit_mb=2048 -dict=corpus/scenario.dict
	cd fuzz && $(CARGO) +nightly fuzz run --sanitizer none elements corpus/elements seeds/elements -- \
		-runs=$(or $(FUZZ_RUNS),500000) -max_len=4096 -timeout=20 -rss_limit_mb=2048
	cd fuzz && $(CARGO) +nightly fuzz run --sanitizer none kept corpus/kept seeds/kept -- \
		-runs=$(or $(FUZZ_RUNS),100000) -max_len=4096 -timeout=20 -rss_limit_mb=2048
	@# Long inputs to begin with: what is empty is the same simple network for a long time.
	mkdir -p fuzz/corpus/engines
	for n in 1 2 3 4 5 6 7 8; do head -c 400 /dev/urandom >fuzz/corpus/engines/start-$$n; done
	cd fuzz && $(CARGO) +nightly fuzz run --sanitizer none engines corpus/engines -- \
		-runs=$(or $(FUZZ_RUNS),100000) -max_len=400 -timeout=20

bench: ## CPU time per segment against ns-2 and ns-3; BENCH_ARGS="--quick", "--write bench/results.md"
	python3 bench/run.py $(BENCH_ARGS)

bench-setup: ## install ns-2, ns-3 and valgrind (Debian, Ubuntu; as root)
	@for package in ns2 libns3-dev valgrind; do \
		apt-get install -y $$package || echo "*** $$package cannot be had here: its rows are not measured" >&2; \
	done

instructions: ## count instructions of short scenarios into bench/instructions.txt
	python3 bench/instructions.py

instructions-check: ## count them and compare; fails if anything is more than 10 % dearer
	python3 bench/instructions.py --check

instructions-sweeps: ## count instructions of sweeps inside and outside simulations into bench/sweeps.txt (ten minutes)
	python3 bench/sweeps.py

sabotage: ## make each mistake of bench/sabotage.toml in a copy: a test must notice it (an hour; SABOTAGE="NAME..." for some)
	python3 bench/sabotage.py $(SABOTAGE)

clean: ## remove what was built
	$(CARGO) clean
