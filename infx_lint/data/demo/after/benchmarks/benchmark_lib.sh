#!/usr/bin/env bash

# What all recipes share.

export PORT="${PORT:-8888}"
AIPERF_CLI="${AIPERF_VENV:-/tmp/aiperf/venv}/bin/aiperf"

# Usage: check_env_vars NAME...
check_env_vars() {
    local missing=()
    for name in "$@"; do
        if [[ -z "${!name:-}" ]]; then
            missing+=("$name")
        fi
    done
    if [[ ${#missing[@]} -gt 0 ]]; then
        echo "not set: ${missing[*]}" >&2
        exit 1
    fi
}

wait_for_server_ready() {
    local port="" log="" pid=""
    while [[ $# -gt 0 ]]; do
        case $1 in
            --port) port="$2"; shift 2 ;;
            --server-log) log="$2"; shift 2 ;;
            --server-pid) pid="$2"; shift 2 ;;
            *) echo "Unknown parameter: $1"; return 1 ;;
        esac
    done
    until curl --silent --fail "http://0.0.0.0:$port/health"; do
        kill -0 "$pid" 2>/dev/null || { tail "$log"; exit 1; }
        sleep 5
    done
}

run_benchmark_serving() {
    if [ "${EVAL_ONLY}" = "true" ]; then
        echo "eval only: no benchmark"
        return 0
    fi
    local model="" concurrency="" result_dir="" template=false
    while [[ $# -gt 0 ]]; do
        case $1 in
            --model) model="$2"; shift 2 ;;
            --max-concurrency) concurrency="$2"; shift 2 ;;
            --result-dir) result_dir="$2"; shift 2 ;;
            --use-chat-template) template=true; shift ;;
            *)
                echo "Unknown parameter: $1"
                return 1
                ;;
        esac
    done
    local command=(
        python3 utils/bench_serving/benchmark_serving.py
        --model "$model"
        --max-concurrency "$concurrency"
        --result-dir "$result_dir"
    )
    if [[ "$template" == true ]]; then
        command+=(--use-chat-template)
    fi
    "${command[@]}"
}

get_native_max_context_length() {
    python3 -m context_of_model "$1"
}

# Usage: compute_eval_context_length MODEL WANTED
compute_eval_context_length() {
    local native wanted="$2"
    native=$(get_native_max_context_length "$1")
    if [ "$wanted" -gt "$native" ]; then
        wanted="$native"
    fi
    EVAL_MAX_MODEL_LEN="$wanted"
    echo "$wanted"
}

setup_eval_context() {
    EVAL_MAX_MODEL_LEN=$(compute_eval_context_length "$MODEL" "$((ISL + OSL + 256))")
    export EVAL_MAX_MODEL_LEN
}

run_eval() {
    if [ -z "${EVAL_MAX_MODEL_LEN:-}" ]; then
        compute_eval_context_length "$MODEL" "${MAX_MODEL_LEN:-0}" > /dev/null
    fi
    python3 -m lm_eval --port "$PORT" --max-length "$EVAL_MAX_MODEL_LEN"
}

build_replay_cmd() {
    local result_dir="$1"
    REPLAY_CMD="$AIPERF_CLI profile --url http://localhost:$PORT"
    REPLAY_CMD+=" --concurrency $CONC"
    REPLAY_CMD+=" --output-artifact-dir $result_dir/artifacts"
}

run_agentic_replay_and_write_outputs() (
    local result_dir="$1"
    set +e
    $REPLAY_CMD 2>&1 | tee "$result_dir/benchmark.log"
)
