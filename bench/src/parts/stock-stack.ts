import { createPrivateKey, sign } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import { defineEntity, p } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/postgresql'
import Koa from 'koa'
import { koaBody } from 'koa-body'
import { assert, boolean, number, object, optional, string } from 'superstruct'
import type { StartPart } from '../part.ts'

/** Options of a server that uses the same libraries as the product, without attention to speed. */
export interface StockOptions {
  readonly databaseUrl: string
}

const Host = defineEntity({
  name: 'Host',
  tableName: 'hosts',
  properties: {
    fingerprint: p.string().primary(),
    hostname: p.string(),
    version: p.string(),
    state: p.string(),
    cpuPct: p.double(),
    memPct: p.double(),
    diskPct: p.double(),
    diskTotalGb: p.double(),
    seq: p.integer().default(1),
    lastHeartbeat: p.datetime(),
  },
})

const Beat = object({
  fingerprint: string(),
  hostname: optional(string()),
  version: optional(string()),
  state: optional(string()),
  cpu_pct: optional(number()),
  mem_pct: optional(number()),
  disk_pct: optional(number()),
  disk_total_gb: optional(number()),
  backup_health: optional(object({ last_capture_at: optional(number()), success: optional(boolean()) })),
})

const CREATE = `create table hosts (fingerprint text primary key, hostname text, version text, state text,
  cpu_pct float8, mem_pct float8, disk_pct float8, disk_total_gb float8, seq bigint not null default 1,
  last_heartbeat timestamptz not null)`
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')
/** Routes that are registered before the measured one: as many as a product of this size has. */
const OTHER_ROUTES = 60

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Serves heartbeats with Koa, its router and body parser, a schema, the ORM's upsert and a signature, each
 * used as its manual shows.
 */
export const start: StartPart<StockOptions> = async ({ databaseUrl }) => {
  const orm = await MikroORM.init({
    entities: [Host],
    clientUrl: databaseUrl,
    pool: { min: 0, max: 10 },
    debug: false,
  })
  await orm.em.getConnection().execute(CREATE)
  const pkcs8 = Buffer.concat([PKCS8_HEAD, Buffer.alloc(32, 9)])
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  const router = new Router()
  for (let route = 0; route < OTHER_ROUTES; route += 1) {
    router.all(`/v1/other-${route}/:id`, (ctx) => {
      ctx.body = {}
    })
  }
  router.post('/v1/telemetry/heartbeat', async (ctx) => {
    const { body } = ctx.request as { body?: unknown }
    assert(body, Beat)
    const { fingerprint, hostname = '', version = '', state = '' } = body
    const facts = { cpuPct: body.cpu_pct ?? 0, memPct: body.mem_pct ?? 0, diskPct: body.disk_pct ?? 0 }
    const lastHeartbeat = new Date()
    const host = { fingerprint, hostname, version, state, ...facts, diskTotalGb: body.disk_total_gb ?? 0 }
    const kept = await orm.em.fork().upsert(Host, { ...host, lastHeartbeat })
    const claims = {
      iss: 'bench',
      fp: fingerprint,
      iat: Math.floor(Date.now() / 1000),
      seq: kept.seq,
      next: 60,
    }
    const signed = `${base64url({ alg: 'EdDSA', typ: 'svc-rfr+jwt' })}.${base64url(claims)}`
    const refresh = `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
    ctx.body = { ack: true, next_interval: 60, refresh }
  })
  const app = new Koa().use(koaBody()).use(router.routes())
  const server = app.listen(0, '127.0.0.1')
  server.keepAliveTimeout = 65_000
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await orm.close(true)
    },
  }
}
