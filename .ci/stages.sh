# Functions for the stages of .ci/run and .ci/full. Each stage prints its time; summarize prints a table of all stages.

# All tests at once would wait for each other: a task that is ready gets its turn after up to 18 seconds instead of
# microseconds, beyond the time limits of what is tested.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$((2 * $(getconf _NPROCESSORS_ONLN)))

stages=()
failed=

# stage NAME COMMAND…: runs a stage.
stage() {
    local name=$1 start=$SECONDS
    shift
    echo "=== $name"
    failed=$name
    "$@"
    failed=
    record "$name" $((SECONDS - start))
}

# record NAME SECONDS
record() {
    stages+=("$(printf '%5d s  %s' "$2" "$1")")
    echo "=== $1: $2 s"
}

# Prints the table, also if a stage failed.
summarize() {
    echo
    echo "=== Stages"
    [ ${#stages[@]} = 0 ] || printf '%s\n' "${stages[@]}"
    [ -z "$failed" ] || echo " FAILED  $failed"
    printf '%5d s  all\n' "$SECONDS"
}
