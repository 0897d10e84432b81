import { join } from 'node:path'
import type { Random } from '../../../packages/testing/src/simulator/random.ts'
import { freePort } from '../../../test/support/free-port.ts'
import type { CrowdCounts, CrowdOrders } from '../crowd/crowd.ts'
import { type Breach, Journal } from '../journal.ts'
import { fingerprintOf, type Host, type IssuedLicense } from '../names.ts'
import type { Profile } from '../profile.ts'
import { MOST_ATTEMPTS } from '../witness/message-rules.ts'
import type { ChaosDatabase } from './database.ts'
import { Member } from './member.ts'
import { Operator } from './operator.ts'
import { makePrograms, programIn } from './programs.ts'
import { FaultyProxy } from './proxy.ts'
import { Receiver } from './receiver.ts'
import { REJECTED, referenceOrders, writeHandlers } from './reference-agent.ts'

/** Inputs of a cast. */
export interface CastParts {
  readonly folder: string
  readonly database: ChaosDatabase
  readonly profile: Profile
  readonly leaseSeconds: number
  readonly random: Random
  /** Name of the fault planted in the replicas. */
  readonly bug: string | undefined
}

/** Number of licenses that get no jobs and are revoked in the course of a run. */
const DOOMED = 3
/** One license in so many has its jobs told to an endpoint. */
const TOLD_EVERY = 4

/** Endpoints may be in this machine; retries come soon, and breakers rest for a short time. */
const TELLING = {
  SERVICE_DATA_KEYS: `chaos:${Buffer.alloc(32, 1).toString('base64')}`,
  SERVICE_OUTBOUND_ALLOW: '127.0.0.1/32',
  WEBHOOK_RETRY_SCHEDULE: new Array(MOST_ATTEMPTS - 1).fill(1).join(','),
  WEBHOOK_TIMEOUT_MS: '1000',
  WEBHOOK_BREAKER_COOLDOWN: '1',
  WEBHOOK_BREAKER_COOLDOWN_MAX: '2',
}

const journalOf = ({ folder }: CastParts, name: string) => join(folder, `${name}.journal`)

/**
 * All processes of a run: replicas behind the proxy, crowds of light agents, reference agents; the operator,
 * and the receiver of messages to endpoints.
 */
export class Cast implements AsyncDisposable {
  readonly breaches: Breach[] = []
  readonly servers: readonly Member[]
  readonly proxy: FaultyProxy
  readonly operator: Operator
  readonly receiver: Receiver
  readonly journals: string[] = []
  /** Seconds until the slowest replica served, before any fault. */
  startSeconds = 0
  hosts: readonly Host[] = []
  crowds: readonly Member[] = []
  references: readonly Member[] = []
  readonly #parts: CastParts
  readonly #journal: Journal
  readonly #counts = new Map<string, CrowdCounts>()
  #isCalm = false

  private constructor(
    parts: CastParts,
    { proxy, receiver }: { readonly proxy: FaultyProxy; readonly receiver: Receiver },
    ports: readonly number[],
  ) {
    this.#parts = parts
    this.proxy = proxy
    this.receiver = receiver
    this.journals.push(journalOf(parts, 'receiver'))
    this.#journal = new Journal(this.#newJournal('operator'))
    this.servers = ports.map((port, number) => this.#server(port, number))
    const { front } = parts.database
    proxy.lead(front === undefined ? ports : [front.port])
    this.operator = new Operator({
      random: parts.random.fork(),
      journal: this.#journal,
      queued: parts.profile.queued,
      sockets: () =>
        this.servers.flatMap((server, number) =>
          server.isUp ? [join(parts.database.dataDir(number), 'control.sock')] : [],
        ),
    })
  }

  /** Starts the replicas and, once they serve, all agents. */
  static async assemble(parts: CastParts): Promise<Cast> {
    const { database, random, profile } = parts
    await makePrograms(parts.folder)
    const ports =
      database.front?.ports ?? (await Promise.all(Array.from({ length: database.replicas }, freePort)))
    const proxy = await FaultyProxy.listen(random.fork())
    const receiver = await Receiver.listen(random.fork(), journalOf(parts, 'receiver'))
    const cast = new Cast(parts, { proxy, receiver }, ports)
    try {
      const began = performance.now()
      for (const server of cast.servers) server.begin()
      await Promise.all(cast.servers.map((server) => server.up()))
      cast.startSeconds = (performance.now() - began) / 1000
      const licenses = await cast.operator.issueAll(profile.licenses, DOOMED)
      for (const { id } of licenses.filter((_license, number) => number % TOLD_EVERY === 0))
        await cast.operator.tell(id, receiver.urlOf(id))
      await cast.#people(licenses)
      return cast
    } catch (error) {
      await cast[Symbol.asyncDispose]()
      throw error
    }
  }

  get members(): readonly Member[] {
    return [...this.servers, ...this.crowds, ...this.references]
  }

  /**
   * Returns the sum of the counts that crowds reported, including those reported before a crowd was killed.
   */
  counts(): CrowdCounts {
    const sum = { requests: 0, lines: 0, faults: 0 }
    for (const { requests, lines, faults } of this.#counts.values()) {
      sum.requests += requests
      sum.lines += lines
      sum.faults += faults
    }
    return sum
  }

  /** Stops the faults of the proxy and of the crowds, and thaws frozen processes. */
  calm(): void {
    this.#isCalm = true
    this.proxy.isWild = false
    this.receiver.isWild = false
    for (const member of this.members) member.thaw()
    for (const crowd of this.crowds) crowd.tell('calm')
  }

  /** Ends all processes in order, agents first. A server that does not exit with 0 is a breach. */
  async dismiss(): Promise<void> {
    for (const { name, isUp, said } of this.servers)
      if (!isUp) this.breaches.push({ rule: 'process', evidence: `${name} did not come back: ${said}` })
    await Promise.all([...this.crowds, ...this.references].map((member) => member.end()))
    for (const server of this.servers) {
      const code = await server.end('SIGTERM')
      if (code !== 0)
        this.breaches.push({
          rule: 'end',
          evidence: `${server.name} ended with ${code} after SIGTERM: ${server.said}`,
        })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map((member) => member.destroy()))
    await this.proxy[Symbol.asyncDispose]()
    await this.receiver[Symbol.asyncDispose]()
    this.#journal[Symbol.dispose]()
  }

  #newJournal(name: string): string {
    const path = journalOf(this.#parts, name)
    this.journals.push(path)
    return path
  }

  readonly #fault = (evidence: string) => {
    this.breaches.push({ rule: 'process', evidence })
  }

  #server(port: number, number: number): Member {
    const { folder, database, leaseSeconds, bug } = this.#parts
    return new Member({
      name: `replica ${number}`,
      program: programIn(folder, 'replica'),
      args: ['serve', '--port', String(port), '--data-dir', database.dataDir(number)],
      env: {
        ...database.env,
        NODE_ENV: 'production',
        SERVICE_LICENSE_PRIVKEY: Buffer.alloc(32, 7).toString('hex'),
        SERVICE_JOB_LEASE_SECONDS: String(leaseSeconds),
        ...TELLING,
        ...(bug === undefined ? {} : { CHAOS_BUG: bug }),
      },
      cwd: folder,
      ready: '"msg":"serving"',
      fault: this.#fault,
    })
  }

  async #people(licenses: readonly IssuedLicense[]): Promise<void> {
    const { profile, folder } = this.#parts
    const { hostsPerLicense, crowds, referenceAgents } = profile
    const hostsOf = (number: number) =>
      number >= profile.licenses ? 1 : hostsPerLicense + (number < referenceAgents ? 1 : 0)
    this.hosts = licenses.flatMap((license, number) =>
      Array.from({ length: hostsOf(number) }, (_, host) => ({
        number: number * 10 + host + 1,
        fingerprint: fingerprintOf(number, host),
        licenseId: license.id,
        licenseKey: license.key,
        kind: host < hostsPerLicense ? ('light' as const) : ('reference' as const),
      })),
    )
    const light = this.hosts.filter(({ kind }) => kind === 'light')
    this.crowds = Array.from({ length: crowds }, (_, number) =>
      this.#crowd(
        number,
        light.filter((_host, at) => (at + Math.floor(at / hostsPerLicense)) % crowds === number),
      ),
    )
    await writeHandlers(folder)
    this.references = this.hosts
      .filter(({ kind }) => kind === 'reference')
      .map((host) => this.#reference(host))
    for (const member of [...this.crowds, ...this.references]) member.begin()
  }

  #crowd(number: number, hosts: readonly Host[]): Member {
    const { folder, profile, leaseSeconds, random } = this.#parts
    const name = `crowd ${number}`
    const journal = this.#newJournal(`crowd${number}`)
    const seeds = random.fork()
    let life = 0
    const orders = (): CrowdOrders => {
      life += 1
      const { url } = this.proxy
      const leaseMs = leaseSeconds * 1000
      return { url, journal, seed: seeds.next(), hosts, profile, leaseMs, calm: this.#isCalm }
    }
    return new Member({
      name,
      program: programIn(folder, 'crowd'),
      cwd: folder,
      orders,
      heard: (line) => this.#counts.set(`${number}.${life}`, JSON.parse(line)),
      fault: this.#fault,
    })
  }

  #reference(host: Host): Member {
    const { folder } = this.#parts
    return new Member({
      name: host.fingerprint,
      program: programIn(folder, 'reference'),
      excused: REJECTED,
      cwd: folder,
      orders: () => referenceOrders(host, this.proxy.url, folder),
      fault: this.#fault,
    })
  }
}
