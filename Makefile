MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help machine install generate build tools run demo seed logs dlq timeline clean test test-faults lint typecheck jest format bench images deploy undeploy forward rotate-key doctor test-cluster test-chart golden kind-up kind-down kafka

# Node itself runs the TypeScript of tools/, so that a signal reaches the tool and nothing stands between.
tool := node --import tsx
bin := node_modules/.bin
helm = $$($(tool) tools/chart/helm-path.ts)
jest := node --experimental-vm-modules --no-warnings node_modules/jest/bin/jest.js
# One at a time, also where make runs twice.
alone := mkdir -p .cache && flock .cache/make.lock

# Of the targets for Kubernetes.
export DOCKER ?= docker
export BUILD_FLAGS ?=
export PUSH ?=
export LOAD_IMAGES ?= kind load docker-image --name store
export NAMESPACE ?= store
export RELEASE ?= store
export VALUES ?= k8s/values-dev.yaml
export TIMEOUT ?= 5m
strimzi := https://github.com/strimzi/strimzi-kafka-operator/releases/download/1.2.0/strimzi-cluster-operator-1.2.0.yaml

help: ## This list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

machine:
	@sh tools/local/commands/check-machine.sh

# No install script is needed: what PostgreSQL's does, the local run does where it has not been done.
# npm writes the file compared here at the end of every install.
install: machine ## npm ci, where package-lock.json has changed
	@$(alone) sh -c 'test node_modules/.package-lock.json -nt package-lock.json || \
	  { echo "npm ci, about a minute" && npm ci --ignore-scripts --loglevel=error; }'

generate: install ## The Prisma clients, where a schema has changed
	@$(alone) $(tool) tools/generate.ts

build: generate ## Compile the services, where something has changed
	@$(alone) $(bin)/tsc -b services/*/tsconfig.json

tools: install ## Envoy, Kafka and Helm, fetched where the machine has none
	@$(alone) $(tool) tools/local/commands/fetch-tools.ts

run: build ## Start the whole store on http://localhost:8080; Ctrl-C stops it
	@$(tool) tools/local/commands/run.ts

demo: install ## A customer walks through the running store
	@$(tool) tools/local/commands/demo.ts

seed: install ## 1,000 products and 200,000 status records for the running store
	@$(tool) tools/local/commands/seed.ts

logs: install ## What the parts say; PART=order for one
	@$(tool) tools/local/commands/logs.ts $(PART)

dlq: build ## Dead letters of the running store; RETRY=invoice-group hands back
	@$(tool) tools/local/commands/dead-letters.ts $(RETRY)

timeline: build ## The events of an order, with their times; ORDER=its id
	@$(tool) tools/local/commands/timeline.ts $(ORDER)

clean: install ## Forget data, keys and logs of the stopped store
	@$(tool) tools/local/commands/clean.ts

test: lint typecheck build tools ## Lint, types and all tests, on free ports
	@$(jest)

test-faults: build tools ## 500 orders while parts are killed and stopped at random; minutes
	@FAULT_ORDERS=$${FAULT_ORDERS:-500} timeout --foreground -k 10 600 $(jest) --selectProjects faults

jest: build tools ## All tests; ARGS=services/order for some
	@$(jest) $(ARGS)

lint: install ## Lint and format, without changing anything
	@$(bin)/biome ci --log-level=warn .

typecheck: generate ## All types, tests and tools included
	@$(bin)/tsc

format: install ## Format and repair what can be repaired
	@$(bin)/biome check --write .

bench: build ## Figures of speed and memory; takes minutes
	@$(tool) tools/bench/main.ts

kind-up: ## A cluster by kind, with a Kafka for development
	@kind get clusters | grep -qx store || kind create cluster --config kind-config.yaml
	@$(MAKE) kafka

# The operator watches its own namespace.
kafka: ## The Strimzi operator, and a Kafka of one broker, in the cluster of kubectl
	@kubectl apply -f k8s/namespace.yaml
	@curl -fsSL $(strimzi) | sed 's/namespace: .*/namespace: $(NAMESPACE)/' | kubectl apply --server-side --namespace $(NAMESPACE) -f -
	@kubectl --namespace $(NAMESPACE) patch deployment strimzi-cluster-operator --patch-file k8s/strimzi-operator.yaml
	@kubectl apply --namespace $(NAMESPACE) -f k8s/kafka.yaml
	@echo "Waits for Kafka, some minutes the first time"
	@kubectl --namespace $(NAMESPACE) wait kafka/store --for=condition=Ready --timeout=15m

kind-down: ## Delete that cluster, with all that is in it
	@kind delete cluster --name store

images: install ## Build all images; bring them into the cluster by LOAD_IMAGES, or to a registry: PUSH=host/store
	@$(tool) tools/cluster/commands/images.ts

deploy: install ## Install or upgrade the store in the cluster of kubectl
	@$(tool) tools/cluster/commands/deploy.ts

undeploy: install ## Uninstall it; data and keys stay
	@$(helm) uninstall $(RELEASE) --namespace $(NAMESPACE) --wait

forward: ## The gateway of the cluster on http://localhost:8080
	@kubectl --namespace $(NAMESPACE) port-forward service/gateway 8080

rotate-key: build ## Another JWT key signs from now on; nobody is logged out
	@$(tool) tools/cluster/commands/rotate-key.ts $(ARGS)

doctor: build ## What is wrong with the store in the cluster, and what to do
	@$(tool) tools/cluster/commands/doctor.ts

test-chart: install ## The chart: lint, refused values, and what it renders against the golden files
	@$(helm) lint --quiet charts/store
	@$(jest) --selectProjects chart

golden: install ## Write the golden files of what the chart renders
	@$(tool) tools/chart/golden.ts

test-cluster: install ## The installed store: helm test, then restarts, kills and faults under load; the better part of an hour
	@$(helm) test $(RELEASE) --namespace $(NAMESPACE) --logs
	@$(jest) --config tests/cluster/jest.config.mjs $(ARGS)
