import { createControlPlane, readConfig } from '@svc/core'
import { secretDigest } from '@svc/core/ports'
import { openStorage } from '@svc/core/sql'
import pg from 'pg'
import { Batch } from '../../../packages/core/src/platform/database/batch.ts'
import {
  type LeaseItem,
  NO_WORK,
  type ProbeResult,
  probe,
} from '../../../packages/core/src/work/jobs/job-probe-sql.ts'
import { type Fleet, fingerprint, licenseId, licenseKey, licenseOf } from '../fleet.ts'
import { closedLoop, type LoopRequest, openLoop } from '../loop.ts'
import type { StartPart } from '../part.ts'
import { bareLanes } from './bare-lanes.ts'

/** A way to claim with the license key in hand. Says the id of the job, if there was one. */
export type ClaimOnce = (key: string, host: string) => Promise<string | undefined>

const WAYS = { svc, look: looks, single, transaction, nothing }

/** How jobs are claimed in the process. */
export interface ClaimsOptions {
  readonly way: keyof typeof WAYS
  readonly databaseUrl: string
  readonly fleet: Fleet
  /** Whether there is work; else every answer must be empty. */
  readonly hits: boolean
}

interface Claimer extends AsyncDisposable {
  readonly claim: ClaimOnce
}

/** Claims one after the other, each host of the fleet in its turn. */
export const start: StartPart<ClaimsOptions> = async ({ way, databaseUrl, fleet, hits }) => {
  const claimer = await WAYS[way](databaseUrl, fleet)
  const keys = Array.from({ length: fleet.licenses }, (_, number) => licenseKey(number))
  const hosts = Array.from({ length: fleet.hosts }, (_, host) => fingerprint(host))
  const taken = new Set<string>()
  let next = 0
  const once = async () => {
    const host = next
    next = (next + 1) % fleet.hosts
    const id = await claimer.claim(keys[licenseOf(fleet, host)] ?? '', hosts[host] ?? '')
    if (hits !== (id !== undefined))
      throw new Error(hits ? 'no job was left' : `a job where there is none: ${id}`)
    if (id === undefined) return undefined
    if (taken.has(id)) throw new Error(`${id} was handed out twice`)
    taken.add(id)
    return undefined
  }
  return {
    commands: {
      run: ({ rate, ...request }: LoopRequest & { readonly rate?: number }) =>
        rate === undefined ? closedLoop(request, once) : openLoop({ ...request, rate }, once),
    },
    stop: async () => claimer[Symbol.asyncDispose](),
  }
}

/**
 * The product's services in process, called as the gate of the claim route does: a key that was seen is
 * checked by the claim.
 */
async function svc(url: string): Promise<Claimer> {
  const storage = await openStorage({ url })
  const { licenses, jobs } = createControlPlane({ config: readConfig({ NODE_ENV: 'production' }), storage })
  return {
    claim: async (key, host) => {
      const licensed = licenses.recall(key) ?? (await licenses.validate(key))
      if (licensed === undefined) throw new Error('the license is not known')
      const { job } = await jobs.claim({ ...licensed, fingerprint: host, claimKey: undefined })
      return job?.id
    },
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}

/** The product's look for work in batches and nothing else. The license of each key is known beforehand. */
async function looks(url: string, { licenses }: Fleet): Promise<Claimer> {
  const { rows, close } = bareLanes(url)
  const run = async (items: readonly LeaseItem[]) => {
    const found = await probe(items, rows)
    return items.map((item) => found.get(item) ?? NO_WORK)
  }
  const batch = new Batch<LeaseItem, ProbeResult>({ run, mayFlushEarly: () => true })
  const known = new Map(
    Array.from({ length: licenses }, (_, number) => {
      const key = licenseKey(number)
      return [key, { licenseId: licenseId(number), keyDigest: secretDigest(key) }] as const
    }),
  )
  return {
    claim: async (key, host) => {
      const licensed = known.get(key)
      if (licensed === undefined) throw new Error('the license is not known')
      const request = { ...licensed, fingerprint: host, leaseSeconds: 300, claimKey: undefined }
      const { promising } = await batch.add({ request, now: undefined })
      return promising ? 'a job' : undefined
    },
    [Symbol.asyncDispose]: close,
  }
}

const HEAD = `select j.id from jobs j join licenses l on l.id = j.license_id
  where l.key_digest = encode(sha256($1::bytea), 'hex') and l.status = 'active'
    and (l.expires_at is null or l.expires_at > now()) and j.target = ''
    and j.finished_at is null and j.available_at <= now()
  order by j.available_at, j.id limit 1 for update of j skip locked`
const TAKE = `update jobs set state = 'claimed', claimed_by = $2, claimed_at = now(), attempt = attempt + 1,
  available_at = now() + interval '300 seconds'`
const SINGLE = { name: 'claim', text: `${TAKE} where id = (${HEAD}) returning *` }
const SELECT = { name: 'select', text: HEAD }
const UPDATE = { name: 'update', text: `${TAKE} where id = $1 returning *` }
const NOTHING = { name: 'nothing', text: 'select 1' }
const POOL = 10

/** One prepared statement a claim on the same tables, the license joined. */
async function single(url: string): Promise<Claimer> {
  const pool = new pg.Pool({ connectionString: url, max: POOL })
  return {
    claim: async (key, host) =>
      (await pool.query({ ...SINGLE, values: [Buffer.from(key), host] })).rows[0]?.id,
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

/** Begin, select for update, update, commit, as most queues of an afternoon do. */
async function transaction(url: string): Promise<Claimer> {
  const pool = new pg.Pool({ connectionString: url, max: POOL })
  return {
    claim: async (key, host) => {
      const client = await pool.connect()
      try {
        await client.query('begin')
        const { rows } = await client.query({ ...SELECT, values: [Buffer.from(key)] })
        if (rows[0] !== undefined) await client.query({ ...UPDATE, values: [rows[0].id, host] })
        await client.query('commit')
        return rows[0]?.id
      } finally {
        client.release()
      }
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

/** `select 1`, prepared: the least that a database is asked. */
async function nothing(url: string): Promise<Claimer> {
  const pool = new pg.Pool({ connectionString: url, max: POOL })
  return {
    claim: async () => {
      await pool.query(NOTHING)
      return undefined
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}
