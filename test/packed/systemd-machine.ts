import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Commands of other makers that need a running systemd are played: they note what they were told.
const SYSTEMCTL = `#!/bin/sh
state=$(dirname "$0")/state
echo "$*" >> "$state/told"
case $1 in
  --version) echo "systemd $(cat "$state/version") (of the test)" ;;
  is-enabled) test -e "$state/enabled" ;;
  is-active) test -e "$state/active" ;;
  enable) touch "$state/enabled" ;;
  start | restart) touch "$state/active" ;;
  disable) rm -f "$state/enabled" "$state/active" ;;
esac
`
/** The folders of the machine that an installation writes to, and their places in the folder of the test. */
const OWN = { '/etc': 'etc', '/run': 'run', '/var/lib': 'var-lib', '/usr/local/lib': 'usr-local-lib' }

const canHide = (): boolean =>
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', '--propagation', 'private', 'true']).status === 0

/** A reason why no machine can be made here; empty when it can. */
export const noMachine: string = !canHide()
  ? 'only root can give a process folders of its own'
  : spawnSync('systemd-sysusers', ['--version']).error
    ? 'this machine has no systemd-sysusers'
    : ''

/** A program that has run to its end. */
export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/**
 * This machine with folders of its own for what an installation writes, users among them, so that nothing of
 * the real machine changes. Its systemctl is played; systemd-sysusers and systemd-tmpfiles are the real ones.
 */
export class SystemdMachine implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-machine-'))
  readonly #state = join(this.folder, 'bin/state')

  constructor({ hasSystemd = true, version = 252 } = {}) {
    chmodSync(this.folder, 0o755)
    for (const name of Object.values(OWN)) if (name !== 'etc') mkdirSync(join(this.folder, name))
    cpSync('/etc', join(this.folder, 'etc'), { recursive: true, verbatimSymlinks: true })
    if (hasSystemd) mkdirSync(join(this.folder, 'run/systemd/system'), { recursive: true })
    mkdirSync(this.#state, { recursive: true })
    writeFileSync(join(this.#state, 'version'), String(version))
    writeFileSync(join(this.folder, 'bin/systemctl'), SYSTEMCTL, { mode: 0o755 })
  }

  /** Runs a program of Node.js on the machine. */
  run(args: readonly string[], input = ''): Ran {
    const mounts = Object.entries(OWN).map(
      ([path, name]) => `mount --bind ${join(this.folder, name)} ${path}`,
    )
    const script = [...mounts, 'exec "$@"'].join(' && ')
    const command = [
      '--mount',
      '--propagation',
      'private',
      'sh',
      '-c',
      script,
      'sh',
      process.execPath,
      ...args,
    ]
    const env = { PATH: `${join(this.folder, 'bin')}:${process.env.PATH}`, HOME: '/nonexistent' }
    const { status, stdout, stderr } = spawnSync('unshare', command, {
      encoding: 'utf8',
      input,
      env,
      cwd: this.folder,
    })
    return { code: status, out: stdout, err: stderr }
  }

  /** Returns the commands for systemctl that change something, since the last call. */
  told(): readonly string[] {
    const file = join(this.#state, 'told')
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
    rmSync(file, { force: true })
    return lines.filter((line) => !/^(?:is-|--version)/.test(line))
  }

  /** The entry of a user; empty when there is none. */
  user(name: string): string {
    const lines = readFileSync(join(this.folder, 'etc/passwd'), 'utf8').split('\n')
    return lines.find((line) => line.startsWith(`${name}:`)) ?? ''
  }

  [Symbol.dispose](): void {
    execFileSync('rm', ['-rf', this.folder])
  }
}
