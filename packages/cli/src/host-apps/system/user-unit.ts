import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { LineSplitter } from '../../agent/run/line-splitter.ts'
import type { AppUser } from './app-user.ts'
import { SYSTEM } from './places.ts'
import { ran } from './systemctl.ts'
import { APPS_SEEN } from './unit-text.ts'

/** The names of units that work for an application's user: a star stands for all of them, or all users. */
export const userUnit = (user: string, turn: string = '*'): string => `svc-work@${user}:${turn}.service`

let turns = 0

/** The folder that podman knows as the home of an application's user. */
export const podmanHome = (user: string): string => `${SYSTEM.containers}/${user}`

/** The unit that keeps the namespace of an application's user. */
export const keeperUnit = (user: string): string => `svc-podman@${user}.service`

/** Whether a file is the unit of a keeper. */
export const isKeeperUnit = (name: string): boolean => /^svc-podman@sa-[a-z2-7]+\.service$/.test(name)

/** Has podman begin its record of running containers anew, when the user has none: it would believe it. */
const BEGIN_ANEW = (user: string): string =>
  `pgrep -x -u ${user} conmon >/dev/null || { cd "$$XDG_RUNTIME_DIR/libpod/tmp" && rm -f alive pause.pid; }`

/**
 * Returns the unit that keeps the namespace of users in which all of an application's containers are. podman
 * makes it with its first process, in the control group of that, and so it would end with any instance.
 */
export const keeperText = (user: string): string => `[Unit]
Description=containers of ${user}, kept by svc
StartLimitIntervalSec=0

[Service]
Type=forking
PIDFile=${SYSTEM.running}/${user}/libpod/tmp/pause.pid
${podmanProperties({ name: user }).join('\n')}
ExecStartPre=-/bin/sh -c '${BEGIN_ANEW(user)}'
ExecStart=/usr/bin/podman --log-level=error unshare true
Restart=always
RestartSec=1
`

/**
 * Properties of every unit in which podman runs. Its helpers for the ids of users are `setuid`, and its
 * processes of all units share one namespace of mounts, so that nothing here may part those.
 */
export const podmanProperties = ({ name }: Pick<AppUser, 'name'>): readonly string[] => [
  `User=${name}`,
  `Group=${name}`,
  `Slice=svc-${name.replace('-', '_')}.slice`,
  'UMask=0077',
  `RuntimeDirectory=svc-app/${name}`,
  'RuntimeDirectoryMode=0700',
  'RuntimeDirectoryPreserve=yes',
  `Environment=HOME=${podmanHome(name)} XDG_RUNTIME_DIR=${SYSTEM.running}/${name}`,
  'Environment=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'Delegate=yes',
  'LimitNOFILE=65536',
  'TasksMax=1024',
]

/** Properties of a unit that works in the namespace of users in which the containers are. */
export const keptProperties = (user: Pick<AppUser, 'name'>): readonly string[] => [
  ...podmanProperties(user),
  `Wants=${keeperUnit(user.name)}`,
  `After=${keeperUnit(user.name)}`,
]

/** Work of an application's user, apart from its instances. */
export interface UserWork {
  readonly user: AppUser
  /** A script of the shell, without text of others but by `quoted`. */
  readonly script: string
  readonly seconds: number
  /** Called for each line of its output; without it the output is returned. */
  readonly onLine?: (line: string) => void
  readonly signal?: AbortSignal
}

/** The end of a unit's work. */
export interface WorkEnd {
  readonly code: number | null
  readonly out: string
  /** Standard error, when lines are not asked for. */
  readonly err: string
}

const LINE_CHARS = 8_192

/**
 * Runs a script as the user of an application, in a unit of systemd of its own, which ends with everything
 * that it has started: when the script does, when the time is over, or when nobody wants it any more.
 */
export async function workAsUser({ user, script, seconds, onLine, signal }: UserWork): Promise<WorkEnd> {
  signal?.throwIfAborted()
  turns += 1
  const unit = userUnit(user.name, `${process.pid}.${turns}`)
  const properties = [
    ...keptProperties(user),
    `BindReadOnlyPaths=${SYSTEM.apps}:${APPS_SEEN}`,
    `RuntimeMaxSec=${seconds}`,
    'TimeoutStopSec=5',
  ].map((each) => `--property=${each}`)
  const own = ['--quiet', '--wait', '--pipe', '--collect', `--unit=${unit}`, ...properties]
  const child = spawn('systemd-run', [...own, '/bin/sh'], { stdio: ['pipe', 'pipe', 'pipe'] })
  const stop = () => void ran('systemctl', 'stop', unit).catch(() => {})
  signal?.addEventListener('abort', stop)
  try {
    child.stdin.on('error', () => {})
    child.stdin.end(script)
    const { promise, resolve, reject } = Promise.withResolvers<number | null>()
    child.once('error', reject)
    child.once('close', resolve)
    if (onLine === undefined) {
      const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), promise])
      return { code, out, err }
    }
    const splitters = [child.stdout, child.stderr].map((stream) => {
      const splitter = new LineSplitter(LINE_CHARS, { line: onLine, state: () => {} })
      stream.on('data', (bytes: Buffer) => splitter.write(bytes))
      return splitter
    })
    const code = await promise
    for (const splitter of splitters) splitter.end()
    return { code, out: '', err: '' }
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}
