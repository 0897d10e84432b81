import { hash } from 'node:crypto'
import { secretDigest } from '@svc/core/ports'
import pg from 'pg'

/**
 * A fleet that every process of a run can name without being told: host `n` has license `n % licenses`, and
 * each license a key that follows from its number.
 */
export interface Fleet {
  readonly hosts: number
  readonly licenses: number
}

/**
 * One host a license: the limits of the product count per license (30 heartbeats and 60 claims a minute), so
 * that this fleet may send 10,000 heartbeats and 20,000 claims a second for as long as it likes, under the
 * limits as they are.
 */
export const LARGE_FLEET: Fleet = { hosts: 20_000, licenses: 20_000 }

const id = (prefix: string, number: number) => `${prefix}_${String(number).padStart(26, '0')}`

/** The id of a license by its number. */
export const licenseId = (number: number): string => id('lic', number)

/** The ids of all licenses of a fleet. */
export const licenseIds = ({ licenses }: Fleet): readonly string[] =>
  Array.from({ length: licenses }, (_, number) => licenseId(number))

/** The key of a license by its number, as long as a real one. */
export const licenseKey = (number: number): string =>
  `svc_${hash('sha256', `bench license ${number}`, 'base64url')}`

/** The fingerprint of a host by its number. */
export const fingerprint = (host: number): string => hash('sha256', `bench host ${host}`)

/** The license of a host, by its number. */
export const licenseOf = ({ licenses }: Fleet, host: number): number => host % licenses

/** The statement that writes the licenses of a fleet, active and without an end, into a migrated database. */
export function licenseRows({ licenses }: Fleet): { readonly text: string; readonly values: unknown[] } {
  const numbers = Array.from({ length: licenses }, (_, number) => number)
  return {
    text: 'insert into licenses (id, key_digest) select * from unnest($1::text[], $2::text[])',
    values: [numbers.map(licenseId), numbers.map((number) => secretDigest(licenseKey(number)))],
  }
}

/** Writes the licenses of a fleet into a migrated database. */
export async function addLicenses(url: string, fleet: Fleet): Promise<void> {
  await withClient(url, async (client) => {
    const { text, values } = licenseRows(fleet)
    await client.query(text, values)
    await client.query('vacuum analyze licenses')
  })
}

/** Runs `work` on a connection of its own. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return work(client).finally(() => client.end())
}
