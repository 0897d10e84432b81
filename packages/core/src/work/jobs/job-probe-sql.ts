import { isLicensed } from '../../people/licenses/licenses-store-sql.ts'
import { type Addressing, identity, matched } from '../../platform/database/answers.ts'
import type { Rows, Statement } from '../../platform/database/session.ts'
import { isoOrNull } from '../../platform/database/values.ts'
import { cancelledJobIds, UNFINISHED } from './job-row-sql.ts'
import type { LeaseRequest } from './jobs-store.ts'

/** A request for work, with the instant that a test gives it. */
export interface LeaseItem {
  readonly request: LeaseRequest
  readonly now: Date | undefined
}

/** The identity of the host that asks. */
export const hostOf = ({ request }: LeaseItem): string => identity(request.licenseId, request.fingerprint)

// Whether a due job exists. It searches from the end, since entries of claimed jobs lie at the beginning, and
// vacuum cannot remove them while an old snapshot is open (a dump). `exists` would be slower: the planner
// scans the whole table for it (2,000 pages instead of 4 behind 50,000 jobs of other hosts), or hashes all
// held jobs.
const isDue = (target: string, fits: string) => `(select true from jobs j
  where j.license_id = q.license_id and j.target = ${target} and j.${UNFINISHED} and j.available_at <= q.at${fits}
  order by j.available_at desc, j.id desc limit 1)`

/** SQL: whether the license of a request `q` is usable for it at `q.at`. */
export const LICENSED = isLicensed({ licenseId: 'q.license_id', keyDigest: 'q.key_digest', at: 'q.at' })

// Without `exists`, which would make the planner read all drained hosts into a hash.
/** SQL: whether the host of a request `q` is drained. */
export const DRAINED = `coalesce((select true from agents a
  where a.license_id = q.license_id and a.fingerprint = q.fingerprint and a.drained_at is not null), false)`
/** SQL: whether the claim key of a request `q` names an unfinished job that is `such`. */
export const keyed = (such = 'true') => `(q.claim_key is not null and coalesce((select true from jobs j
  where j.license_id = q.license_id and j.claimed_by = q.fingerprint and j.claim_key = q.claim_key and j.${UNFINISHED}
    and ${such} limit 1), false))`

/**
 * Probes whether the claim statement would have anything for a host. Most claims find nothing: the probe says
 * so for a fraction of the database's time, since it locks and writes nothing. It checks the license as the
 * claim does. A host without work has no row, since reading one costs more than the rest of the probe. Each
 * request searches the shared queue of its license by itself: grouped by license first, a batch cost up to a
 * third more.
 */
const probeText = (fits: string): string => `select * from (
    select license_id, fingerprint, licensed, drained, cancel, repeated or (not drained and due) as promising from (
      select q.license_id, q.fingerprint, ${LICENSED} as licensed, ${DRAINED} as drained, ${cancelledJobIds('q')} as cancel, ${keyed(`j.state = 'claimed'`)} as repeated,
        coalesce(${isDue("''", fits)}, ${isDue('q.fingerprint', fits)}, false) as due
      from (select *, coalesce(given, now()) as at
        from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[])
          as asked (license_id, fingerprint, claim_key, given, key_digest)) q offset 0) probed) found
  where not licensed or drained or promising or cancel is not null`

/** The probe of hosts that run every kind, or do not say which they run. */
export const PROBE = { name: 'job-probe', text: probeText('') }
/** The probe of hosts that all run the kinds of the last parameter. */
export const PROBE_OF_KINDS = {
  name: 'job-probe-of-kinds',
  text: probeText(' and j.kind = any ($6::text[])'),
}

/**
 * The statement for hosts that run the same kinds, and its last parameter if it has one more: a filter on the
 * kind would cost hosts that run all of them a comparison for each job.
 */
export function ofKinds(
  [first]: readonly LeaseItem[],
  ofAll: Statement,
  ofSome: Statement,
): readonly [Statement, ...(readonly (readonly string[])[])] {
  const kinds = first?.request.kinds
  return kinds === undefined ? [ofAll] : [ofSome, kinds]
}

/** The result of a probe for a host: whether there may be a job, and the answer if there is none. */
export interface ProbeResult {
  readonly licensed: boolean
  readonly drained: boolean
  readonly promising: boolean
  readonly cancel: readonly string[]
}

interface ProbeRow extends Omit<ProbeResult, 'cancel'> {
  readonly license_id: string
  readonly fingerprint: string
  readonly cancel: readonly string[] | null
}

/** The result for a host that has no row in the answer. */
export const NO_WORK: ProbeResult = { licensed: true, drained: false, promising: false, cancel: [] }

const ANSWERED: Omit<Addressing<LeaseItem, ProbeRow>, 'statement'> = {
  asker: hostOf,
  addressee: ({ license_id, fingerprint }) => identity(license_id, fingerprint),
}

/** Probes for several hosts that run the same kinds, each named once; a host without work has no result. */
export async function probe(
  items: readonly LeaseItem[],
  rows: Rows,
): Promise<ReadonlyMap<LeaseItem, ProbeResult>> {
  if (items.length === 0) return new Map()
  const column = <T>(value: (request: LeaseRequest) => T | undefined) =>
    items.map(({ request }) => value(request) ?? null)
  const [statement, ...kinds] = ofKinds(items, PROBE, PROBE_OF_KINDS)
  const found = await rows<ProbeRow>(statement, [
    column(({ licenseId }) => licenseId),
    column(({ fingerprint }) => fingerprint),
    column(({ claimKey }) => claimKey),
    items.map(({ now }) => isoOrNull(now)),
    column(({ keyDigest }) => keyDigest),
    ...kinds,
  ])
  const told = matched({ ...ANSWERED, statement: statement.name }, items, found)
  return new Map([...told].map(([item, row]) => [item, resultOf(row)]))
}

const resultOf = ({ licensed, drained, promising, cancel }: ProbeRow): ProbeResult => ({
  licensed,
  drained,
  promising,
  cancel: cancel ?? [],
})
