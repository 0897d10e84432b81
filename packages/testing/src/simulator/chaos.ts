import type { SimulatedDatabase } from './database.ts'
import type { Fault } from './fault.ts'
import type { Machine } from './host.ts'
import { Life } from './life.ts'
import type { Network } from './network.ts'
import type { Operator } from './operator.ts'
import type { Random } from './random.ts'
import type { Replica } from './replica.ts'
import { FAULTY_SHARE, type Scenario } from './scenario.ts'
import type { Timeline } from './timeline.ts'

/** Parts of a run that faults happen to. */
export interface ChaosParts {
  readonly scenario: Scenario
  readonly timeline: Timeline
  readonly random: Random
  readonly database: SimulatedDatabase
  readonly replicas: readonly Replica[]
  readonly machines: readonly Machine[]
  readonly operator: Operator
  readonly network: Network
}

const REPAIR_ROUNDS = 4
const REPAIR_MS = 15_000
const HOUR_MS = 3_600_000

/**
 * The faults of machines, replicas, the database's clock, licenses and jobs, at random instants while faults
 * are on.
 */
export class Chaos {
  readonly #parts: ChaosParts
  readonly #faults: ReadonlySet<Fault>
  readonly #endMs: number
  #count = 0

  constructor(parts: ChaosParts) {
    this.#parts = parts
    this.#faults = new Set(parts.scenario.faults)
    this.#endMs = FAULTY_SHARE * parts.scenario.seconds * 1000
  }

  /** When faults stop, in milliseconds. */
  get endMs(): number {
    return this.#endMs
  }

  /** The number of faults so far, without the network's. */
  get count(): number {
    return this.#count
  }

  isOn = (fault: Fault): boolean => this.#parts.timeline.nowMs < this.#endMs && this.#faults.has(fault)

  /** Starts every fault of the scenario, and plans their end. */
  start(): void {
    const { timeline, random, scenario, replicas, machines } = this.#parts
    const { hosts } = scenario
    this.#repeat('agent-crash', 100 / hosts, () => this.#crashAgent(random.pick(machines)))
    this.#repeat('agent-pause', 80 / hosts, () => this.#pause(random.pick(machines)))
    this.#repeat('replica-crash', 60, () => random.pick(replicas).crash())
    this.#repeat('database-jump', 60, () => this.#jump())
    this.#repeat('cancel', 25, () => this.#onJob('jobs.cancel'))
    this.#repeat('retry', 30, () => this.#onJob('jobs.retry'))
    this.#repeat('suspend', 60, () => this.#suspend())
    this.#repeat('revoke', 200, () => this.#revoke())
    this.#repeat('drain', 50, () => this.#onHost(random.pick(['fleet.drain', 'fleet.undrain'])))
    this.#repeat('forget', 80, () => this.#onHost('fleet.forget', { force: true }))
    this.#repeat('burst', 120, () => this.#burst())
    this.#repeat('stranger', 12, () => this.#intrude())
    timeline.after(this.#endMs, 'faults end', () => void this.#end())
  }

  #repeat(fault: Fault, meanSeconds: number, happen: () => void): void {
    if (!this.#faults.has(fault)) return
    const { timeline, random } = this.#parts
    const next = () => {
      if (!this.isOn(fault)) return
      this.#count += 1
      happen()
      timeline.after(2000 * meanSeconds * random.fraction(), fault, next)
    }
    timeline.after(2000 * meanSeconds * random.fraction(), fault, next)
  }

  #crashAgent(machine: Machine): void {
    const { timeline, random, scenario } = this.#parts
    machine.crash(this.isOn('agent-amnesia') && random.chance(0.5))
    const downMs = 1000 * random.fraction() * (random.chance(0.3) ? 2 * scenario.leaseSeconds : 5)
    timeline.after(downMs, 'agent starts', () => machine.start(new Life()))
  }

  #pause(machine: Machine): void {
    const { random, scenario } = this.#parts
    machine.pause(1000 * random.fraction() * 2.5 * scenario.leaseSeconds)
  }

  #jump(): void {
    const { database, random, scenario, timeline } = this.#parts
    const widthMs = random.chance(0.5) ? HOUR_MS : 2000 * scenario.leaseSeconds
    const ms = Math.round(widthMs * (2 * random.fraction() - 1))
    timeline.note(() => `the database's clock jumps by ${ms} ms`)
    database.clock.jump(ms)
  }

  #onJob(operation: string): void {
    const { database, random, operator } = this.#parts
    const jobs = database.tables.jobs.all()
    if (jobs.length > 0) void operator.run(operation, { job: random.pick(jobs).job.id })
  }

  #onHost(operation: string, more: Readonly<Record<string, unknown>> = {}): void {
    const { random, machines, operator } = this.#parts
    const { licenseId, fingerprint } = random.pick(machines).parts
    void operator.run(operation, { host: `fp:${fingerprint}`, license: licenseId, ...more })
  }

  async #suspend(): Promise<void> {
    const { random, machines, operator, timeline } = this.#parts
    const { licenseId } = random.pick(machines).parts
    await operator.bar('suspend', licenseId)
    await timeline.sleep(20_000 * random.fraction(), 'suspended')
    await operator.reinstate(licenseId)
  }

  #revoke(): void {
    const { random, machines, operator } = this.#parts
    void operator.bar('revoke', random.pick(machines).parts.licenseId)
  }

  /** Sends more requests of one subject than its limit allows in a minute. */
  #burst(): void {
    const { random, machines, network } = this.#parts
    const { licenseId, fingerprint, hostname, key, address } = random.pick(machines).parts
    const isActivate = random.chance(0.7)
    const path = isActivate ? '/v1/license/activate' : '/v1/telemetry/heartbeat'
    const body = isActivate ? { fingerprint } : { fingerprint, hostname }
    const count = isActivate ? 12 : 33
    for (let sent = 0; sent < count; sent += 1) void network.send(licenseId, { path, key, body, address })
  }

  /**
   * Lets a machine write to a job that it does not own: a job of another host or license, or an earlier
   * attempt.
   */
  #intrude(): void {
    const { random, machines, network, database } = this.#parts
    const jobs = database.tables.jobs.all()
    if (jobs.length === 0) return
    const { job } = random.pick(jobs)
    const { licenseId, key, address } = random.pick(machines).parts
    const { fingerprint } = random.pick(machines).parts
    const isOwner = licenseId === job.licenseId && fingerprint === job.claimedBy
    const attempt = isOwner
      ? { attempt: job.attempt - 1 }
      : random.chance(0.5)
        ? { attempt: job.attempt }
        : {}
    const send = (path: string, body: object) =>
      void network.send(licenseId, { path, key, address, body: { fingerprint, ...attempt, ...body } })
    const lines = [{ ts: 0, line: 'foreign' }]
    const aside = isOwner ? {} : { fingerprint: 'a host of no fleet', attempt: job.attempt }
    const list = [{ id: job.id, attempt: isOwner ? job.attempt - 1 : job.attempt }]
    random.pick([
      () => send(`/v1/jobs/${job.id}/status`, { state: random.pick(['running', 'succeeded', 'pending']) }),
      // From a host that can never hold the job: a real host might become the owner meanwhile, and its lines
      // would be accepted.
      () => send(`/v1/jobs/${job.id}/logs`, { ...aside, lines, offset: 0 }),
      // A request without lines is accepted late, too, but not forever.
      () => send(`/v1/jobs/${job.id}/logs`, { attempt: job.attempt, lines: [], offset: 0 }),
      () => send(`/api/v1/jobs/${job.id}/cancel`, {}),
      () => send('/v1/telemetry/heartbeat', { jobs: list }),
    ])()
  }

  /** Repairs everything, so that every job can end. */
  async #end(): Promise<void> {
    const { database, machines, timeline } = this.#parts
    timeline.note(() => 'faults end')
    database.clock.catchUp()
    // An operation under way when faults stopped may still bar a license or drain a host.
    for (let round = 0; round < REPAIR_ROUNDS; round += 1) {
      for (const { parts } of machines) await this.#repair(parts)
      await timeline.sleep(REPAIR_MS, 'repair')
    }
  }

  async #repair({ licenseId, fingerprint }: Machine['parts']): Promise<void> {
    const { licenses, agents } = this.#parts.database.tables
    const { operator, timeline } = this.#parts
    const isSuspended = () => licenses.get(licenseId)?.status === 'suspended'
    while (isSuspended() && !operator.revoked.has(licenseId)) {
      await operator.reinstate(licenseId)
      await timeline.sleep(1000, 'repair')
    }
    while (agents.get(JSON.stringify([licenseId, fingerprint]))?.drainedAt !== undefined) {
      await operator.run('fleet.undrain', { host: `fp:${fingerprint}`, license: licenseId })
      await timeline.sleep(1000, 'repair')
    }
  }
}
