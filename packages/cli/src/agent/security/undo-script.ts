import type { HostFile } from './host-files.ts'

/** A POSIX word. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Tells sshd to read its files again. A restart would end nobody's session either, but it would leave no
 * sshd if something is wrong.
 */
export const reloadSshd = (root: string, hasSystemd: boolean): string =>
  hasSystemd
    ? `for unit in ssh sshd; do
  if systemctl -q is-active "$unit"; then systemctl reload "$unit" && break; fi
done`
    : `pid=$(cat ${quoted(`${root === '/' ? '' : root}/run/sshd.pid`)} 2>/dev/null) || pid=
if [ -n "$pid" ] && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = sshd ]; then kill -HUP "$pid"; fi`

/** Everything that an undo puts back. */
export interface Undone {
  readonly root: string
  readonly hasSystemd: boolean
  /** Files of the host, in the order of their copies in `previous/`. */
  readonly files: readonly HostFile[]
  /** Whether the values of the kernel were changed. */
  readonly setsSysctl: boolean
}

/** Sets values of the kernel from a file. The agent itself may not, by its unit. */
export const setSysctl = (file: string, hasSystemd: boolean): readonly string[] => [
  ...(hasSystemd ? ['systemd-run', '--quiet', '--collect', '--wait', '--pipe'] : []),
  'sysctl',
  '-q',
  '-e',
  '-p',
  file,
]

/**
 * Returns the script that undoes an attempt. It lies in the folder of the attempt, `<name>.pending`, needs
 * nothing but a shell and nft, and may be run by anybody at any time and again: the first who renames the
 * folder does it, `<name>.rolling` while it goes on and `<name>.undone` when all is as before. A folder that
 * was confirmed has another name, so that a late timer finds nothing.
 */
export const undoScript = ({ root, hasSystemd, files, setsSysctl }: Undone): string => `#!/bin/sh
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH
umask 077
folder=$(cd "$(dirname "$0")" && pwd) || exit 0
case $folder in
  *.pending)
    mv -T "$folder" "\${folder%.pending}.rolling" 2>/dev/null || exit 0
    folder=\${folder%.pending}.rolling
    ;;
  *.rolling) ;;
  *) exit 0 ;;
esac
exec 9>>"$folder/lock" || exit 1
flock 9
[ -d "$folder" ] || exit 0
cd "$folder" || exit 1
failed=0
nft -j -f "$folder/table.json" || failed=1
put_back() {
  if [ -f "previous/$1" ]; then
    mkdir -p "$(dirname "$2")" && cp "previous/$1" "$2.svc-new" && chmod "$3" "$2.svc-new" && mv "$2.svc-new" "$2" || failed=1
  else
    rm -f "$2" || failed=1
  fi
}
${files.map(({ path }, index) => `put_back ${index} ${quoted(`${root === '/' ? '' : root}${path}`)} ${modeOf(path)}`).join('\n')}
${setsSysctl ? `${setSysctl('"$folder/sysctl.conf"', hasSystemd).join(' ')} || failed=1` : ':'}
${reloadSshd(root, hasSystemd)}
[ "$failed" = 0 ] || exit 1
mv -T "$folder" "\${folder%.rolling}.undone"
`

/** Files that nobody but root needs to read are closed to others. */
export const modeOf = (path: string): string => (path.startsWith('/etc/ssh/') ? '600' : '644')
