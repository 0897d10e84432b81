import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../../../test/support/free-port.ts'

const SSHD = '/usr/sbin/sshd'
/** A server of root drops its rights in this folder, which Debian makes at the start of the machine. */
const PRIVILEGE_FOLDER = '/run/sshd'

/** Whether a server of ssh can be had here. */
export const hasSshd = (): boolean =>
  spawnSync(SSHD, ['-V']).error === undefined && spawnSync('ssh-keygen', ['-?']).error === undefined

/** OpenSSH on loopback, for keys that a test lets in. They may talk to git alone. */
export class SshServer implements AsyncDisposable {
  readonly port: number
  readonly #folder: string
  readonly #child: ChildProcess
  #said = ''

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.port = port
    this.#child = spawn(SSHD, ['-D', '-e', '-f', join(folder, 'config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text
    })
  }

  /** `authorized`: the file of keys that are let in; default: one that `admit` writes. */
  static async start(authorized?: string): Promise<SshServer> {
    if (process.getuid?.() === 0) mkdirSync(PRIVILEGE_FOLDER, { recursive: true, mode: 0o755 })
    const folder = mkdtempSync(join(tmpdir(), 'svc-sshd-'))
    const port = await freePort()
    newHostKey(folder)
    const settings = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${folder}/host-key`,
      `AuthorizedKeysFile ${authorized ?? `${folder}/authorized`}`,
      'PidFile none',
      'StrictModes no',
      'UsePAM no',
      'PermitRootLogin prohibit-password',
      'PasswordAuthentication no',
      'AcceptEnv GIT_PROTOCOL',
      // Bash reads the profile of a home for each command that it runs for a server of ssh.
      `SetEnv HOME=${folder}`,
      'LogLevel VERBOSE',
    ]
    writeFileSync(join(folder, 'config'), `${settings.join('\n')}\n`)
    writeFileSync(join(folder, 'authorized'), '')
    const server = new SshServer(folder, port)
    while (!(await answers(port))) await pause(20)
    return server
  }

  /** The address of a repository on this machine. */
  url(path: string): string {
    return `ssh://${userInfo().username}@127.0.0.1:${this.port}${path}`
  }

  /** Lets in the holder of a key, to git alone. */
  admit(publicKey: string): void {
    const rules = 'restrict,command="git-shell -c \\"$SSH_ORIGINAL_COMMAND\\""'
    writeFileSync(join(this.#folder, 'authorized'), `${rules} ${publicKey}\n`)
  }

  /** Gives the server another key of its own, as one in its place would have. */
  async changeHostKey(): Promise<void> {
    newHostKey(this.#folder)
    this.#child.kill('SIGHUP')
    await pause(200)
    while (!(await answers(this.port))) await pause(20)
  }

  /** The log of the server. */
  get log(): string {
    return this.#said
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function newHostKey(folder: string): void {
  const file = join(folder, 'host-key')
  rmSync(file, { force: true })
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file])
  chmodSync(file, 0o600)
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
