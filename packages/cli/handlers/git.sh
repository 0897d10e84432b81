# Functions of the handlers that fetch from git, read with `.` after common.sh. This file is no handler, see common.sh.
# They use what common.sh sets, and of the handler: incoming, the folder that is filled; git_dir; git_said, a file. They set
# fetched when more than the commit has come.

# Prepares the environment of git: no questions, no hooks, no transports that run commands. A download may be slow; it ends
# when less than a byte a second has come for ten minutes, or when a server of ssh no longer answers. A server that counts
# objects sends five bytes in five seconds, which is less than the lowest limit.
prepare_git() {
  unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY
  export GIT_TERMINAL_PROMPT=0 GIT_ALLOW_PROTOCOL=file:git:http:https:ssh
  ssh="${GIT_SSH_COMMAND:-ssh -oBatchMode=yes -oConnectTimeout=60 -oServerAliveInterval=15 -oServerAliveCountMax=8}"
  # The address of a hook is one of https or ssh, of http where the plane takes it, or of this machine in a trial. The settings of the machine do not
  # count: they could name other addresses, or programs.
  if [ "${SVC_TRIGGER:-}" = git ]; then
    export GIT_CONFIG_NOSYSTEM=1
    case $remote in
      http://*) GIT_ALLOW_PROTOCOL=http ;;
      /* | file://*) GIT_ALLOW_PROTOCOL=${SVC_LOCAL_REPOSITORIES:+file} ;;
      *) GIT_ALLOW_PROTOCOL=https:ssh ;;
    esac
  fi
  case ${SVC_GIT_AUTH:-} in
    '' | basic) ;;
    # ssh asks the settings of this host for keys of other servers, and keeps a new one beside the apps: a server that
    # changes its key is refused.
    deploy_key)
      unset GIT_SSH
      export SVC_KNOWN_HOSTS="\"$SVC_APPS_DIR/.known_hosts\" ~/.ssh/known_hosts"
      ssh="$ssh -oStrictHostKeyChecking=accept-new -oUserKnownHostsFile=\"\$SVC_KNOWN_HOSTS\""
      ;;
    *) fail 'the credentials of this repository are not there: see the git hook of the app, then push again' ;;
  esac
  if [ -z "${GIT_SSH:-}" ]; then export GIT_SSH_COMMAND="$ssh"; fi
}

# Sets lending, which submodules may be fetched with the credentials of the repository: none, those of the same owner, or
# all of the same server; and what they are compared with. Credentials often open more than the one repository.
check_lending() {
  if [ -n "${SVC_GIT_AUTH:-}" ]; then lending=${SVC_GIT_SUBMODULES:-none}; else lending=${SVC_SUBMODULES:-none}; fi
  case $lending in
    none | owner | server) ;;
    *) fail "'$lending' does not say which submodules get the credentials: none, owner or server" ;;
  esac
  SVC_GIT_SERVER=
  case $remote in
    *://*)
      path=${rest#"$authority"}
      case $authority in
        *:*) SVC_GIT_SERVER=$authority ;;
        *) SVC_GIT_SERVER=$authority:22 ;;
      esac
      ;;
    *)
      path=${remote#*:}
      SVC_GIT_SERVER=${remote%%:*}:22
      ;;
  esac
  while [ "$path" != "${path#/}" ]; do path=${path#/}; done
  while [ "$path" != "${path%/}" ]; do path=${path%/}; done
  # A repository without an owner has no others beside it.
  case $path in
    */*) SVC_GIT_OWNER=${path%/*} ;;
    *) if [ "$lending" = owner ]; then lending=none; fi ;;
  esac
  export SVC_GIT_LENDING="$lending" SVC_GIT_SERVER SVC_GIT_OWNER="${SVC_GIT_OWNER:-}"
}

in_repo() {
  git -C "$incoming" -c protocol.version=2 -c core.hooksPath=/dev/null -c core.fsmonitor=false -c gc.auto=0 \
    -c advice.detachedHead=false -c http.lowSpeedLimit=1 -c http.lowSpeedTime=600 -c lfs.activitytimeout=120 \
    -c filter.lfs.process= -c filter.lfs.smudge= -c filter.lfs.required=false "$@" </dev/null
}

# with_credentials <repository | submodules> <command>...: runs git with the credentials, for submodules as far as they are
# lent. A name and password travel in the environment, to a helper that git asks for that host alone; other helpers are
# not asked, nor told what to keep. A deploy key is the only key that is shown. What git says stands in git_said too.
with_credentials() (
  whose=$1
  shift
  export LC_ALL=C
  if [ "$whose" = repository ]; then SVC_GIT_LENDING=server; fi
  if [ "$SVC_GIT_LENDING" != none ]; then use_credentials; fi
  status=0
  "$@" 2>"$git_said" || status=$?
  if [ -s "$git_said" ]; then cat "$git_said" >&2; fi
  return "$status"
)

use_credentials() {
  get=
  if [ "${SVC_GIT_AUTH:-}" = deploy_key ]; then
    key="-oIdentitiesOnly=yes -oIdentityAgent=none -oPreferredAuthentications=publickey -i \"\$SVC_GIT_AUTH_FILE\""
    if [ "$whose" = repository ]; then
      GIT_SSH_COMMAND="$ssh $key"
    else
      GIT_SSH_COMMAND="lend() { $LENDS_KEY; }; ssh_of() { if lend \"\$@\"; then $ssh $key \"\$@\"; else $ssh \"\$@\"; fi; }; ssh_of"
      export GIT_SSH_VARIANT=ssh
    fi
  elif [ "${SVC_GIT_AUTH:-}" = basic ]; then
    get='cat "$SVC_GIT_AUTH_FILE"'
  elif [ -n "$credentials" ]; then
    case $credentials in *:*) ;; *) credentials=$credentials: ;; esac
    export SVC_GIT_CREDENTIALS="$scheme://$credentials@$host"
    get='printf "url=%s\n" "$SVC_GIT_CREDENTIALS"'
  fi
  if [ -z "$get" ]; then return; fi
  export GIT_CONFIG_COUNT=3 GIT_CONFIG_KEY_0=credential.helper GIT_CONFIG_VALUE_0=
  export GIT_CONFIG_KEY_1="credential.$scheme://$host.helper"
  export GIT_CONFIG_VALUE_1="!get() { if $LENDS_PASSWORD; then $get; fi; }; store() { :; }; erase() { :; };"
  # Helpers are told the path for submodules of one owner alone: only then does it count.
  export GIT_CONFIG_KEY_2=credential.useHttpPath GIT_CONFIG_VALUE_2=false
  if [ "$SVC_GIT_LENDING" = owner ]; then GIT_CONFIG_VALUE_2=true; fi
}

# Whether credentials are lent to what git asks for: its words come in on the standard input of a helper, or as the
# arguments of ssh, the server before the command. A path with `..` may lead to another owner.
LENDS_PATH='case $SVC_GIT_LENDING:/$path in server:*) true ;; owner:*/..*) false ;; owner:"/$SVC_GIT_OWNER"/*) true ;; *) false ;; esac'
LENDS_PASSWORD="path=; while IFS='=' read -r name value; do if [ \"\$name\" = path ]; then path=\$value; fi; done; $LENDS_PATH"
LENDS_KEY="port=22 server= command=; for word; do if [ \"\$command\" = -p ]; then port=\$word; fi
  server=\$command command=\$word; done
  case \$server in *@*:*) ;; *) server=\$server:\$port ;; esac
  path=\${command#* }; path=\${path#\\'}; path=\${path#/}
  [ \"\$server\" = \"\$SVC_GIT_SERVER\" ] && $LENDS_PATH"

# why_not: the reason why git got nothing, from its own words; nothing if they do not say. Another try can help where the
# connection broke, and nowhere else.
why_not() {
  if grep -qE "not our ref|unadvertised object|couldn't find remote ref" "$git_said"; then return; fi
  for reason in "$REFUSED_TRUST:this host does not trust the key or the certificate of the server" \
    "$REFUSED:the server refused it, or has no such repository" "$BROKEN:the connection broke; try again"; do
    if grep -qiE "${reason%%:*}" "$git_said"; then
      echo ": ${reason#*:}"
      return
    fi
  done
}
REFUSED_TRUST='host key verification failed|certificate (verification|problem)'
REFUSED='could not read (username|password)|authentication failed|(permission|access) denied|returned error. 40[134]|(repository|project) .*not found|does not appear to be a git repository'
BROKEN='could not resolve|connect to|connection (refused|reset|closed|timed out)|timed out|too slow|early eof|rpc failed|hung up|unexpected disconnect|returned error. 5|broken pipe|network is unreachable|no route to|empty reply|transfer closed'

fetch() { with_credentials repository in_repo fetch --quiet "$@"; }
has_commit() { in_repo cat-file -e "$SVC_SHA^{commit}" 2>/dev/null; }

new_repository() {
  case ${#SVC_SHA} in 64) format=sha256 ;; *) format=sha1 ;; esac
  git -c init.defaultBranch=main init --quiet --object-format="$format" --separate-git-dir="$git_dir" "$incoming"
}

# The remote is what relative addresses of submodules, and git-lfs, go by.
name_remote() {
  fetched=1
  in_repo config remote.origin.url "$remote"
}

# Fetches the exact commit alone if the host hands out commits by name; else the named ref; else all branches and tags.
fetch_commit() {
  say "fetching $SVC_SHA from $repository"
  if fetch --no-tags --depth 1 "$remote" "$SVC_SHA" && has_commit; then return; fi
  stop_without_server
  if [ -n "${SVC_REF:-}" ]; then
    say "the host does not hand out this commit by name; fetching $SVC_REF"
    if fetch --no-tags "$remote" "$SVC_REF" && has_commit; then return; fi
    stop_without_server
  fi
  say 'fetching all branches and tags'
  fetch "$remote" '+refs/heads/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*' ||
    fail "the repository could not be fetched$(why_not)"
  has_commit || fail "the repository does not hold the commit $SVC_SHA"
}

# What failed for want of the server fails for other refs too.
stop_without_server() {
  why=$(why_not)
  [ -z "$why" ] || fail "the repository could not be fetched$why"
}

# The files that git-lfs keeps, and how their pointers begin.
LFS_FILES=':(attr:filter=lfs)'
LFS_POINTER='^version https://git-lfs\.github\.com/spec/v1$'

# Puts the files of git-lfs in the place of their pointers: a pointer that went live would be a broken file.
fetch_large_files() {
  if ! in_repo grep --quiet -e "$LFS_POINTER" -- "$LFS_FILES"; then return; fi
  [ "$SVC_SOURCE_TYPE" != upload ] ||
    fail 'the repository keeps files in git-lfs, which an upload does not bring: deploy it from a server of git'
  need_lfs 'the repository'
  name_remote
  with_lfs repository lfs pull || fail "the files of git-lfs could not be fetched$(why_not)"
}

fetch_large_files_of_submodules() {
  pull="if git grep --quiet -e '$LFS_POINTER' -- '$LFS_FILES'; then"
  if in_repo submodule --quiet foreach --recursive "$pull exit 1; fi" >/dev/null 2>&1; then return; fi
  need_lfs 'a submodule'
  with_lfs submodules submodule --quiet foreach --recursive "$pull git lfs pull; fi" ||
    fail "the files of git-lfs of a submodule could not be fetched$(why_not)$(what_is_lent)"
}

with_lfs() {
  whose_files=$1
  shift
  with_credentials "$whose_files" in_repo -c filter.lfs.process='git-lfs filter-process' \
    -c filter.lfs.clean='git-lfs clean -- %f' -c filter.lfs.required=true "$@"
}

need_lfs() {
  command -v git-lfs >/dev/null ||
    fail "$1 keeps files in git-lfs, which is not installed on this host: install it, or put the files into the repository"
  say 'fetching the files of git-lfs'
}

# Fetches submodules at the commits that the release names, never from a local path: a repository must not pull in
# other files of this host.
fetch_submodules() {
  if [ ! -f "$incoming/.gitmodules" ]; then return; fi
  say 'fetching submodules'
  name_remote
  export GIT_ALLOW_PROTOCOL=git:http:https:ssh
  with_credentials submodules in_repo submodule --quiet update --init --recursive ||
    fail "a submodule could not be fetched$(why_not)$(what_is_lent)"
  fetch_large_files_of_submodules
}

# Names the setting that a private submodule may lack.
what_is_lent() {
  if [ -z "${SVC_GIT_AUTH:-}$credentials" ] || [ "$lending" = server ]; then return; fi
  why_not | grep -q refused || return 0
  echo "; the credentials of the repository are lent to submodules by the setting 'submodules' alone, which is $lending: owner lends them to those of the same owner, server to all of the same server"
}
