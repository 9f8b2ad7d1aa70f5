#!/usr/bin/env bash
set -eo pipefail

source "$(dirname "$0")/../../benchmark_lib.sh"

check_env_vars MODEL TP CONC RESULT_DIR

python3 -m sglang.launch_server --model-path "$MODEL" --tp "$TP" --speculative-algorithm EAGLE > "$RESULT_DIR/server.log" 2>&1 &
SERVER_PID=$!

wait_for_server_ready --port "$PORT" --server-log "$RESULT_DIR/server.log" --server-pid "$SERVER_PID"

build_replay_cmd "$RESULT_DIR"
REPLAY_CMD+=" --server-metrics http://localhost:$PORT/metrics"
run_agentic_replay_and_write_outputs "$RESULT_DIR"
