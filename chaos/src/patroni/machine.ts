import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { addressOf, etcdEnvironment, type Name, type Place } from './page.ts'

const run = promisify(execFile)
const ip = (...args: readonly string[]) => run('ip', [...args])

/** The bridge of a run; only one run at a time has it. */
const BRIDGE = 'svc-chaos'
const MASK = '/24'
const space = (name: Name) => `svc-chaos-${name}`
const cable = (name: Name) => `svcc-${name}`

/** Joins the machines by a bridge that this machine has an address on. Disposing takes all of it away. */
export async function network(names: readonly Name[], own: string): Promise<AsyncDisposable> {
  await clear(names)
  await ip('link', 'add', BRIDGE, 'type', 'bridge')
  await ip('address', 'add', `${own}${MASK}`, 'dev', BRIDGE)
  await ip('link', 'set', BRIDGE, 'up')
  for (const name of names) {
    await ip('netns', 'add', space(name))
    await ip('link', 'add', cable(name), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space(name))
    await ip('link', 'set', cable(name), 'master', BRIDGE, 'up')
    await ip('-n', space(name), 'address', 'add', `${addressOf(name)}${MASK}`, 'dev', 'eth0')
    await ip('-n', space(name), 'link', 'set', 'eth0', 'up')
    await ip('-n', space(name), 'link', 'set', 'lo', 'up')
  }
  return { [Symbol.asyncDispose]: () => clear(names) }
}

async function clear(names: readonly Name[]): Promise<void> {
  for (const name of names) {
    await signal(name, 'SIGKILL')
    await ip('netns', 'delete', space(name)).catch(() => {})
  }
  await ip('link', 'delete', BRIDGE).catch(() => {})
}

async function processesOf(name: Name): Promise<readonly number[]> {
  const { stdout } = await ip('netns', 'pids', space(name)).catch(() => ({ stdout: '' }))
  return stdout.split('\n').filter(Boolean).map(Number)
}

async function signal(name: Name, word: NodeJS.Signals): Promise<void> {
  for (const pid of await processesOf(name)) {
    try {
      process.kill(pid, word)
    } catch {
      // It has ended by itself.
    }
  }
}

/** Programs of a machine, each in a process of its own with children. */
export const PROGRAMS = ['etcd', 'patroni'] as const
export type ProgramName = (typeof PROGRAMS)[number]

/** A machine of the database: a network namespace with etcd, Patroni and PostgreSQL. */
export class Machine {
  readonly name: Name
  readonly #place: Place
  readonly #children = new Map<ProgramName, ChildProcess>()

  constructor(name: Name, place: Place) {
    this.name = name
    this.#place = place
  }

  get address(): string {
    return addressOf(this.name)
  }

  /** Starts a program as the user of PostgreSQL; its words go to a file in the folder of the machine. */
  async start(program: ProgramName): Promise<void> {
    const { folder } = this.#place
    const words = program === 'etcd' ? ['etcd'] : ['patroni', join(folder, 'patroni.yml')]
    const log = await open(join(folder, `${program}.log`), 'a')
    const as = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...words]
    const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' }
    const child = spawn('ip', ['netns', 'exec', space(this.name), ...as], {
      cwd: folder,
      env: program === 'etcd' ? { ...env, ...etcdEnvironment(this.name, this.#place) } : env,
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    })
    this.#children.set(program, child)
    await log.close()
  }

  /** Kills one program alone; PostgreSQL goes on without its Patroni. */
  async stop(program: ProgramName): Promise<void> {
    const child = this.#children.get(program)
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  /** Sends a signal to one program, without its children. */
  tell(program: ProgramName, word: NodeJS.Signals): void {
    this.#children.get(program)?.kill(word)
  }

  /** Kills every process, as a power cut does, and returns when all are gone. */
  async kill(): Promise<void> {
    while ((await processesOf(this.name)).length > 0) {
      await signal(this.name, 'SIGKILL')
      await pause(20)
    }
  }

  /** Starts what a machine starts by itself. */
  async boot(): Promise<void> {
    for (const program of PROGRAMS) await this.start(program)
  }

  freeze = (): Promise<void> => signal(this.name, 'SIGSTOP')
  thaw = (): Promise<void> => signal(this.name, 'SIGCONT')

  /** Takes the network away, without a word to anybody, or gives it back. */
  async connect(isConnected: boolean): Promise<void> {
    await ip('link', 'set', cable(this.name), isConnected ? 'up' : 'down')
  }

  /** Kills PostgreSQL alone: its first process, by the file that it keeps. */
  async crash(): Promise<void> {
    await using file = await open(join(this.#place.folder, 'data', 'postmaster.pid'))
    const [pid] = (await file.readFile('utf8')).split('\n')
    process.kill(Number(pid), 'SIGKILL')
  }
}
