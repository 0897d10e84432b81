import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, open, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { debianVersions } from '../../../test/support/debian-postgres.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { Machine, network } from './machine.ts'
import {
  haproxySettings,
  NAMES,
  type Name,
  NETWORK,
  type Ports,
  patroniSettings,
  statements,
} from './page.ts'

const run = promisify(execFile)

const PROGRAMS = ['etcd', 'patroni', 'patronictl', 'haproxy', 'ip', 'setpriv', 'mount'] as const

/** Why no cluster can be run here; undefined when one can. */
export function lackOfCluster(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may make networks'
  if (debianVersions().length === 0) return 'there is no PostgreSQL of the distribution'
  const missing = PROGRAMS.filter((name) => {
    try {
      execFileSync('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${name}`])
      return false
    } catch {
      return true
    }
  })
  return missing.length === 0 ? undefined : `${missing.join(', ')} cannot be had here`
}

/** A member as Patroni tells it. */
export interface MemberState {
  readonly name: Name
  readonly role: string
  readonly state: string
}

/** Memory that a machine has for its files, in MiB. */
const DISK_MIB = 1500
const PASSWORD = 'of-a-run'
const LOOK_MS = 200
const WHOLE_MS = 180_000
const MOST_TRIES = 50

/** Three machines with PostgreSQL, Patroni and etcd, and HAProxy before them, as the page sets them up. */
export class Cluster implements AsyncDisposable {
  readonly machines: ReadonlyMap<Name, Machine>
  readonly ports: Ports
  readonly #folder: string
  readonly #haproxy: ChildProcess
  readonly #network: AsyncDisposable

  private constructor(
    folder: string,
    parts: {
      machines: ReadonlyMap<Name, Machine>
      ports: Ports
      haproxy: ChildProcess
      network: AsyncDisposable
    },
  ) {
    this.#folder = folder
    this.machines = parts.machines
    this.ports = parts.ports
    this.#haproxy = parts.haproxy
    this.#network = parts.network
  }

  /** Starts all of it in a folder, for so many replicas of svc; resolves when the database is there. */
  static async start(folder: string, replicas: number): Promise<Cluster> {
    // PostgreSQL runs as another user, who must be able to enter.
    await chmod(folder, 0o755)
    const made = await network(NAMES, `${NETWORK}1`)
    const machines = new Map<Name, Machine>()
    for (const name of NAMES) machines.set(name, await machineIn(folder, name))
    const ports = {
      database: await freePort(),
      service: await freePort(),
      replicas: await Promise.all(Array.from({ length: replicas }, freePort)),
    }
    const settings = join(folder, 'haproxy.cfg')
    await writeFile(settings, haproxySettings(ports))
    await using log = await open(join(folder, 'haproxy.log'), 'a')
    const haproxy = spawn('haproxy', ['-db', '-f', settings], {
      env: { PATH: `${process.env.PATH}:/usr/sbin` },
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    })
    const cluster = new Cluster(folder, { machines, ports, haproxy, network: made })
    try {
      for (const machine of machines.values()) await machine.start('etcd')
      for (const machine of machines.values()) await machine.start('patroni')
      await cluster.whole()
      await cluster.#found()
      return cluster
    } catch (error) {
      await cluster[Symbol.asyncDispose]()
      throw error
    }
  }

  /** The address of the database through HAProxy. */
  urlOf(role: 'svc_owner' | 'svc_app'): string {
    return `postgres://${role}:${PASSWORD}@127.0.0.1:${this.ports.database}/svc`
  }

  /** The members, as any of them tells it; empty when none answers. */
  async members(): Promise<readonly MemberState[]> {
    for (const { address } of this.machines.values()) {
      const signal = AbortSignal.timeout(1000)
      const answer = await fetch(`http://${address}:8008/cluster`, { signal }).catch(() => undefined)
      if (answer?.ok) return ((await answer.json()) as { members: readonly MemberState[] }).members
    }
    return []
  }

  /** The primary, or the standby that each commit waits for. */
  async the(role: 'leader' | 'sync_standby'): Promise<Machine> {
    for (const until = performance.now() + WHOLE_MS; performance.now() < until; await pause(LOOK_MS)) {
      const found = (await this.members()).find(
        (member) => member.role === role && member.state !== 'stopped',
      )
      const machine = found && this.machines.get(found.name)
      if (machine !== undefined) return machine
    }
    throw new Error(`no member is ${role}: ${JSON.stringify(await this.members())}`)
  }

  /** Waits until all three are up, one as the primary and one as the standby of each commit. */
  async whole(): Promise<void> {
    const good = new Set(['running', 'streaming'])
    for (const until = performance.now() + WHOLE_MS; performance.now() < until; await pause(LOOK_MS)) {
      const members = await this.members()
      const up = members.filter(({ state }) => good.has(state))
      const roles = up.map(({ role }) => role)
      if (up.length === NAMES.length && roles.includes('leader') && roles.includes('sync_standby')) return
    }
    throw new Error(`the cluster does not become whole: ${JSON.stringify(await this.members())}`)
  }

  /** Makes the standby of each commit the primary, as the page does it. */
  async switchOver(): Promise<void> {
    const [leader, candidate] = [await this.the('leader'), await this.the('sync_standby')]
    const settings = join(this.#folder, leader.name, 'patroni.yml')
    const words = ['--leader', leader.name, '--candidate', candidate.name, '--force']
    await run('patronictl', ['-c', settings, 'switchover', 'svc', ...words])
  }

  /** Fills the disk of a machine, or gives the room back. */
  async fill({ name }: Machine, isFull: boolean): Promise<void> {
    const folder = join(this.#folder, name)
    const filler = join(folder, 'filler')
    if (!isFull) return rm(filler, { force: true })
    const { bavail, bsize } = await statfs(folder)
    await run('fallocate', ['-l', String(bavail * bsize), filler])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#haproxy, 'exit')
    if (this.#haproxy.kill('SIGKILL')) await gone
    for (const machine of this.machines.values()) await machine.kill()
    await this.#network[Symbol.asyncDispose]()
    for (const name of this.machines.keys()) await run('umount', ['--lazy', join(this.#folder, name)])
  }

  async #found(): Promise<void> {
    const [outside, inside] = statements(PASSWORD)
    await this.#asOwner('postgres', outside)
    await this.#asOwner('svc', inside)
  }

  async #asOwner(database: string, script: readonly string[]): Promise<void> {
    const connectionString = `postgres://postgres:${PASSWORD}@127.0.0.1:${this.ports.database}/${database}`
    const client = await connected(connectionString)
    for (const statement of script) await client.query(statement)
    await client.end()
  }
}

/** A connection through HAProxy, which looks for the primary once a second. */
async function connected(connectionString: string): Promise<pg.Client> {
  for (let tries = 1; ; tries += 1) {
    const client = new pg.Client({ connectionString })
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      if (tries === MOST_TRIES) throw error
      await pause(LOOK_MS)
    }
  }
}

async function machineIn(folder: string, name: Name): Promise<Machine> {
  const own = join(folder, name)
  await mkdir(own)
  await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=0700`, 'tmpfs', own])
  const binaries = `/usr/lib/postgresql/${debianVersions().at(-1)}/bin`
  const place = { folder: own, binaries, password: PASSWORD }
  await using file = await open(join(own, 'patroni.yml'), 'w', 0o600)
  await file.writeFile(patroniSettings(name, place))
  await run('chown', ['-R', 'postgres:postgres', own])
  return new Machine(name, place)
}
