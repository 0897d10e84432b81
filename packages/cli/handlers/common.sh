# Functions that the handlers share, read with `.`. This file is no handler, because no job kind has a dot in its name.

say() { printf '%s\n' "$*"; }

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# Sets app_dir. A name that is no plain folder name would lead out of the apps folder.
check_app() {
  case ${SVC_APP:-} in
    '' | [!a-z0-9]* | *[!a-z0-9._-]*) fail "'${SVC_APP:-}' is not an application name: a-z, 0-9, dot, underscore, dash" ;;
  esac
  app_dir=$SVC_APPS_DIR/$SVC_APP
}

# A full commit id, never a branch: a branch may have moved on since the job was made.
check_sha() {
  SVC_SHA=${SVC_SHA:-}
  case ${#SVC_SHA}:$SVC_SHA in
    *:*[!0-9a-f]*) fail "'$SVC_SHA' is not a full commit id" ;;
    40:* | 64:*) ;;
    *) fail "'$SVC_SHA' is not a full commit id" ;;
  esac
}

# The release that is live in app_dir; nothing when there is none.
live_release() {
  live=$(readlink "$app_dir/current" 2>/dev/null) || :
  printf '%s\n' "${live##*/}"
}

# Reads SVC_REPO_URL and sets: repository, the address without name and password; remote, the address that git is given;
# credentials, the name and password of an http address. Every user of the host can read the arguments of a process, so
# remote holds no credentials.
check_address() {
  remote=${SVC_REPO_URL:-}
  repository=$remote
  credentials=
  case $remote in
    '' | -*) fail 'the repository address is missing or begins with a dash' ;;
    *[[:cntrl:]]*) fail 'the repository address holds a control character' ;;
    *://*) ;;
    *) return 0 ;;
  esac
  scheme=${remote%%://*}
  rest=${remote#*://}
  authority=${rest%%[/?#]*}
  host=${authority##*@}
  repository=$scheme://$host${rest#"$authority"}
  if [ "$authority" = "$host" ]; then return 0; fi
  case $scheme:${authority%@*} in
    *@*) fail "the name or password in the repository address holds an '@': write %40 for it" ;;
    http:* | https:*)
      remote=$repository
      credentials=${authority%@*}
      ;;
    *:*:*) fail "an address of $scheme takes no password: use a key, or https" ;;
  esac
}

# check_paths <folder>: refuses a folder that holds a path with a control character. Such a path may hold a line end, and
# a program that reads a list of paths line by line then takes one path for two. Refuses links that lead out of the folder
# as well: a web server, or the shell that runs deploy.sh, would follow them to files of this host.
check_paths() {
  odd=$(LC_ALL=C find "$1" -name '*[[:cntrl:]]*') || fail 'the paths of the repository could not be read'
  [ -z "$odd" ] || fail 'the repository holds a path with a control character, such as a line end: rename it there'
  odd=$(find "$1" -type l -exec sh -c "$FIRST_WAY_OUT" sh "$1" {} +) || fail 'the links of the repository could not be read'
  [ -z "$odd" ] || fail "the repository holds a link that leads out of the release: $odd; put what it leads to into the repository"
}

# Prints the first link that leads out of a folder, and where to.
FIRST_WAY_OUT='
folder=$1
shift
inside=$(cd "$folder" && pwd -P) || exit 1
for link; do
  to=$(readlink -m -- "$link") || exit 1
  case $to in "$inside" | "$inside"/*) continue ;; esac
  printf "%s -> %s" "${link#"$folder"/}" "$(readlink -- "$link" | tr -d "[:cntrl:]" | cut -c 1-200)"
  exit 0
done'

# on_a_server: whether scripts of repositories have users of their own here. The program for them may be down.
on_a_server() { [ "$SVC_APPS_DIR" = /var/lib/svc-agent/apps ] && [ -f /etc/systemd/system/svc-appsd.service ]; }

# run_script <release> <script>: runs an application's script in its release, with the application's own variables.
run_script() (
  cd "$1" || exit 1
  if on_a_server; then
    sha=$(basename "$(pwd -P)")
    host_apps script --sha "$sha" --script "$2" --live "$(live_release)" --env "${SVC_ENV_FILE:-}"
    exit
  fi
  if [ -f "${SVC_ENV_FILE:-}" ]; then
    set -a
    . "$SVC_ENV_FILE"
    set +a
  fi
  if [ -x "$2" ]; then exec "./$2"; else exec sh "./$2"; fi
)

# host_apps <verb> <arguments>: the program that keeps applications running. Its exit code 10 says that this application
# is none of those. An agent that has no such program leaves SVC_PROGRAM empty.
host_apps() (
  verb=$1
  shift
  if [ -z "${SVC_PROGRAM:-}" ]; then exit 10; fi
  # Node.js begins sooner with a program that it has compiled before; this folder is the handlers' own.
  export NODE_COMPILE_CACHE="${SVC_STATE_DIR:+$SVC_STATE_DIR/compiled}"
  eval "set -- $SVC_PROGRAM host-apps $verb --apps \"\$SVC_APPS_DIR\" --app \"\$SVC_APP\" \"\$@\""
  exec "$@"
)

# keeps_running: whether this host keeps applications running, this one perhaps.
keeps_running() {
  [ -n "${SVC_PROGRAM:-}" ] || return 1
  [ -f "$SVC_APPS_DIR/.runtime/apps.json" ] || [ -S /run/svc-appsd/control.sock ]
}

# end_processes <stop|remove> [--files] [--data]: ends the processes of the application. Returns 10 when it has none.
end_processes() {
  if ! keeps_running; then return 10; fi
  code=0
  host_apps "$@" || code=$?
  case $code in 0 | 10) return "$code" ;; esac
  fail "the processes of $SVC_APP could not be ended"
}

# Runs stop.sh of the live release of app_dir, when there is one.
stop_app() {
  ended=0
  end_processes stop || ended=$?
  if [ ! -f "$app_dir/current/stop.sh" ]; then
    if [ "$ended" = 0 ]; then return; fi
    say "$SVC_APP has no stop.sh: nothing to stop"
    return
  fi
  say 'running stop.sh'
  run_script "$app_dir/current/" stop.sh || fail "stop.sh ended with exit code $?"
  say "stopped $SVC_APP"
}
