import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { newDataKey } from '@svc/core'
import { migratedDatabase, type TestDatabase } from '@svc/testing'
import pg from 'pg'
import { type FarSide, farSide } from '../../../../test/support/far-side.ts'
import { jsonHere } from '../support/svc-here.ts'
import { SvcProcess } from '../support/svc-process.ts'

const POSTGRES = process.env.SVC_TEST_POSTGRES ?? ''
const PATIENCE_MS = 120_000
const PENDING = 500
/** Requests after which the service is killed, in the middle of those that it has not answered yet. */
const KILLED_AFTER = 150

const FILL = `with said as (insert into webhook_messages (id, license_id, type, body, occurred_at)
    select 'msg_' || n, $1, 'job.succeeded', '{}', now() from generate_series(1, ${PENDING}) n returning id)
  insert into deliveries (id, kind, recipient, payload, state, created_at, due_at, expires_at)
    select 'dlv' || substr(id, 4), 'endpoint', $2, id, 'due', now(), now(), now() + interval '1 day' from said`

let cwd: string
let database: TestDatabase
let client: pg.Client
let receiver: FarSide
let killing: (() => void) | undefined

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  database = await migratedDatabase(POSTGRES)
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  receiver = await farSide((_request, response) => {
    if (receiver.seen.length === KILLED_AFTER) killing?.()
    response.writeHead(204).end()
  })
})
afterEach(async () => {
  await receiver[Symbol.asyncDispose]()
  await client.end()
  await database[Symbol.asyncDispose]()
  await rm(cwd, { recursive: true, force: true })
})

const arrivals = () => receiver.seen.map(({ headers }) => String(headers['webhook-id']))
const sent = async () =>
  (await client.query<{ payload: string }>(`select payload from deliveries where state = 'sent'`)).rows.map(
    ({ payload }) => payload,
  )

test(
  'Of 500 messages that wait when the service is killed each arrives, and none again whose success was saved',
  async () => {
    const env = {
      DATABASE_URL: database.url,
      SERVICE_DATA_KEYS: newDataKey('k1'),
      SERVICE_OUTBOUND_ALLOW: '127.0.0.1/32',
    }
    const parts = { cwd, env }
    const { license } = await jsonHere<{ license: { id: string } }>(
      ['licenses', 'issue', '--label', 'a'],
      parts,
    )
    const url = `http://127.0.0.1:${receiver.port}/`
    const add = ['webhooks', 'endpoints', 'add', url, '--license', license.id]
    const { endpoint } = await jsonHere<{ endpoint: { id: string } }>(add, parts)
    await client.query(FILL, [license.id, endpoint.id])

    const first = new SvcProcess(['serve', '--port', '0'], parts)
    killing = () => first.kill('SIGKILL')
    await first.end()
    killing = undefined
    const saved = await sent()
    const before = arrivals()
    expect(saved.length).toBeGreaterThan(0)
    // The receiver has had more messages than were saved: these come again.
    expect(before.length).toBeGreaterThan(saved.length)
    // The leases of the dead process, which last a minute, end now.
    await client.query(`update deliveries set lease_until = now() where lease_until is not null`)

    await using second = new SvcProcess(['serve', '--port', '0'], parts)
    await second.serving()
    while ((await sent()).length < PENDING) await pause(100)
    const after = arrivals().slice(before.length)
    expect(new Set(arrivals()).size).toBe(PENDING)
    expect(after.filter((id) => saved.includes(id))).toEqual([])
    expect(after).toHaveLength(PENDING - saved.length)
  },
  PATIENCE_MS,
)
