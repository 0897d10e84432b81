import { simulatedAgent } from './agent.ts'
import { AlertWatch } from './alert-watch.ts'
import { Chaos } from './chaos.ts'
import { AcknowledgedCheck } from './checks/acknowledged.ts'
import { AlertFactsBook } from './checks/alert-facts.ts'
import { BarCheck } from './checks/bars.ts'
import { checkEnd } from './checks/final.ts'
import { isEnded } from './checks/held.ts'
import { RateCheck } from './checks/rates.ts'
import { StatementCheck } from './checks/statements.ts'
import { WireAnswerCheck } from './checks/wire-answers.ts'
import { SimulatedDatabase } from './database.ts'
import type { Fault } from './fault.ts'
import { type AgentProgram, Machine } from './host.ts'
import { Life } from './life.ts'
import { Network } from './network.ts'
import { Operator } from './operator.ts'
import { configOf } from './plane-config.ts'
import { Random } from './random.ts'
import { Replica } from './replica.ts'
import { drawScenario, type Scenario, stragglerSeconds } from './scenario.ts'
import type { SimulationSeams } from './seams.ts'
import type { Statement } from './statement.ts'
import { Timeline } from './timeline.ts'
import { Verdict, type Violation } from './verdict.ts'
import { issueLicenses, planJobs } from './workload.ts'

/** Options of a simulation. */
export interface SimulationOptions {
  readonly seed: number
  /** Sizes and faults instead of those that the seed draws. */
  readonly scenario?: Partial<Omit<Scenario, 'seed'>>
  /** An agent that replaces the simulated agents. */
  readonly agent?: AgentProgram
  readonly seams?: SimulationSeams
  /** Whether the run keeps the last lines of its trace. */
  readonly isTraced?: boolean
}

/** The result of a run. */
export interface SimulationResult {
  readonly scenario: Scenario
  /** The first broken promise; undefined if all held. */
  readonly violation: Violation | undefined
  readonly events: number
  /** Equal for equal runs. */
  readonly hash: number
  readonly simulatedSeconds: number
  readonly requests: number
  readonly faults: number
  readonly jobs: number
  /** How often each operation of the operator was answered, by its name. */
  readonly answered: ReadonlyMap<string, number>
  readonly trace: readonly string[]
}

/** Runs one seed: the same seed, options and code give the same events. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const simulation = new Simulation(options)
  return simulation.run()
}

const OFFSET_MS = 600_000
const TAIL_MS = 5000

class Simulation {
  readonly #scenario: Scenario
  readonly #options: SimulationOptions
  readonly #random: Random
  readonly #timeline: Timeline
  readonly #verdict: Verdict
  readonly #database: SimulatedDatabase
  readonly #rates: RateCheck
  readonly #acknowledged: AcknowledgedCheck
  readonly #alerts: AlertWatch | undefined
  readonly #replicas: Replica[] = []
  readonly #machines: Machine[] = []
  readonly #operator: Operator
  readonly #network: Network
  readonly #chaos: Chaos
  #numbers = 0
  /** The state that `#isDone` saw when it last found something unfinished. */
  #unfinishedAt = ''

  constructor(options: SimulationOptions) {
    this.#options = options
    this.#scenario = { ...drawScenario(options.seed), ...options.scenario, seed: options.seed }
    this.#random = new Random(options.seed ^ SALT)
    const isPatient = options.agent !== undefined || options.seams?.endpoint !== undefined
    const timeline = new Timeline({ isTraced: options.isTraced ?? false, isPatient })
    this.#timeline = timeline
    const verdict = new Verdict({ nowMs: () => timeline.nowMs, stop: () => timeline.stop() })
    this.#verdict = verdict
    this.#rates = new RateCheck(verdict)
    this.#acknowledged = new AcknowledgedCheck(verdict)
    const statements = new StatementCheck(verdict)
    const bars = new BarCheck(verdict)
    const book = new AlertFactsBook(verdict, () => this.#rates.refused)
    const seams = options.seams ?? {}
    const observe = (statement: Statement) => {
      statements.check(statement)
      for (const each of [book, wireAnswers]) each.see(statement)
    }
    this.#database = new SimulatedDatabase({ timeline, verdict, seams, observe })
    const wireAnswers = new WireAnswerCheck(verdict, this.#database.tables)
    const [replicas, machines] = [this.#replicas, this.#machines]
    const { leaseSeconds, faults } = this.#scenario
    const isOn = (fault: Fault) => this.#chaos.isOn(fault)
    const acknowledged = this.#acknowledged
    const random = () => this.#random.fork()
    this.#operator = new Operator({ timeline, random: random(), replicas, bars })
    this.#network = new Network({
      timeline,
      random: random(),
      replicas,
      leaseSeconds,
      isOn,
      bars,
      acknowledged,
      wireAnswers,
    })
    const acting = { operator: this.#operator, network: this.#network }
    const chaos = { timeline, random: random(), database: this.#database, replicas, machines, ...acting }
    this.#chaos = new Chaos({ ...chaos, scenario: this.#scenario })
    const { endMs } = this.#chaos
    const watched = { timeline, verdict, database: this.#database, endMs, book, faults }
    this.#alerts = this.#scenario.alerts ? new AlertWatch(watched) : undefined
  }

  async run(): Promise<SimulationResult> {
    for (let index = 0; index < this.#scenario.replicas; index += 1) this.#addReplica(index)
    void this.#start()
    await this.#timeline.run(() => this.#isOver())
    if (this.#verdict.violation === undefined) this.#checkEnd()
    return {
      scenario: this.#scenario,
      violation: this.#verdict.violation,
      events: this.#timeline.happened,
      hash: this.#timeline.hash,
      simulatedSeconds: this.#timeline.nowMs / 1000,
      requests: this.#network.requests,
      faults: this.#network.faults + this.#chaos.count,
      jobs: this.#database.tables.jobs.size,
      answered: this.#operator.answered,
      trace: this.#timeline.trace,
    }
  }

  async #start(): Promise<void> {
    // Licenses and the webhook of alerts are set up before any fault can happen.
    const plane = this.#replicas[0]?.running?.plane
    const { hosts } = this.#scenario
    const licenses = plane === undefined ? [] : await issueLicenses(plane, this.#scenario.licenses)
    await this.#alerts?.start(plane, licenses)
    for (let index = 0; index < hosts; index += 1) {
      const license = licenses[index % licenses.length]
      if (license !== undefined) this.#addMachine(index, Math.floor(index / licenses.length), license)
    }
    const [scenario, timeline, random] = [this.#scenario, this.#timeline, this.#random.fork()]
    planJobs({ scenario, timeline, random, operator: this.#operator, machines: this.#machines })
    this.#chaos.start()
  }

  #addReplica(index: number): void {
    const [timeline, database, rates] = [this.#timeline, this.#database, this.#rates]
    const random = this.#random.fork()
    const replica = new Replica({
      name: `replica ${index}`,
      config: configOf(this.#scenario),
      database,
      timeline,
      rates,
      random,
      seams: this.#options.seams ?? {},
      isOn: (fault) => this.#licensed && this.#chaos.isOn(fault),
      nextNumber: () => {
        this.#numbers += 1
        return this.#numbers
      },
      clockOffsetMs: this.#offset(),
      hasAlerts: this.#scenario.alerts,
    })
    this.#replicas.push(replica)
    replica.start()
  }

  get #licensed(): boolean {
    return this.#machines.length > 0
  }

  #addMachine(index: number, indexInLicense: number, license: { id: string; key: string }): void {
    const { cloned, claimSeconds, leaseSeconds, sloppy } = this.#scenario
    const random = this.#random.fork()
    const habits = {
      claimSeconds,
      leaseSeconds,
      stepSeconds: 6,
      sloppy: random.chance(sloppy),
      keyed: random.chance(0.5),
    }
    const number = String(cloned ? indexInLicense : index).padStart(4, '0')
    const machine = new Machine({
      fingerprint: `fp${number}-`.padEnd(24, '0'),
      hostname: `host-${index}`,
      licenseId: license.id,
      key: license.key,
      address: `192.0.2.${index % 250}`,
      program:
        this.#options.agent ?? simulatedAgent({ ...habits, slowSteps: () => this.#chaos.isOn('slow-job') }),
      clockOffsetMs: this.#offset(),
      timeline: this.#timeline,
      random,
      network: this.#network,
      failed: (error) => this.#verdict.fail('the agent works', `an agent threw ${String(error)}`),
    })
    this.#machines.push(machine)
    machine.start(new Life())
  }

  #offset(): number {
    if (!this.#scenario.faults.includes('clock-offset')) return 0
    return Math.round(OFFSET_MS * (2 * this.#random.fraction() - 1))
  }

  #isOver(): boolean {
    const { nowMs } = this.#timeline
    if (nowMs < this.#chaos.endMs + TAIL_MS) return false
    if (this.#alerts?.isSettled === false) return false
    const deadlineMs = this.#chaos.endMs + 1000 * stragglerSeconds(this.#scenario)
    return nowMs >= deadlineMs || this.#isDone()
  }

  /** Called after every event, so it looks again only if the queue or the revoked licenses have changed. */
  #isDone(): boolean {
    const { revoked } = this.#operator
    const { jobWrites, tables } = this.#database
    const seen = `${jobWrites} ${revoked.size}`
    if (seen === this.#unfinishedAt) return false
    this.#unfinishedAt = seen
    return tables.jobs.all().every(({ job }) => isEnded(job.state) || revoked.has(job.licenseId))
  }

  #checkEnd(): void {
    const { tables } = this.#database
    this.#rates.end()
    this.#acknowledged.end(tables)
    checkEnd({ tables, operator: this.#operator }, this.#verdict)
    this.#alerts?.end()
  }
}

// The run draws from another source than its scenario, so that a changed scenario changes no other draw.
const SALT = 0x5eed5eed
