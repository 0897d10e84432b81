#!/usr/bin/env bash
# git 2.39.5 (Debian 12): a bundle made in a shallow clone is called complete, clones without an error, and is not.
#
# A clone of the newest commit alone (`--depth 1`) knows that its history ends there; a bundle has no place for that
# knowledge. One would expect `git bundle create` to refuse, to name the missing parent as a prerequisite, or `git bundle
# verify` to notice. All three say yes: the bundle "records a complete history" and "is okay", also in a repository that
# holds nothing. A fetch from it then fails for want of the parent; a clone ends with exit code 0, its files are there,
# and its `git log` and `git fsck` fail. So a bundle of a build machine, whose clones are shallow, is found to be broken by whoever
# opens it, and a clone of it by whoever asks for the history. (svc sends commits by send-pack, which tells of the shallow end.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq git=1:2.39.5-0+deb12u3 >apt.log 2>&1
dpkg -x git_*.deb root
export GIT_EXEC_PATH=$folder/root/usr/lib/git-core GIT_TEMPLATE_DIR=$folder/root/usr/share/git-core/templates
export GIT_CONFIG_NOSYSTEM=1 HOME=$folder LC_ALL=C
git() { "$folder/root/usr/bin/git" -c advice.detachedHead=false -c user.name=a -c user.email=a@example.com "$@"; }
git --version

git -c init.defaultBranch=main init -q whole
for word in one two three; do
  echo "$word" >whole/file
  git -C whole add file
  git -C whole commit -q -m "$word"
done
git clone -q --depth 1 "file://$folder/whole" shallow
git -c init.defaultBranch=main init -q empty

ends() {
  local words=$1 code=0
  shift
  "$@" >said 2>&1 || code=$?
  printf '%s: exit code %s\n' "$words" "$code"
}
{
  ends 'bundle create' git -C shallow bundle create ../shallow.bundle HEAD
  ends 'bundle verify, in an empty repository' git -C empty bundle verify ../shallow.bundle
  grep -o 'records a complete history' said
  ends 'fetch' git -C empty fetch ../shallow.bundle HEAD
  grep -o 'did not send all necessary objects' said
  ends 'clone' git clone -q shallow.bundle cloned
  printf 'its file says %s\n' "$(cat cloned/file)"
  ends 'log of the clone' git -C cloned log
  ends 'fsck of the clone' git -C cloned fsck
  grep -o '^missing commit' said
} | tee seen

diff seen - <<'SEEN' && echo 'as found'
bundle create: exit code 0
bundle verify, in an empty repository: exit code 0
records a complete history
fetch: exit code 1
did not send all necessary objects
clone: exit code 0
its file says three
log of the clone: exit code 128
fsck of the clone: exit code 2
missing commit
SEEN
