import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../../test/support/free-port.ts'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import { runProgram } from '../../src/commands/program.ts'
import { jsonOf, type Ran, runSvc, SOURCES, SvcProcess } from './svc-process.ts'

/** The words that begin a command of svc from its sources. */
export const SVC = [process.execPath, ...SOURCES].join(' ')

/**
 * Runs a command where the login shells of this user read no profile of the home: a slow one would be part of
 * each test. Linux lets root alone.
 */
function withoutProfiles(command: readonly string[]): readonly string[] {
  const names = ['.profile', '.bash_profile', '.bash_login', '.bashrc']
  const files = names.map((name) => join(homedir(), name)).filter((file) => existsSync(file))
  const script = `for file in ${files.map((file) => `'${file}'`).join(' ')}; do mount --bind /dev/null "$file"; done`
  return ['unshare', '--mount', 'sh', '-c', `${script}; exec "$@"`, 'sh', ...command]
}

/** A service with a relay inside and an agent, as real processes. */
export class SshScene implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-ssh-'))
  readonly host = hostname()
  readonly env: Readonly<Record<string, string>>
  readonly #port: number
  service!: SvcProcess
  agent!: SvcProcess

  private constructor(port: number, tcpPort: number, more: Readonly<Record<string, string>>) {
    this.#port = port
    const signingKey = Buffer.alloc(32, 5).toString('base64url')
    const relay = {
      RELAY_MODE: 'embedded',
      RELAY_URL: `ws://127.0.0.1:${port}`,
      RELAY_MAX_SESSIONS_PER_HOST: '100',
    }
    const data = { SERVICE_DATA_DIR: join(this.folder, 'data') }
    const url = `http://127.0.0.1:${port}`
    this.env = { SERVICE_LICENSE_PRIVKEY: signingKey, SERVICE_PUBLIC_URL: url, ...relay, ...data, ...more }
    mkdirSync(join(this.folder, 'state'), { mode: 0o700 })
    mkdirSync(join(this.folder, 'handlers'))
    writeFileSync(join(this.folder, 'state', 'access.json'), JSON.stringify({ tcp_port: tcpPort }), {
      mode: 0o600,
    })
  }

  static async open(tcpPort = 22, more: Readonly<Record<string, string>> = {}): Promise<SshScene> {
    const scene = new SshScene(await freePort(), tcpPort, more)
    await scene.startService()
    const { key } = await jsonOf<{ key: string }>(['licenses', 'issue'], scene.parts)
    writeFileSync(join(scene.folder, 'key'), `${key}\n`, { mode: 0o600 })
    await scene.startAgent()
    return scene
  }

  get parts() {
    return { cwd: this.folder, env: this.env }
  }

  async startService(): Promise<void> {
    this.service = new SvcProcess(['serve', '--port', String(this.#port), '--tick', '0'], this.parts)
    await this.service.serving()
  }

  async startAgent(): Promise<void> {
    const url = `http://127.0.0.1:${this.#port}`
    const folders = ['--state-dir', './state', '--handlers', './handlers', '--key-file', './key']
    const parts = { cwd: this.folder, ...(process.geteuid?.() === 0 && { through: withoutProfiles }) }
    this.agent = new SvcProcess(['agent', 'run', '--url', url, ...folders], parts)
    await this.agent.until('err', 'the agent is activated')
    while (!(await this.sessionsOf(['fleet', 'servers'], 'servers')).length) await sleep(50)
  }

  run(...args: readonly string[]): Promise<Ran> {
    return runSvc(args, this.parts)
  }

  /** Runs a command within this process, which costs no start, and returns its output. */
  async here(...args: readonly string[]): Promise<string> {
    const io = new RecordingIo({ args, env: this.env, cwd: this.folder, home: this.folder })
    await runProgram(io)
    if (io.exitCode !== 0) throw new Error(`exit code ${io.exitCode}: ${io.err.text}`)
    return io.out.text
  }

  async sessionsOf(args: readonly string[] = ['ssh', 'sessions'], list = 'sessions') {
    const document = JSON.parse(await this.here(...args, '--json')) as Record<string, unknown>
    return (document[list] ?? []) as Record<string, unknown>[]
  }

  /** Resolves with the newest session once it is over. */
  async over(): Promise<Record<string, unknown>> {
    for (;;) {
      const [session] = await this.sessionsOf()
      if (session?.ended_at !== undefined) return session
      await sleep(100)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agent[Symbol.asyncDispose]()
    await this.service[Symbol.asyncDispose]()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
