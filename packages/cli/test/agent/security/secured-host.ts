import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSecuritySettings, settingsDigest } from '@svc/core/adapters'
import type { NetnsRig } from './netns-rig.ts'

const FLAGS = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning']

/** Returns a document with its digest, as a job carries it. */
export function document(revision: number, given: object, more: object = {}) {
  const settings = readSecuritySettings(given)
  return { revision, settings, sha256: settingsDigest(settings), force: false, rollbackSeconds: 60, ...more }
}

/** The folder of a host that stands for `/`, and the process that looks after its security. */
export class SecuredHost implements AsyncDisposable {
  readonly root = mkdtempSync(join(tmpdir(), 'svc-security-'))
  readonly stateDir = join(this.root, 'var/lib/svc-agent')
  readonly #rig: NetnsRig
  #child: ChildProcess | undefined
  #asked = 0

  constructor(rig: NetnsRig) {
    this.#rig = rig
    // Users of the host have to pass through it.
    execFileSync('chmod', ['711', this.root])
    for (const folder of ['etc/ssh/sshd_config.d', 'run', 'var/lib/svc-agent'])
      mkdirSync(join(this.root, folder), { recursive: true })
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', this.path('etc/ssh/host_key')])
    this.sshdConfig()
    // Somebody has to be able to sign in.
    this.write('etc/passwd', 'ann:x:65534:65534::/home/ann:/bin/sh\n')
    this.reach(true)
  }

  path(name: string): string {
    return join(this.root, name)
  }

  /** Writes the configuration of sshd, which reads further files unless told otherwise. */
  sshdConfig(lines: readonly string[] = [`Include ${this.path('etc/ssh/sshd_config.d')}/*.conf`]): void {
    const own = [`HostKey ${this.path('etc/ssh/host_key')}`, `PidFile ${this.path('run/sshd.pid')}`]
    this.write('etc/ssh/sshd_config', [...lines, ...own, 'Port 22', 'UsePAM no', ''].join('\n'))
  }

  write(name: string, text: string): void {
    mkdirSync(join(this.path(name), '..'), { recursive: true })
    writeFileSync(this.path(name), text)
  }

  /** The text of a file; undefined when it is not there. */
  read(name: string): string | undefined {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), 'utf8') : undefined
  }

  modeOf(name: string): string {
    return (statSync(this.path(name)).mode & 0o777).toString(8)
  }

  /** Whether the control plane is there. */
  reach(isThere: boolean): void {
    if (isThere) writeFileSync(this.path('reached'), '')
    else rmSync(this.path('reached'), { force: true })
  }

  /** Starts the process, or another one in place of one that was killed. */
  async start(): Promise<void> {
    const program = join(import.meta.dirname, 'security-process.ts')
    const places = { stateDir: this.stateDir, root: this.root, reached: this.path('reached') }
    const options = JSON.stringify({ ...places, machine: readlinkSync('/proc/self/ns/net') })
    const args = ['netns', 'exec', this.#rig.namespace('h'), process.execPath, ...FLAGS, program, options]
    this.#child = spawn('ip', args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    await Promise.race([once(this.#child, 'message'), failed(this.#child)])
  }

  /** Tells the process to do something; resolves with its answer. */
  async ask<T = unknown>(what: string, given?: unknown): Promise<T> {
    this.#asked += 1
    const id = this.#asked
    const child = this.#child
    if (child === undefined) throw new Error('the process was not started')
    const answered = new Promise<T>((resolve) => {
      child.on('message', (answer: { id: number; said: T }) => answer.id === id && resolve(answer.said))
    })
    child.send({ id, what, given })
    return answered
  }

  apply(asked: object): Promise<{ end?: string; said: string[] }> {
    return this.ask('apply', asked)
  }

  async kill(): Promise<void> {
    if (this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    rmSync(this.root, { recursive: true, force: true })
  }
}

async function failed(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit')
  throw new Error(`the process ended with ${code}`)
}
