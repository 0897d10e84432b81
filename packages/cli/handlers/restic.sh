# Functions of the handlers that use restic, read with `.` after common.sh. This file is no handler, see common.sh.

# The log of the job, also for functions whose output goes to a file.
exec 3>&1

# Opens the repository of this host: the one that $SVC_STATE_DIR/backup.conf names in restic's own variables, or else a
# local one in $SVC_STATE_DIR/backups, with a password of its own, which is made with it. Sets repository, its id, and
# origin, the host name that snapshots of this host bear.
open_repository() {
  conf=$SVC_STATE_DIR/backup.conf
  if [ -f "$conf" ]; then
    [ -z "$(find "$conf" -perm /077)" ] || fail "$conf may hold secrets: make it private with chmod 600"
    set -a
    . "$conf"
    set +a
  fi
  command -v restic >/dev/null || fail 'restic is not installed on this host'
  export RESTIC_CACHE_DIR="${RESTIC_CACHE_DIR:-$SVC_STATE_DIR/backup-cache}"
  errors=$SVC_WORK_DIR/restic.errors
  unlocked=
  # One at a time. Each restic inherits the file: while one of a job that was killed lives, the next job waits.
  exec 9>"$SVC_STATE_DIR/.backup-lock"
  flock -n 9 || { say 'waiting for another backup or restore of this host to end' && flock 9; }
  find "$SVC_STATE_DIR" -maxdepth 1 -name '.restic-run-*' -mmin +60 -exec rm -f {} +
  if [ -z "${RESTIC_REPOSITORY:-}${RESTIC_REPOSITORY_FILE:-}" ]; then local_repository; fi
  config=$(restic cat config --no-lock 2>"$errors") || fail "the repository cannot be opened: $(restic_says)"
  repository=$(printf '%s\n' "$config" | sed -n 's/.*"id": *"\([0-9a-f]*\)".*/\1/p')
  [ -n "$repository" ] || fail 'the repository has no id'
  origin=${SVC_BACKUP_HOST:-$(uname -n)}
}

local_repository() {
  export RESTIC_REPOSITORY="$SVC_STATE_DIR/backups"
  if [ -z "${RESTIC_PASSWORD:-}${RESTIC_PASSWORD_COMMAND:-}${RESTIC_PASSWORD_FILE:-}" ]; then
    export RESTIC_PASSWORD_FILE="$SVC_STATE_DIR/backup.password"
    if [ ! -s "$RESTIC_PASSWORD_FILE" ]; then
      [ ! -e "$RESTIC_REPOSITORY/config" ] || fail "the password of $RESTIC_REPOSITORY is gone: $RESTIC_PASSWORD_FILE"
      (umask 077 && head -c 32 /dev/urandom | base64 >"$RESTIC_PASSWORD_FILE")
    fi
  fi
  [ -e "$RESTIC_REPOSITORY/config" ] || restic init --quiet || fail 'the local repository could not be made'
}

# What restic said last, in one line. Its advice to unlock would take the lock of a host that is at work.
restic_says() { grep -v 'command can be used to remove stale locks' "$errors" | tail -n 4 | tr '\n' ' ' | cut -c 1-600; }

is_locked() { [ "$1" = 11 ] || grep -q 'already locked' "$errors"; }

# locking <words>...: restic with a command that locks the repository; returns its exit code. While another host's lock
# is in the way it tries again, for $BACKUP_WAIT_SECONDS at most: restic 0.14 itself does not wait.
locking() {
  wait_seconds=${BACKUP_WAIT_SECONDS:-600}
  case $wait_seconds in *[!0-9]*) fail "BACKUP_WAIT_SECONDS=$wait_seconds is no number of seconds" ;; esac
  step=$((wait_seconds / 40 + 1))
  waited_until=$(($(date +%s) + wait_seconds))
  while :; do
    status=0
    noted "$@" 2>"$errors" || status=$?
    if [ "$status" = 0 ] || ! is_locked "$status"; then break; fi
    if drop_locks; then continue; fi
    if [ "$(date +%s)" -ge "$waited_until" ]; then
      say 'the repository is still in use' >&3
      return "$status"
    fi
    say "waiting for the repository: $(restic_says)" >&3
    # Two hosts that wait for each other do not try in step.
    sleep $((step + $$ % step))
  done
  cat "$errors" >&2
  return "$status"
}

# noted <words>...: restic, with a note of its process and start for as long as it may hold a lock.
noted() {
  note=$(mktemp "$SVC_STATE_DIR/.restic-run-XXXXXX")
  ended=0
  # shellcheck disable=SC2016
  sh -c 'echo "$$ $(date +%s)" >"$0" && exec restic "$@"' "$note" "$@" || ended=$?
  # A restic that was killed leaves its lock, and the note that says whose it was.
  if [ "$ended" -le 128 ]; then rm -f "$note"; fi
  return "$ended"
}

# Removes locks of programs that were killed; fails when there is none, or when restic would take others along.
# `restic unlock` removes what nobody refreshed for half an hour, and the locks of every process that it cannot see of
# any host with our name: of a clone, or in another container. Those are removed only if they are this state folder's.
drop_locks() {
  dead=
  for lock in $(restic list locks --no-lock 2>/dev/null); do
    text=$(restic cat lock "$lock" --no-lock 2>/dev/null) || continue
    lock_host=$(printf '%s\n' "$text" | sed -n 's/.*"hostname": *"\(.*\)",*$/\1/p')
    lock_pid=$(printf '%s\n' "$text" | sed -n 's/.*"pid": *\([0-9]*\).*/\1/p')
    made=$(date -d "$(printf '%s\n' "$text" | sed -n 's/.*"time": *"\(.*\)".*/\1/p')" +%s) || return 1
    if [ $(($(date +%s) - made)) -gt 1860 ]; then
      dead=yes
    elif [ "$lock_host" = "$(uname -n)" ]; then
      # restic sends SIGHUP to the process of a lock, to see whether it is there: a program that got the number of a
      # dead one would end.
      if [ -e "/proc/$lock_pid" ]; then
        [ "$(cat "/proc/$lock_pid/comm" 2>/dev/null)" = restic ] || return 1
      else
        is_own_lock "$lock_pid" "$made" || return 1
        dead=yes
      fi
    fi
  done
  [ -n "$dead" ] || return 1
  say 'removing the locks of programs that were killed' >&3
  restic unlock --quiet 2>>"$errors" || return 1
  rm -f "$SVC_STATE_DIR"/.restic-run-*
  unlocked=yes
}

# is_own_lock <process> <second>: whether a restic of this state folder that was killed made the lock. None lives, since
# each would hold the file that open_repository has.
is_own_lock() {
  for note in "$SVC_STATE_DIR"/.restic-run-*; do
    [ -s "$note" ] || continue
    read -r noted_pid started <"$note"
    if [ "$noted_pid" = "$1" ] && [ "$2" -ge $((started - 1)) ] && [ "$2" -le $((started + 60)) ]; then return 0; fi
  done
  return 1
}

# report_images [summary]: tells the agent every snapshot of this host that the repository still has; the summary is
# restic's about the snapshot of this job.
report_images() {
  {
    printf '{"repo":"%s","summary":%s,"snapshots":' "$repository" "${1:-null}"
    restic snapshots --no-lock --json --tag svc --host "$origin"
    printf '}'
  } >"$SVC_IMAGES_FILE.new"
  mv -f "$SVC_IMAGES_FILE.new" "$SVC_IMAGES_FILE"
}
