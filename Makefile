MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help machine node install generate build tools chromium run demo shop screenshots seed logs dlq import export grant timeline reconcile clean test test-browser test-faults test-payments test-webhooks lint typecheck jest format bench images namespace deploy undeploy forward rotate-key rotate-password restore doctor test-cluster test-chart api golden package service kind-up kind-down kafka api-diff console

# The Node of package-lock.json once it is installed, until then the machine's.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
# Node caches compiled code, and TypeScript sources without their types.
export NODE_COMPILE_CACHE ?= $(CURDIR)/.cache/compile
# No wrapper such as npx, so that signals reach the tool.
tool := node
bin := node_modules/.bin
helm = helm=$$($(tool) tools/chart/helm-path.ts) && "$$helm"
jest_bin := node --conditions=@store/source --no-warnings node_modules/jest/bin/jest.js
# Only test-cluster uses a cluster of yours.
jest := CONTEXT= $(jest_bin)
# Runs one command at a time, even if make runs twice. Without Python there is no lock.
alone := mkdir -p .cache && $(if $(shell command -v python3 2>/dev/null),python3 tools/alone.py .cache/make.lock)

# For the Kubernetes targets. An empty CONTEXT means kubectl's current context, whichever cluster that is.
export CONTEXT ?= kind-store
kubectl := kubectl $(if $(CONTEXT),--context $(CONTEXT))
at := $(if $(CONTEXT),--kube-context $(CONTEXT))
export DOCKER ?= docker
export BUILD_FLAGS ?=
export PUSH ?=
export LOAD_IMAGES ?= kind load docker-image --name store
export NAMESPACE ?= store
export RELEASE ?= store
VALUES ?= charts/store/presets/dev.yaml
TIMEOUT ?= 5m
log_files := .cache/log/$(or $(COMPONENT),$(PART),*).log
strimzi := https://github.com/strimzi/strimzi-kafka-operator/releases/download/1.2.0/strimzi-cluster-operator-1.2.0.yaml

# Targets with ### are rarely used, or steps of other targets.
help: ## Show this list; ALL=1 adds rare targets and steps of others
	@awk -F ':.*## ' '/^[a-z-]+:.* ##$(if $(ALL),#?) / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The local run needs more from the machine than containers do.
machine:
	@sh tools/local/commands/check-machine.sh

node:
	@sh tools/local/commands/check-machine.sh node

# Needs no install scripts: the local run does the work of PostgreSQL's script. npm writes the file compared here last.
install: node ### Run npm ci if package-lock.json has changed
	@$(alone) sh -c 'test node_modules/.package-lock.json -nt package-lock.json || \
	  { echo "npm ci, about half a minute" && npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --no-progress --loglevel=error; }'

generate: install ### Generate the Prisma clients, and the pages of the console with their types, that have changed
	@$(alone) $(tool) tools/generate.ts

build: generate ### Compile the services that have changed
	@test -d services/shared/dist || echo "compiling the services, about 10 s"
	@$(alone) $(bin)/tsc -b services/*/tsconfig.json clients/*/tsconfig.json
	@test docs/reference/openapi.js -nt docs/openapi.yaml || $(tool) tools/api/reference.ts

# Needs no packages, so that make can fetch both at the same time.
tools: machine ### Fetch Envoy, Kafka and Helm if the machine lacks them
	@$(tool) tools/local/commands/fetch-tools.mjs

# Needs no packages either.
chromium: machine ### Fetch the Chromium of the tests if the machine lacks its headless shell
	@$(tool) tools/local/commands/fetch-chromium.mjs

# The first run fetches the tools while it installs the packages and compiles the services.
run: machine ## Start the whole store on http://localhost:8080, PORTS=free on free ports; Ctrl-C stops it
	@$(MAKE) --jobs=2 build $$(test -d .cache/tools || echo tools)
	@$(tool) tools/local/commands/run.ts

demo: install ## Walk through the running store as a customer
	@$(tool) tools/local/commands/demo.ts

shop: install ## Serve the shop for the running store on http://localhost:3000 until Ctrl-C
	@$(tool) tools/local/commands/shop.ts

seed: install ## Add 1,000 products and 200,000 status records to the running store
	@$(tool) tools/local/commands/seed.ts

# tail reports on standard error that a log was truncated, at each start of the store.
logs: ## Follow the logs of all components; COMPONENT=order for one
	@ls $(log_files) >/dev/null 2>&1 || { echo 'There is no $(log_files): start the store with make run.' >&2; exit 1; }
	@tail -n $(if $(COMPONENT),100,10) -F $(log_files) 2>/dev/null | while IFS= read -r line; do \
	  case $$line in '==> '*' <==') name=$${line##*/}; name=$${name%.log*} ;; \
	    ?*) printf '%s%s\n' "$${name:+$$(printf '%-14s | ' "$$name")}" "$$line" ;; esac; \
	done

dlq: build ## List the dead letters; REDRIVE=<group> [ID=] [DRY_RUN=1], DISCARD=<group> ID= REASON=, AUDIT=<group>
	@$(tool) tools/local/commands/dead-letters.ts

import: build ## Create or replace products by a file of lines; FILE=<path>, or - for standard input
	@$(tool) tools/local/commands/import.ts

export: build ## Write the products that have a sku as a file that can be imported; FILE=<path>, or - for standard output
	@$(tool) tools/local/commands/export.ts

reconcile: build ## Compare the payment provider's list with the books, and check the books; DAYS=3
	@$(tool) tools/local/commands/reconcile.ts

grant: build ## Set the roles of an account; EMAIL=<address> ROLE=operator,catalogue or none
	@$(tool) tools/local/commands/grant.ts

# With a CONTEXT on the command line it is the console of that cluster, otherwise that of the local store.
console: node ## Print how to log in to the console, the pages for operators; CONTEXT=kind-store forwards that of a cluster
ifeq ($(origin CONTEXT),command line)
	@echo "http://localhost:8091, with an account that has the role operator, or with this token while auth is unavailable:"
	@$(kubectl) --namespace $(NAMESPACE) get secret store-console --output 'go-template={{.data.CONSOLE_TOKEN | base64decode}}{{"\n"}}'
	@$(kubectl) --namespace $(NAMESPACE) port-forward deployment/console 8091:8080
else
	@$(tool) tools/local/commands/console.ts
endif

timeline: build ## Show the events of an order; ORDER=<id>
	@$(tool) tools/local/commands/timeline.ts $(ORDER)

clean: install ## Delete data, keys and logs of the stopped store
	@$(tool) tools/local/commands/clean.ts

test: machine ## Run lint, type check and all tests, on free ports beside a running store
	@$(MAKE) --jobs=2 lint typecheck build tools chromium
	@$(jest)

test-browser: machine build tools chromium ## Walk through shop and console in Chromium while services are killed; takes minutes
	@$(jest) --config tests/browser/jest.config.mjs $(ARGS)

screenshots: machine build tools chromium ### Take pictures of every page of shop and console, for docs/images; takes minutes
	@$(tool) tests/browser/screenshots.ts

test-faults: machine build tools ### Place 500 orders while components are killed, paused and partitioned; takes minutes
	@FAULT_ORDERS=$${FAULT_ORDERS:-500} CONTEXT= timeout --foreground -k 10 600 $(jest_bin) --testPathIgnorePatterns tests/faults/payments tests/faults/webhooks --selectProjects faults

test-payments: machine build tools ### Make 10,000 payments with every fault, while payment and all that it needs are killed; takes hours
	@FAULT_PAYMENTS=$${FAULT_PAYMENTS:-10000} CONTEXT= $(jest_bin) --testPathPatterns tests/faults/payments --selectProjects faults

test-webhooks: machine build tools ### Tell five endpoints of 10,000 events while the sender, its database and Kafka are killed; takes 20 minutes
	@FAULT_EVENTS=$${FAULT_EVENTS:-10000} FAULT_KILLS=$${FAULT_KILLS:-20} CONTEXT= $(jest_bin) --testPathPatterns tests/faults/webhooks --selectProjects faults

jest: machine build tools chromium ## Run some of the tests; ARGS=services/order
	@$(jest) $(ARGS)

lint: generate ## Check lint rules, format and which layer imports which
	@test -t 2 || plain=--colors=off; $(bin)/biome ci --log-level=warn $$plain . || \
	  { echo 'make format corrects what can be corrected.' >&2; exit 1; }
	@$(bin)/depcruise services/*/src services/*/test

typecheck: generate ### Check all types, including tests and tools
	@$(bin)/tsc --incremental --tsBuildInfoFile .cache/types.tsbuildinfo && $(bin)/tsc -p examples/shop && $(bin)/tsc -p services/console/pages

format: install ## Format the sources and apply safe lint fixes
	@$(bin)/biome check --write .

# Without Node's compile cache, which costs each process 7 MiB: the images do not use it either.
bench: machine build tools ## Measure speed and memory, takes minutes; ONLY="orders order-life", ARGS=--help
	@NODE_COMPILE_CACHE= $(tool) tools/bench/main.ts $(if $(ONLY),--only $(ONLY)) $(ARGS)

package: install ### Package the chart with one version for itself and its images; VERSION=0.2.0 [IMAGES=registry.example.com/store] [DIGESTS=<file>] [PROJECT=<URL>]
	@$(tool) tools/chart/package.ts '$(VERSION)' $(if $(IMAGES),--images '$(IMAGES)') $(if $(DIGESTS),--digests '$(DIGESTS)') $(if $(PROJECT),--project '$(PROJECT)')

service: install ## Write a new service with routes, a database and tests; NAME=review ROUTE=/reviews
	@$(tool) tools/service/generate.ts '$(NAME)' '$(ROUTE)'

kind-up: ## Create a cluster of one node with kind, as the context kind-store
	@kind get clusters | grep -qx store || kind create cluster --config kind-config.yaml --wait 5m
	@$(MAKE) namespace CONTEXT=kind-store

namespace:
	@echo "To the namespace $(NAMESPACE) of the cluster $(or $(CONTEXT),$$(kubectl config current-context))"
	@$(kubectl) get namespace $(NAMESPACE) >/dev/null 2>&1 || \
	  sed 's/name: store/name: $(NAMESPACE)/' k8s/namespace.yaml | $(kubectl) create -f -

# The operator watches only its own namespace.
kafka: namespace ### Install the Strimzi operator and a Kafka of one broker, for VALUES="charts/store/presets/dev.yaml k8s/values-strimzi.yaml"
	@curl -fsSL $(strimzi) | sed 's/namespace: .*/namespace: $(NAMESPACE)/' | $(kubectl) apply --server-side --namespace $(NAMESPACE) -f -
	@$(kubectl) wait --for=condition=Established --timeout=2m crd/kafkas.kafka.strimzi.io crd/kafkanodepools.kafka.strimzi.io
	@$(kubectl) --namespace $(NAMESPACE) patch deployment strimzi-cluster-operator --patch-file k8s/strimzi-operator.yaml
	@$(kubectl) apply --namespace $(NAMESPACE) -f k8s/kafka.yaml
	@echo "Waiting for Kafka, which takes some minutes the first time"
	@$(kubectl) --namespace $(NAMESPACE) wait kafka/store --for=condition=Ready --timeout=15m

kind-down: ## Delete that cluster with all its data
	@kind delete cluster --name store

images: install ## Build all images and load them into the cluster, or push them: PUSH=host/store
	@$(tool) tools/cluster/commands/images.ts

deploy: install namespace ## Install or upgrade the store in the cluster CONTEXT
	@test -f .cache/images.yaml || { echo 'There are no images yet: make images' >&2; exit 1; }
	@echo "Waiting up to $(TIMEOUT) until everything is ready; kubectl -n $(NAMESPACE) get pods shows the progress."
	@$(helm) upgrade $(RELEASE) charts/store --install $(at) --namespace $(NAMESPACE) \
	  $(VALUES:%=--values %) --values .cache/images.yaml --wait --timeout $(TIMEOUT)

undeploy: install ## Uninstall the store; data and keys stay
	@$(helm) uninstall $(at) $(RELEASE) --namespace $(NAMESPACE) --wait

forward: ## Forward http://localhost:8080 to the gateway in the cluster
	@$(kubectl) --namespace $(NAMESPACE) port-forward service/gateway 8080

rotate-key: build ## Sign tokens with a new key; nobody is logged out
	@$(tool) tools/cluster/commands/rotate-key.ts $(ARGS)

rotate-password: install ## Give PostgreSQL, of the release or by CloudNativePG, new passwords; no request fails
	@$(tool) tools/cluster/commands/rotate-password.ts $(ARGS)

restore: install ## List the backups of the PostgreSQL of the release, or restore one: FROM=20260131T021700Z [ARGS=--replace]
	@$(tool) tools/cluster/commands/restore.ts $(if $(FROM),--from '$(FROM)') $(ARGS)

doctor: build ## Say what is wrong with the store in the cluster, and what to do
	@$(tool) tools/cluster/commands/doctor.ts

test-chart: install ### Lint the chart and run its tests
	@$(helm) lint --quiet --values tools/chart/images.yaml charts/store
	@$(jest) --selectProjects chart

api: generate ## Write what follows from routes and events: the OpenAPI and AsyncAPI documents and the types of the client
	@$(tool) --conditions=@store/source tools/api/write.ts
	@$(tool) tools/api/reference.ts

api-diff: build ### List changes since the last release that break clients; BASE=main compares with another
	@$(tool) tools/api/compare.ts $(BASE)

golden: build ## Write what follows from the chart: its README, golden files, and the files that skaffold reads
	@$(tool) tools/chart/golden.ts

test-cluster: install ### Test the installed store, with faults under load; takes most of an hour
	@$(helm) test $(at) $(RELEASE) --namespace $(NAMESPACE) --logs
	@$(jest_bin) --config tests/cluster/jest.config.mjs $(ARGS)
