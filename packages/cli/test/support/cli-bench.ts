import type { ControlPlane, Environment } from '@svc/core'
import {
  buildHeartbeat,
  FakeClock,
  type ScriptedBrowser,
  type ScriptedDns,
  ScriptedModel,
  type TestPlane,
  testPlane,
} from '@svc/testing'
import { PROVISIONING_ENV, patientProvider } from '../../../../test/support/provisioning-world.ts'
import { RecordingIo, type RecordingIoParts } from '../../../../test/support/recording-io.ts'
import { BILLING_SETTINGS, paymentProvider } from '../../../../test/support/scripted-billing.ts'
import { withTrueAnswers } from '../../../../test/support/true-answers.ts'
import { runProgram } from '../../src/commands/program.ts'
import type { Connect } from '../../src/program/command-run.ts'
import '../../../../test/support/standard-input.ts'

const REACHED = '{"type":"done","answer":"12 EUR","result":{"price":12}}'

/** The program over a plane in memory, with one license. */
export class CliBench implements AsyncDisposable {
  readonly #test: TestPlane
  readonly license: { readonly id: string; readonly key: string }

  private constructor(test: TestPlane, license: { readonly id: string; readonly key: string }) {
    this.#test = test
    this.license = license
  }

  static async open(env: Environment = {}): Promise<CliBench> {
    // Nothing listens there: a test delivery is refused, and never leaves the machine.
    const settings = {
      SERVICE_PUBLIC_URL: 'http://127.0.0.1:9',
      ...PROVISIONING_ENV,
      ...BILLING_SETTINGS,
      ...env,
    }
    const clock = new FakeClock()
    const agentModel = new ScriptedModel([REACHED])
    const parts = { providerOutbound: patientProvider(clock), paymentProvider, agentModel }
    const test = testPlane({ env: settings, clock, parts })
    withTrueAnswers(test.plane)
    return new CliBench(test, await test.license('bench'))
  }

  get plane(): ControlPlane {
    return this.#test.plane
  }

  /** The browser of the plane, whose agent reaches every goal at once. */
  get browser(): ScriptedBrowser {
    return this.#test.browser
  }

  get clock(): FakeClock {
    return this.#test.clock
  }

  get dns(): ScriptedDns {
    return this.#test.dns
  }

  /** Starts a command; its end is awaited by `ended`. */
  start(args: readonly string[], parts: Omit<RecordingIoParts, 'args'> = {}) {
    const io = new RecordingIo({ ...parts, args })
    const connect: Connect = async () => ({
      run: (name, input) => this.plane.operations.run(name, input, io.actor),
      [Symbol.asyncDispose]: async () => {},
    })
    return { io, ended: runProgram(io, { clock: this.clock, connect }) }
  }

  /** Runs a command to its end. */
  async run(...args: readonly string[]): Promise<RecordingIo> {
    const { io, ended } = this.start(args)
    await ended
    return io
  }

  /** Runs a command with `--json`; the test fails with its words when it does. */
  async json(...args: readonly string[]): Promise<Record<string, unknown>> {
    const io = await this.run(...args, '--json')
    if (io.exitCode !== 0) throw new Error(`exit code ${io.exitCode}: ${io.err.text}`)
    return io.document
  }

  /** A host of the license reports in. */
  async host(fingerprint: string, hostname = fingerprint): Promise<BenchHost> {
    const owner = { licenseId: this.license.id, fingerprint }
    await this.plane.agents.heartbeat({ ...buildHeartbeat({ ...owner, hostname }), jobs: [] })
    return new BenchHost(this.plane, owner)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#test[Symbol.asyncDispose]()
  }
}

/** A host that the test directs. */
export class BenchHost {
  readonly #plane: ControlPlane
  readonly #owner: { readonly licenseId: string; readonly fingerprint: string }

  constructor(plane: ControlPlane, owner: { readonly licenseId: string; readonly fingerprint: string }) {
    this.#plane = plane
    this.#owner = owner
  }

  /** Takes the next job and says that it runs. */
  async begin(): Promise<string> {
    const { job } = await this.#plane.jobs.claim({ ...this.#owner, claimKey: undefined })
    if (job === undefined) throw new Error('no job is due')
    await this.#report(job.id, 'running')
    return job.id
  }

  async say(jobId: string, ...lines: readonly string[]): Promise<void> {
    await this.#plane.jobs.appendLogs({
      ...this.#owner,
      jobId,
      attempt: undefined,
      offset: undefined,
      idempotencyKey: undefined,
      lines: lines.map((line) => ({ ts: 1, line })),
    })
  }

  async end(jobId: string, state: 'succeeded' | 'failed', exitCode = 0): Promise<void> {
    await this.#report(jobId, state, exitCode)
  }

  async giveBack(jobId: string): Promise<void> {
    await this.#report(jobId, 'pending')
  }

  async #report(
    jobId: string,
    state: 'pending' | 'running' | 'succeeded' | 'failed',
    exitCode?: number,
  ): Promise<void> {
    const error = state === 'failed' ? `exit code ${exitCode}` : undefined
    await this.#plane.jobs.report({ ...this.#owner, jobId, state, exitCode, error, attempt: undefined })
  }
}
