# Functions of the handlers that use restic, read with `.` after common.sh. This file is no handler, see common.sh.

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
  # One at a time: to remove old data locks a repository against everything else.
  exec 9>"$SVC_STATE_DIR/.backup-lock"
  flock 9
  if [ -z "${RESTIC_REPOSITORY:-}${RESTIC_REPOSITORY_FILE:-}" ]; then local_repository; fi
  # Locks of programs that were killed; those of living ones stay.
  restic unlock --quiet || fail 'the repository cannot be opened'
  repository=$(restic cat config | sed -n 's/.*"id": *"\([0-9a-f]*\)".*/\1/p')
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

# report_images [summary]: tells the agent every snapshot of this host that the repository still has; the summary is
# restic's about the snapshot of this job.
report_images() {
  {
    printf '{"repo":"%s","summary":%s,"snapshots":' "$repository" "${1:-null}"
    restic snapshots --json --tag svc --host "$origin"
    printf '}'
  } >"$SVC_IMAGES_FILE.new"
  mv -f "$SVC_IMAGES_FILE.new" "$SVC_IMAGES_FILE"
}
