import { type Addressing, identity, matched } from '../../platform/database/answers.ts'
import type { Rows } from '../../platform/database/session.ts'
import { isoOrNull } from '../../platform/database/values.ts'
import { LEASE_END, OWNER, SOON_OVER } from './job-report-sql.ts'
import { HELD_BY_ID } from './job-row-sql.ts'
import type { Owner } from './jobs-store.ts'

/**
 * Renews the leases that any number of heartbeats list, where the writer holds that attempt and most of the
 * lease is over. Each row names the heartbeat by its place in the batch. Rows are written in one order, so
 * that two statements never wait for each other.
 */
export const RENEW = {
  name: 'job-renew',
  text: `update jobs j set available_at = ${LEASE_END}
    from (select *, coalesce(given, now()) as at
      from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::float8[], $6::float8[], $7::timestamptz[])
        as q (place, job_id, license_id, fingerprint, attempt_given, lease_seconds, given) order by job_id) q
    where ${OWNER} and ${HELD_BY_ID} and ${SOON_OVER} returning q.place, j.id`,
}

/** The jobs that one heartbeat lists, with the instant that a test gives it. */
export interface RenewItem {
  readonly owners: readonly Owner[]
  readonly leaseSeconds: number
  readonly now: Date | undefined
}

/** The identity of the host that sends the heartbeat. */
export const hostOf = ({ owners: [owner] }: RenewItem): string =>
  identity(owner?.licenseId ?? '', owner?.fingerprint ?? '')

/** One listed job. */
interface Listed extends Omit<RenewItem, 'owners'> {
  readonly place: number
  readonly owner: Owner
}

interface RenewedRow {
  readonly place: number
  readonly id: string
}

const ANSWERED: Addressing<Listed, RenewedRow> = {
  statement: RENEW.name,
  asker: ({ place, owner }) => identity(String(place), owner.jobId),
  addressee: ({ place, id }) => identity(String(place), id),
}

/** Renews leases for several heartbeats; the ids of the jobs whose lease each of them moved, in its order. */
export async function renewBatch(
  items: readonly RenewItem[],
  rows: Rows,
): Promise<readonly (readonly string[])[]> {
  const listed = items.flatMap(({ owners, ...rest }, place) =>
    owners.map((owner): Listed => ({ ...rest, place, owner })),
  )
  const column = <T>(value: (each: Listed) => T | undefined) => listed.map((each) => value(each) ?? null)
  const found = await rows<RenewedRow>(RENEW, [
    column(({ place }) => place),
    column(({ owner }) => owner.jobId),
    column(({ owner }) => owner.licenseId),
    column(({ owner }) => owner.fingerprint),
    column(({ owner }) => owner.attempt),
    column(({ leaseSeconds }) => leaseSeconds),
    column(({ now }) => isoOrNull(now)),
  ])
  const ids = new Map(items.map((_, place) => [place, new Set<string>()]))
  for (const { place, owner } of matched(ANSWERED, listed, found).keys()) ids.get(place)?.add(owner.jobId)
  return items.map((_, place) => [...(ids.get(place) ?? [])])
}
