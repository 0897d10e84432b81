import { migrate } from '@svc/core/sql'
import type { Bench } from './bench.ts'
import { addLicenses, type Fleet, withClient } from './fleet.ts'
import type { Served } from './http-variant.ts'

/** A migrated database with the licenses of a fleet. */
export async function productDatabase(bench: Bench, fleet: Fleet): Promise<string> {
  const url = await bench.database()
  await migrate(url)
  await addLicenses(url, fleet)
  return url
}

/** Settings of the product beside its database, and how its work is looked up. */
export interface ProductServing {
  readonly env?: Readonly<Record<string, string>>
  readonly check?: (counted: number) => Promise<void>
  /** Flags of Node.js. */
  readonly flags?: readonly string[]
}

/** The whole product on a database. */
export async function servedProduct(
  bench: Bench,
  url: string,
  serving: ProductServing = {},
): Promise<Served> {
  const { env, check, flags } = serving
  const part = await bench.part('product', { env: { DATABASE_URL: url, ...env } }, flags)
  return check === undefined ? { part } : { part, check }
}

/** Asks a database for one number. */
export const numberFrom = (url: string, text: string): Promise<number> =>
  withClient(url, async (client) => Number(Object.values((await client.query(text)).rows[0] ?? {})[0]))

/** @throws Error unless a database says `counted` */
export async function expectCount(url: string, text: string, counted: number): Promise<void> {
  const found = await numberFrom(url, text)
  if (found !== counted) throw new Error(`${counted} operations were counted, the database holds ${found}`)
}
