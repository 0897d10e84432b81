import type { Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'
import { AlertCheck } from './alerts.ts'
import { checkCancel, checkSweep } from './cancels.ts'
import { checkClaim } from './claims.ts'
import { checkEnqueue } from './enqueues.ts'
import { HostCheck } from './hosts.ts'
import { LogWriteCheck } from './log-writes.ts'
import { checkQueue } from './queue.ts'
import { checkRenewal, checkReport } from './reports.ts'
import { checkTransitions } from './transitions.ts'

const READS = [
  'get',
  'list',
  'serialHolder',
  'pending',
  'isRun',
  'lastClaim',
  'lookedTo',
  'upcoming',
  'logs',
  'logLengths',
  'counts',
].map((method) => `jobs.${method}`)

const isWrite = (name: string): boolean => name.startsWith('jobs.') && !READS.includes(name)

/** Checks every statement right after its effect. */
export class StatementCheck {
  readonly #verdict: Verdict
  readonly #alerts: AlertCheck
  readonly #hosts: HostCheck
  readonly #logs: LogWriteCheck
  readonly #byName: Readonly<Record<string, (statement: Statement) => void>>

  constructor(verdict: Verdict) {
    this.#verdict = verdict
    this.#alerts = new AlertCheck(verdict)
    this.#hosts = new HostCheck(verdict)
    this.#logs = new LogWriteCheck(verdict)
    this.#byName = {
      'jobs.lease': (statement) => checkClaim(statement, verdict),
      'jobs.report': (statement) => checkReport(statement, verdict),
      'jobs.renew': (statement) => checkRenewal(statement, verdict),
      'jobs.appendLogs': (statement) => this.#logs.check(statement),
      'jobs.requestCancel': (statement) => checkCancel(statement, verdict),
      'jobs.sweep': (statement) => checkSweep(statement, verdict),
      'jobs.enqueue': (statement) => checkEnqueue(statement, verdict),
    }
  }

  check(statement: Statement): void {
    const { name, changes } = statement
    if (name.startsWith('agents.')) this.#hosts.check(statement)
    if (/^(?:alert|deliveries\.)/.test(name)) this.#alerts.check(statement)
    if (changes.length > 0) {
      this.#verdict.expect(isWrite(name), 'only writes to the queue change it', () => name)
      checkTransitions(statement, this.#verdict)
    }
    this.#byName[name]?.(statement)
    if (changes.length > 0) checkQueue(statement, this.#verdict)
  }
}
