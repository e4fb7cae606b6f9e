# Everything that is done with this repository. `make` lists it.
# All tools and environments that a target installs go to .cache/.

SHELL       := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

LINT_VERSION := v2.15.0
ZARRITA_VERSION := 0.7.5
AZURITE_VERSION := 3.35.0
BOTOCORE_VERSION := 1.44.5
NGFF_ZARR_VERSION := 0.50.0
GOVULNCHECK_VERSION := v1.9.0
VULNERABILITIES ?= $(or $(shell go env GOVULNDB),https://vuln.go.dev)
FUZZTIME     ?= 5s
BENCH        ?= .
N            ?= 60
SEED         ?= 1
SOAK         ?= 10m
ATTACK       ?=
SKIP         ?=
ONLY         ?=
CELLS        ?=
# The stores are tried together, because the tests of internal/store look at all of them.
STORE := ./internal/store
STORES := $(STORE),$(STORE)/location,$(STORE)/driver,$(STORE)/limits,$(STORE)/remote,$(STORE)/local,$(STORE)/memory,$(STORE)/http,$(STORE)/zip,$(STORE)/bucket,$(STORE)/s3,$(STORE)/gcs,$(STORE)/azure
ROOMS        ?= ./sinks ./jobs/journal ./stages ./sources ./sources/combine ./sources/compare ./sources/zarr ./zarr $(STORES)
PYTHON       ?=
# Long tests of one goroutine, which the race detector has nothing to say about. Of the
# conformance of codecs, what runs concurrently is left.
ALONE := ^Test(BinaryBombs|Bombs|Candidates|CompressorMemory|CastValueGolden|CastValueReference|ChecksumBits|Checksums|DamagedNestedLists|Dense|ElementwiseChains|Estimates|Flipped.*|ForgedBytes|PageChecksums|ScaleOffsetReference|TextsAreDecodedWithinAnAccount|Unpack|ZstdDeterministic|ZstdLevels)$$|^Test(|ArrayCodecs)Conformance$$/./^(append|configuration|damage|fill_value|refusals|round_trip|size)$$

# Pure formats and arithmetic. All but zfp start no goroutine: of their tests, the race detector looks at
# those that share a value, and at those of zfp with many workers.
FORMATS := ./codecs/blosc ./codecs/gdeflate ./codecs/inflate ./codecs/pcodec ./codecs/szip ./codecs/xz ./codecs/zfp ./codecs/zstd ./internal/cf ./sources/zarr/internal/kerchunk

# Compressors that tell the race detector what they read and write (internal/race). Where other packages
# use them, it does not look into them: a test of jobs/run takes 20 s if it does, and 4 s if not.
UNSEEN := $(patsubst %,-gcflags=github.com/zmigrate/zmigrate/codecs/%=-race=false,blosc inflate pcodec zstd)

# Packages with kernels for processors.
KERNELS := ./internal/cpu ./codecs/adler32 ./codecs/packing ./codecs/shuffle ./codecs/zfp ./codecs/zstd ./dtype/ndarray/digest ./sources/arrow/parquet

LINT := .cache/bin/golangci-lint-$(LINT_VERSION)
PEERS := .cache/interop/installed
SERVERS := .cache/servers/installed
KUBERNETES := .cache/kubernetes/manifests
# Leaves out the code by which urfave/cli documents commands, because `zmigrate man` has its own, and
# goccy/go-json: with the tag `tinygo`, Arrow takes encoding/json.
TAGS := urfave_cli_no_docs,tinygo
# Where the process begins, on the platform that has an entry of ours (cmd/zmigrate/start_*).
ENTRY := $(if $(filter linux/amd64,$(shell go env GOOS)/$(shell go env GOARCH)),-E main.start)
ZARRS := .cache/zarrs/bin/zarrs_reencode

.PHONY: outdated audit help wine build test lint race fuzz bench mutate soak interop real-files speed-levels speed-zstd wheel ports servers cloud-test simulate simulate-costs small chunks docs check clean release release-check cross packaging
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## the static program, bin/zmigrate (needs: Go)
	CGO_ENABLED=0 go build -tags $(TAGS) -ldflags='-s -w $(ENTRY)' -o bin/zmigrate ./cmd/zmigrate

# Tests and their linker write tens of thousands of files, faster to memory where it has 4 GiB for them.
MEMORY := $(shell df -k --output=avail /dev/shm 2>/dev/null | awk 'NR == 2 && $$1 > 4194304 { print "/dev/shm" }')

test: ## all tests that need nothing but Go (needs: Go)
	$(if $(MEMORY),TMPDIR=$(MEMORY)) go test ./...
	cd e2e/s3server && go test .

lint: $(LINT) ## golangci-lint over all packages (needs: Go; installs golangci-lint)
	$(LINT) run ./...
	$(LINT) run --build-tags race ./internal/race

# `go test` and `make lint` have vetted the files. The race detector makes each collection of garbage
# long, so there are fewer.
race: ## all tests under the race detector, of e2e those that work within their own process (needs: Go with cgo, a C compiler)
	GOGC=400 CGO_ENABLED=1 go test -race $(UNSEEN) -vet=off -timeout 20m -skip '$(ALONE)' $$(go list ./... | grep -v -e /e2e $(FORMATS:./%=-e %$$))
	CGO_ENABLED=1 go test -race -vet=off -timeout 20m -run 'Concurren|Workers' $(FORMATS)
	GOGC=400 CGO_ENABLED=1 go test -race $(UNSEEN) -vet=off -timeout 20m -run 'Storm|Outage|Busy|OpeningMany|DurableOperation|AppendTo' ./e2e

fuzz: ## every fuzz target for FUZZTIME=5s, one after the other (needs: Go)
	@bin="$$(mktemp -d)"; trap 'rm -rf "$$bin"' EXIT; cache="$$(go env GOCACHE)/fuzz"; \
	grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u | while read -r dir; do \
		package="$$(go list "$$dir" </dev/null)"; \
		go test -c -fuzz . -o "$$bin/fuzz.test" "$$package" </dev/null; \
		for target in $$(cd "$$dir" && "$$bin/fuzz.test" -test.list '^Fuzz'); do \
			echo "== $$target in $$package, $(FUZZTIME)"; \
			(cd "$$dir" && "$$bin/fuzz.test" -test.run '^$$' -test.fuzz "^$$target\$$" -test.fuzztime $(FUZZTIME) -test.fuzzminimizetime 1x -test.fuzzcachedir "$$cache/$$package" </dev/null); \
		done; \
	done

bench: ## all benchmarks, or those that match BENCH=regexp (needs: Go)
	go test -run '^$$' -bench '$(BENCH)' -benchmem ./...

mutate: ## N=60 small faults, by chance of SEED=1, put into ROOMS one at a time: the rooms' own tests have to notice nine of ten; ONLY=regexp chooses some (needs: Go)
	go run ./e2e/mutate -n $(N) -seed $(SEED) -skip '$(SKIP)' -only '$(ONLY)' $(ROOMS)

soak: ## attacks for SOAK=10m, drawn from SEED=1 on: kills, faults of the network, takeovers of locks, damaged files and checkpoints, growth; ATTACK=regexp chooses some, and also dask and slurm (needs: Go; for these two what interop installs)
	cd e2e && ZMIGRATE_SOAK=$(SOAK) ZMIGRATE_SEED=$(SEED) ZMIGRATE_ATTACK='$(ATTACK)' go test -count=1 -timeout 0 -run '^TestSoak$$'

interop: $(PEERS) $(KUBERNETES) ## zarr-python, tensorstore, xarray, libzfp read what zmigrate wrote, Dask and Slurm do campaigns, the code of an API server checks manifests, and shells complete command lines (needs: Go, Python 3.12, npm, netcdf-bin, hdf5-tools, chromium-headless-shell, slurmctld, slurmd, slurm-client, munge, zsh, fish and mandoc, or root on a Debian; installs the peers)
	type ncdump ncgen h5dump chromium-headless-shell >/dev/null 2>&1 || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends netcdf-bin hdf5-tools chromium-headless-shell; }
	type slurmctld slurmd sbatch munged >/dev/null 2>&1 || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends slurmctld slurmd slurm-client munge; }
	type zsh fish mandoc >/dev/null 2>&1 || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends zsh fish mandoc; }
	ZMIGRATE_REQUIRE_PEERS=1 go test -count=1 -timeout 20m -v -run '^TestInterop|^TestCompletion|^TestScripts$$/^man$$' ./e2e ./readers ./codecs/szip ./codecs/zfp ./codecs/zstd

wheel: $(PEERS) build ## the Python package with the program in it, bin/zmigrate-*.whl, for Linux on amd64 (needs as interop; installs the peers)
	.cache/interop/bin/python python/wheel.py bin/zmigrate bin

real-files: $(PEERS) build ## migrate the files of other projects that FILES names, and compare each element with what h5py, netCDF4, pyarrow, zarr-python or tensorstore read (needs: as interop)
	.cache/interop/bin/python e2e/interop/real_files.py bin/zmigrate $(FILES)

servers: $(SERVERS) ## servers of S3, Google Cloud Storage and Azure (needs: Go, npm; installs them)

cloud-test: $(SERVERS) $(PEERS) ## stores and whole migrations at those servers, read by zarr-python (needs: as interop and servers)
	ZMIGRATE_REQUIRE_PEERS=1 .cache/servers/servers .cache/servers go test -count=1 -v -run '^TestCloud' ./internal/store ./e2e

simulate: ## campaigns with up to thousands of workers, computed: the tables of docs/many-machines-scale.md (needs: Go)
	go run ./e2e/simulate

simulate-costs: ## what single steps of a campaign take on this machine, and a small campaign, simulated and real (needs: Go)
	go run ./e2e/simulate -measure

small: ## the program without the providers of object stores, bin/zmigrate-small; each can be left out (needs: Go)
	for tag in nos3 nogcs noazure; do go build -tags $$tag ./internal/store/...; done
	CGO_ENABLED=0 go build -tags $(TAGS),nos3,nogcs,noazure -ldflags='-s -w $(ENTRY)' -o bin/zmigrate-small ./cmd/zmigrate
	for scheme in s3 gs azblob; do { bin/zmigrate-small inspect $$scheme://bucket 2>&1 || true; } | grep 'built without'; done

ports: ## packages with kernels, with those of older processors, without any and on arm64; zfp for newer amd64 (needs: Go; qemu-user, or root on a Debian, which installs it)
	go vet -tags purego $(KERNELS)
	go test -tags purego ./codecs/zstd
	ZMIGRATE_CPU=plain go test $(KERNELS)
	if [[ "$$(go env GOARCH)" = amd64 ]]; then ZMIGRATE_CPU=avx2 go test $(KERNELS); fi
	GOAMD64=v3 go test ./codecs/zfp
	command -v qemu-aarch64 >/dev/null || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends qemu-user; }
	CGO_ENABLED=0 GOARCH=arm64 go test -c -o .cache/arm64/zfp.test ./codecs/zfp
	cd codecs/zfp && qemu-aarch64 ../../.cache/arm64/zfp.test -test.run 'Golden|Region|Header|UndefinedInC|EveryBit|Kernels|Strides|Finite|Fuzz'
	CGO_ENABLED=0 GOARCH=arm64 go test -c -o .cache/arm64/shuffle.test ./codecs/shuffle
	cd codecs/shuffle && qemu-aarch64 ../../.cache/arm64/shuffle.test && ZMIGRATE_CPU=plain qemu-aarch64 ../../.cache/arm64/shuffle.test
	CGO_ENABLED=0 GOARCH=arm64 go test -c -o .cache/arm64/digest.test ./dtype/ndarray/digest
	cd dtype/ndarray/digest && qemu-aarch64 ../../../.cache/arm64/digest.test -test.run 'Golden|Parts|Items|ByteOrder'

speed: $(PEERS) build .cache/speed ## the table of docs/speed.md: whole migrations and reads beside those of other programs, of zarrs where there is Rust; columns of Parquet beside pyarrow (needs as interop; installs the peers)
	if command -v cargo >/dev/null; then $(MAKE) $(ZARRS); fi
	.cache/interop/bin/python e2e/interop/speed.py bin/zmigrate .cache/speed/readspeed .cache/speed/s3server "$$(test ! -e $(ZARRS) || dirname $(ZARRS))" $(SPEED)
	ZMIGRATE_SPEED=1 ZMIGRATE_REQUIRE_PEERS=1 go test -count=1 -v -timeout 30m -run '^Test(Migration|Parquet)Speed' ./e2e

speed-levels: $(PEERS) build .cache/speed ## the same migrations by zmigrate alone, with AVX-512, with AVX2 and without kernels: the second table of docs/speed.md (needs a processor with AVX-512, and as interop; installs the peers)
	.cache/interop/bin/python e2e/interop/speed.py --levels --turns 5 bin/zmigrate .cache/speed/readspeed .cache/speed/s3server '' $(SPEED)

.PHONY: .cache/speed
.cache/speed:
	mkdir -p $@
	CGO_ENABLED=0 go build -o $@/ ./e2e/interop/readspeed
	cd e2e/s3server && CGO_ENABLED=0 go build -o ../../$@/ .

speed-zstd: $(PEERS) ## our encoder of Zstandard beside those of klauspost/compress and libzstd: 22 kinds of data, three sizes, levels 1 to 9; CELLS=regexp chooses some; FILES=pattern measures files instead (needs as interop; installs the peers)
	ZMIGRATE_SPEED=1 ZMIGRATE_CELLS='$(CELLS)' ZMIGRATE_FILES='$(abspath $(FILES))' ZMIGRATE_REQUIRE_PEERS=1 go test -count=1 -v -timeout 30m -run '^TestSpeed$$' ./codecs/zstd

chunks: $(PEERS) build ## the table of docs/chunks.md: maps and time series, read by xarray from chunks of several shapes (needs as interop; installs the peers)
	.cache/interop/bin/python e2e/interop/chunks.py bin/zmigrate

docs: .cache/docs/installed ## the documentation as a site, .cache/site; broken links are errors (needs: Python 3.12, or root on a Debian; installs the generator)
	NO_MKDOCS_2_WARNING=1 .cache/docs/bin/mkdocs build --quiet --strict

.cache/docs/installed: docs/requirements.txt
	"$$(PYTHON='$(PYTHON)' e2e/interop/python.sh .cache/debian)" -m venv .cache/docs
	.cache/docs/bin/pip install --quiet --requirement docs/requirements.txt
	touch $@

audit: ## known vulnerabilities in what the program calls, where their database can be reached (needs: Go, curl)
	@if why="$$(curl -sSfm 5 -o /dev/null $(VULNERABILITIES)/index/db.json 2>&1)"; then \
		go run golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION) ./cmd/zmigrate; \
	else \
		echo "skipped: the database of vulnerabilities, $(VULNERABILITIES), cannot be reached ($$why)"; \
	fi

outdated: ## direct dependencies that have a newer release (needs: Go, a module proxy)
	@go list -m -u -f '{{if not (or .Indirect .Main)}}{{if .Update}}{{.Path}} {{.Version}} {{.Update.Version}} {{.Update.Time.Format "2006-01-02"}}{{end}}{{end}}' all | \
	awk 'BEGIN { row = "%-56s %-12s %-12s %s\n"; printf row, "module", "in use", "newest", "released" } NF { printf row, $$1, $$2, $$3, $$4; n++ } END { if (!n) print "all are the newest" }'

release: .cache/release/installed ## the files of a release, made of the checked out commit, in dist/; see docs/install.md (needs: Go, git, Python 3.12, or root on a Debian; installs hatchling)
	cd packaging && CGO_ENABLED=0 go run . -source .. -out ../dist -python ../.cache/release/bin/python

release-check: ## a release, made twice in folders and caches of their own, compared and tried (needs: as release; root on a Debian; installs packages)
	$(MAKE) packaging cross release
	type qemu-aarch64 mandoc man skopeo umoci rpm ruby systemd-analyze >/dev/null 2>&1 || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends qemu-user mandoc man-db skopeo umoci rpm ruby systemd; }
	packaging/check.sh dist .cache/release/bin/python
	@again="$$(mktemp -d)"; trap 'chmod -R u+w "$$again"; rm -rf "$$again"' EXIT; \
	(cd packaging && CGO_ENABLED=0 GOCACHE="$$again/cache" go run . -source .. -out "$$again/dist" -python ../.cache/release/bin/python) && \
	diff -r dist "$$again/dist" && echo "both releases are the same"

packaging: ## the tests of what makes a release (needs: Go)
	cd packaging && CGO_ENABLED=0 go vet . && CGO_ENABLED=0 go test .

wine: ## run the program for Windows (needs: Go, and a Wine that has bcryptprimitives.dll)
	ZMIGRATE_WINE=wine go test -count=1 -run '^TestWine$$' ./e2e

cross: ## vet for Windows and macOS (needs: Go)
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go vet ./...
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go vet ./...

.cache/release/installed: packaging/requirements.txt
	"$$(PYTHON='$(PYTHON)' e2e/interop/python.sh .cache/debian)" -m venv .cache/release
	.cache/release/bin/pip install --quiet --disable-pip-version-check --no-input --requirement packaging/requirements.txt
	touch $@

check: test lint audit ## test, lint and audit, to run before a commit

clean: ## remove .cache/, bin/ and dist/
	rm -rf .cache bin dist

$(LINT):
	mkdir -p $(@D)
	GOBIN="$(CURDIR)/$(@D)" go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv $(@D)/golangci-lint $@

$(PEERS): e2e/interop/requirements.txt readers/peers/releases.txt
	rm -rf $(@D)
	mkdir -p $(@D)
	"$$(PYTHON="$(PYTHON)" e2e/interop/python.sh .cache/debian)" -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-input -r $<
	while read -r release packages; do \
		$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps --target "$(@D)/readers/$$release" $$packages </dev/null; \
	done < <(grep -v '^#' readers/peers/releases.txt)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps --target $(@D)/botocore botocore==$(BOTOCORE_VERSION)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps --target $(@D)/ngff ngff-zarr==$(NGFF_ZARR_VERSION)
	npm install --silent --no-fund --no-audit --prefix $(@D)/readers/zarrita.js-$(ZARRITA_VERSION) zarrita@$(ZARRITA_VERSION)
	touch $@

$(SERVERS): e2e/servers/go.mod e2e/servers/main.go
	mkdir -p $(@D)
	cd e2e/servers && CGO_ENABLED=0 go build -ldflags='-s -w' -o ../../$(@D)/ . tool
	npm install --silent --no-fund --no-audit --prefix $(@D)/azurite azurite@$(AZURITE_VERSION)
	touch $@

$(KUBERNETES): $(wildcard e2e/kubernetes/*.go) e2e/kubernetes/go.mod
	mkdir -p $(@D)
	cd e2e/kubernetes && CGO_ENABLED=0 go build -ldflags='-s -w' -o ../../$@ .

$(ZARRS):
	cargo install --quiet zarrs_tools --version 0.8.1 --locked --root .cache/zarrs --target-dir .cache/zarrs/target
	rm -rf .cache/zarrs/target
