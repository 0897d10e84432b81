import { LEASE_SECONDS } from '@svc/core'
import { migrate } from '@svc/core/sql'
import { REPORT } from '../../../packages/core/src/jobs/job-report-sql.ts'
import { TAKE } from '../../../packages/core/src/jobs/job-take-sql.ts'
import { deployAdder } from '../add-deploys.ts'
import { fingerprint, licenseId } from '../fleet.ts'
import { closedLoop } from '../loop.ts'
import type { StartPart } from '../part.ts'
import { BareBatch } from './bare-batch.ts'
import { bareLanes } from './bare-lanes.ts'
import { Ledger, queuePart } from './queue.ts'
import type { SvcQueueOptions } from './queue-svc.ts'

interface Held {
  readonly id: string
  readonly host: string
  readonly attempt: number
}

interface Taken {
  readonly id: string
  readonly claimed_by: string
  readonly attempt: number
}

interface Word extends Held {
  readonly state: 'running' | 'succeeded'
}

/** As many as the product's hot statements have. */
const CONNECTIONS = 4

/**
 * The product's two statements in batches, for hosts of one license, and nothing around them: no rule, metric
 * or answer.
 */
export const start: StartPart<SvcQueueOptions> = async ({ databaseUrl, ready, reportsRunning }) => {
  await migrate(databaseUrl)
  const license = licenseId(0)
  const { rows, close } = bareLanes(databaseUrl, CONNECTIONS)
  const ledger = new Ledger()
  const claims = new BareBatch<string, Held | undefined>(async (hosts) => {
    const each = <T>(value: T) => hosts.map(() => value)
    const asked = [each(license), hosts, each(null), each(LEASE_SECONDS), each(null), each(null)]
    const given = new Map<string, Held>()
    for (const { id, claimed_by, attempt } of await rows<Taken>(TAKE, asked))
      given.set(claimed_by, { id, attempt, host: claimed_by })
    return hosts.map((host) => given.get(host))
  })
  const words = new BareBatch<Word, boolean>(async (said) => {
    const each = <T>(value: T) => said.map(() => value)
    const column = <K extends keyof Word>(key: K) => said.map((word) => word[key])
    const asked = [column('id'), each(license), column('host'), column('attempt'), column('state'), each(0)]
    const rest = [each(null), each(LEASE_SECONDS), each(null), null]
    const written = await rows<{ id: string }>(REPORT, [...asked, ...rest])
    const ids = new Set(written.map(({ id }) => id))
    return said.map(({ id }) => ids.has(id))
  })
  const say = async (held: Held, state: Word['state']) => {
    if (!(await words.ask({ ...held, state }))) throw new Error(`${state} was not written down`)
  }
  const once = async (host: number) => {
    const held = await claims.ask(fingerprint(host))
    if (held === undefined) return false
    if (reportsRunning) await say(held, 'running')
    await say(held, 'succeeded')
    ledger.note(held.id)
    return true
  }
  const add = deployAdder(databaseUrl, license)
  return queuePart({ add, run: (request) => closedLoop(request, once), stop: close }, ledger, ready)
}
