import { createPrivateKey, sign as signBytes } from 'node:crypto'
import pg from 'pg'
import { ed25519 } from '../../../packages/core/src/platform/signing/ed25519.ts'
import type { StartPart } from '../part.ts'
import { answerJson, bareHttp } from './bare-http.ts'

/** Options of a server for heartbeats and nothing else, as somebody would write it in an afternoon. */
export interface BareHeartbeatOptions {
  /**
   * Database that stores the hosts; absent: none are stored, and refreshes are signed as the product does it.
   */
  readonly databaseUrl?: string
  readonly pool?: number
  readonly signed: boolean
}

const SEED = Buffer.alloc(32, 9)
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')
const HEADER = Buffer.from(JSON.stringify({ alg: 'EdDSA', typ: 'svc-rfr+jwt' })).toString('base64url')
const REFRESH_SECONDS = 3 * 86_400

const CREATE = `create table hosts (fingerprint text primary key, hostname text, version text, state text,
  cpu_pct float8, mem_pct float8, disk_pct float8, disk_total_gb float8, last_capture_at float8, capture_success boolean,
  seq bigint not null default 1, last_heartbeat timestamptz not null default now()) with (fillfactor = 70)`
const COLUMNS = `hostname, version, state, cpu_pct, mem_pct, disk_pct, disk_total_gb, last_capture_at, capture_success`
const UPSERT = {
  name: 'upsert',
  text: `insert into hosts as h (fingerprint, ${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    on conflict (fingerprint) do update set (${COLUMNS}) = row(${COLUMNS.replaceAll(/\w+/g, 'excluded.$&')}),
      seq = h.seq + 1, last_heartbeat = now() returning seq`,
}

type Sign = (bytes: Uint8Array) => Buffer

function refresh(sign: Sign, fingerprint: unknown, seq: number): string {
  const iat = Math.floor(Date.now() / 1000)
  const claims = {
    iss: 'bench',
    aud: 'svc-agent',
    fp: fingerprint,
    iat,
    exp: iat + REFRESH_SECONDS,
    seq,
    next: 60,
  }
  const signed = `${HEADER}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${signed}.${sign(Buffer.from(signed)).toString('base64url')}`
}

function byNode(seed: Buffer): Sign {
  const pkcs8 = Buffer.concat([PKCS8_HEAD, seed])
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  return (bytes) => signBytes(null, bytes, key)
}

type Health = { readonly last_capture_at?: unknown; readonly success?: unknown }

/** Serves heartbeats with one prepared upsert a request, through node-postgres. */
export const start: StartPart<BareHeartbeatOptions> = async ({ databaseUrl, pool: max = 10, signed }) => {
  const sign = databaseUrl === undefined ? ed25519(SEED).sign : byNode(SEED)
  const pool = databaseUrl === undefined ? undefined : new pg.Pool({ connectionString: databaseUrl, max })
  await pool?.query(CREATE)
  const upsert = async (body: Record<string, unknown>): Promise<number> => {
    const { last_capture_at, success } = (body.backup_health ?? {}) as Health
    const { fingerprint, hostname, version, state, cpu_pct, mem_pct, disk_pct, disk_total_gb } = body
    const facts = [fingerprint, hostname, version, state, cpu_pct, mem_pct, disk_pct, disk_total_gb]
    const result = await pool?.query({ ...UPSERT, values: [...facts, last_capture_at, success] })
    return Number(result?.rows[0]?.seq ?? 1)
  }
  return bareHttp(
    async (body, response) => {
      const seq = pool === undefined ? 1 : await upsert(body)
      const answer = { ack: true, next_interval: 60 }
      answerJson(
        response,
        200,
        signed ? { ...answer, refresh: refresh(sign, body.fingerprint, seq) } : answer,
      )
    },
    async () => pool?.end(),
  )
}
