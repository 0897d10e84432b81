import { LEASE_SECONDS } from '@svc/core/ports'
import { migrate } from '@svc/core/sql'
import { CLAIM } from '../../../packages/core/src/work/jobs/job-claim-sql.ts'
import { REPORT } from '../../../packages/core/src/work/jobs/job-report-sql.ts'
import { deployAdder } from '../add-deploys.ts'
import { fingerprint, licenseId, licenseIds, licenseOf } from '../fleet.ts'
import { closedLoop } from '../loop.ts'
import type { StartPart } from '../part.ts'
import { BareBatch } from './bare-batch.ts'
import { bareLanes } from './bare-lanes.ts'
import { Ledger, queuePart } from './queue.ts'
import type { SvcQueueOptions } from './queue-svc.ts'

interface Host {
  readonly license: string
  readonly fingerprint: string
}

interface Held {
  readonly id: string
  readonly host: Host
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

/** The product's two statements in batches and nothing around them: no rule, metric or answer. */
export const start: StartPart<SvcQueueOptions> = async ({ databaseUrl, fleet, ready, reportsRunning }) => {
  await migrate(databaseUrl)
  const { rows, close } = bareLanes(databaseUrl, CONNECTIONS)
  const ledger = new Ledger()
  const claims = new BareBatch<Host, Held | undefined>(async (hosts) => {
    const each = <T>(value: T) => hosts.map(() => value)
    const [licenses, prints] = [
      hosts.map(({ license }) => license),
      hosts.map(({ fingerprint }) => fingerprint),
    ]
    const asked = [licenses, prints, each(null), each(LEASE_SECONDS), each(null), each(null)]
    const given = new Map((await rows<Taken>(CLAIM, asked)).map((row) => [row.claimed_by, row]))
    return hosts.map((host) => {
      const row = given.get(host.fingerprint)
      return row && { id: row.id, attempt: row.attempt, host }
    })
  })
  const words = new BareBatch<Word, boolean>(async (said) => {
    const each = <T>(value: T) => said.map(() => value)
    const column = <K extends keyof Word>(key: K) => said.map((word) => word[key])
    const [licenses, prints] = [
      said.map(({ host }) => host.license),
      said.map(({ host }) => host.fingerprint),
    ]
    const asked = [column('id'), licenses, prints, column('attempt'), column('state'), each(0)]
    const rest = [each(null), each(LEASE_SECONDS), each(null), null]
    const written = await rows<{ id: string }>(REPORT, [...asked, ...rest])
    const ids = new Set(written.map(({ id }) => id))
    return said.map(({ id }) => ids.has(id))
  })
  const say = async (held: Held, state: Word['state']) => {
    if (!(await words.ask({ ...held, state }))) throw new Error(`${state} was not written down`)
  }
  const once = async (host: number) => {
    const held = await claims.ask({
      license: licenseId(licenseOf(fleet, host)),
      fingerprint: fingerprint(host),
    })
    if (held === undefined) return false
    if (reportsRunning) await say(held, 'running')
    await say(held, 'succeeded')
    ledger.note(held.id)
    return true
  }
  const add = deployAdder(databaseUrl, licenseIds(fleet))
  return queuePart({ add, run: (request) => closedLoop(request, once), stop: close }, ledger, ready)
}
