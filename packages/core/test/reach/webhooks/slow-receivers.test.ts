// Receivers that take their time: the record of an attempt, the waiting for it, and its remains.
import type { RequestListener } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { whatIsLeft } from '@svc/testing'
import { counted } from '../../../../../test/support/counted.ts'
import { type SlowWay, type SlowWayOptions, slowWay } from '../../../../../test/support/slow-way.ts'
import { WebhookScene } from './webhook-scene.ts'

interface Attempt {
  readonly n: number
  readonly status: number
  readonly duration_ms: number
  readonly error: string
  readonly response: string
}

const TIMEOUT = { WEBHOOK_TIMEOUT_MS: '1800' }
const drips: RequestListener = (_request, response) => {
  response.writeHead(200).flushHeaders()
  const rest = [...'byte by byte']
  const timer = setInterval(() => {
    const next = rest.shift()
    if (next === undefined) response.end()
    else response.write(next)
  }, 30)
  response.once('close', () => clearInterval(timer))
}
const answersAfter =
  (ms: number, status = 200): RequestListener =>
  (_request, response) => {
    const timer = setTimeout(() => response.writeHead(status).end('hello'), ms)
    response.once('close', () => clearTimeout(timer))
  }

/** An endpoint behind a slow way. */
async function slowly(
  handle: RequestListener,
  options: SlowWayOptions = {},
  env: Readonly<Record<string, string>> = {},
) {
  await using opened = new AsyncDisposableStack()
  const scene = opened.use(await WebhookScene.open(handle, { env }))
  const way = opened.use(await slowWay(scene.far.port, options))
  const url = `http://hooks.example:${way.port}/hook`
  const { endpoint } = await scene.run<{ endpoint: { id: string } }>('add', { url })
  const rest = opened.move()
  return { scene, way, id: endpoint.id, [Symbol.asyncDispose]: () => rest.disposeAsync() }
}

/** The first delivery of an endpoint, and its attempts. */
async function seen(scene: WebhookScene, endpoint: string) {
  const [delivery] = (await scene.show(endpoint)).deliveries
  const { attempts } = await scene.run<{ attempts: Attempt[] }>('show', { endpoint, delivery: delivery?.id })
  return { delivery, attempts }
}

/** The connection is closed, and no row says that something is under way. */
async function expectNothingLeft(scene: WebhookScene, way: SlowWay) {
  while (way.counts.open > 0) await pause(5)
  expect(await whatIsLeft(scene.test)).toEqual([])
}

test.concurrent.each<[string, RequestListener, SlowWayOptions, number, string]>([
  ['answers after 300 ms', answersAfter(300), {}, 300, 'hello'],
  ['is 300 ms away in each direction', answersAfter(0), { askMs: 300, answerMs: 300 }, 600, 'hello'],
  ['sends its head at once and its body byte by byte', drips, {}, 360, 'byte by byte'],
  [
    'reads the request slowly',
    answersAfter(0),
    { askSips: { bytes: 64, pauseMs: 25 } },
    // A head of some hundred bytes, and the message.
    200,
    'hello',
  ],
])(
  'A receiver that %s has its message once, and its time is noted',
  async (_what, handle, options, leastMs, response) => {
    await using at = await slowly(handle, options)
    await at.scene.event()
    expect(await at.scene.run('run')).toMatchObject({ claimed: 1, delivered: 1, held: 0, remaining: 0 })
    const { delivery, attempts } = await seen(at.scene, at.id)
    expect(delivery).toMatchObject({ state: 'delivered', attempt: 1, last_status: 200 })
    expect(attempts).toMatchObject([{ n: 1, status: 200, response }])
    const [{ duration_ms: durationMs } = { duration_ms: 0 }] = attempts
    expect(durationMs).toBeGreaterThan(leastMs - 20)
    expect(durationMs).toBeLessThan(10_000)
    expect(at.scene.far.seen).toHaveLength(1)
    const { endpoint } = await at.scene.show(at.id)
    expect(endpoint.breaker).toMatchObject({ state: 'closed', consecutive_failures: 0 })
    expect(await counted(at.scene.test.plane, 'svc_webhook_deliveries_total')).toEqual({
      '{outcome="sent"}': 1,
    })
    await expectNothingLeft(at.scene, at.way)
  },
)

test('A receiver that is slower than it may be is tried again after its rest, and holds nobody back', async () => {
  const quickAt: number[] = []
  let beganMs = 0
  const handle: RequestListener = (request, response) => {
    if (request.url === '/hook') return answersAfter(8000)(request, response)
    quickAt.push(performance.now() - beganMs)
    response.end('hello')
  }
  await using at = await slowly(handle, {}, TIMEOUT)
  const { scene } = at
  const quick = await scene.add({}, '/quick')
  for (let made = 0; made < 3; made += 1) await scene.event()
  beganMs = performance.now()
  expect(await scene.run('run')).toMatchObject({ claimed: 6, delivered: 3, retried: 3 })
  expect(quickAt).toHaveLength(3)
  // Less than the slow one may take: nobody has waited for it.
  expect(Math.max(...quickAt)).toBeLessThan(1700)
  const { delivery, attempts } = await seen(scene, at.id)
  expect(delivery).toMatchObject({ state: 'pending', attempt: 1, last_error: 'timeout' })
  expect(attempts).toMatchObject([{ n: 1, error: 'timeout' }])
  expect(attempts[0]?.duration_ms).toBeGreaterThan(1780)
  expect(attempts[0]?.duration_ms).toBeLessThan(7000)
  const breakers = [await scene.show(at.id), await scene.show(quick.id)].map(
    ({ endpoint }) => endpoint.breaker,
  )
  expect(breakers).toMatchObject([
    { state: 'closed', consecutive_failures: 3 },
    { state: 'closed', consecutive_failures: 0 },
  ])
  expect(await counted(scene.test.plane, 'svc_webhook_deliveries_total')).toEqual({
    '{outcome="retried"}': 3,
    '{outcome="sent"}': 3,
  })
  await expectNothingLeft(scene, at.way)
  // A minute of rest, and not the five seconds of the schedule.
  scene.test.clock.advance({ seconds: 50 })
  expect(await scene.run('run')).toMatchObject({ claimed: 0 })
})

test('While a late answer decides whether a receiver is well, nobody else is sent, and then all are', async () => {
  let status = 500
  const told = Promise.withResolvers<void>()
  const env = { WEBHOOK_BREAKER_FAILURES: '2' }
  const handle: RequestListener = async (_request, response) => {
    if (status === 200) await told.promise
    response.writeHead(status).end('hello')
  }
  await using at = await slowly(handle, { answerMs: 300 }, env)
  const { scene } = at
  for (let made = 0; made < 4; made += 1) await scene.event()
  await scene.run('run', { limit: 2 })
  expect((await scene.show(at.id)).endpoint.breaker).toMatchObject({ state: 'open', consecutive_failures: 2 })
  await expectNothingLeft(scene, at.way)
  scene.test.clock.advance({ seconds: 80 })
  status = 200
  const probe = scene.run('run', { limit: 1 })
  while (scene.far.seen.length < 3) await pause(5)
  expect((await scene.show(at.id)).endpoint.breaker.state).toBe('half_open')
  expect(await scene.run('run')).toMatchObject({ claimed: 0, held: 3 })
  told.resolve()
  expect(await probe).toMatchObject({ delivered: 1 })
  expect((await scene.show(at.id)).endpoint.breaker).toMatchObject({
    state: 'closed',
    consecutive_failures: 0,
  })
  expect(await scene.run('run')).toMatchObject({ delivered: 3, held: 0, remaining: 0 })
  await expectNothingLeft(scene, at.way)
})

test('A service that ends while a receiver takes its time gives the message back, uncounted', async () => {
  await using at = await slowly(answersAfter(600))
  const { scene } = at
  await scene.event()
  const ending = new AbortController()
  const run = scene.test.plane.webhookDeliveries.drain(ending.signal)
  while (scene.far.seen.length < 1) await pause(5)
  expect(await whatIsLeft(scene.test)).toHaveLength(2)
  ending.abort()
  await run
  const { delivery } = await seen(scene, at.id)
  expect(delivery).toMatchObject({ state: 'pending', attempt: 0 })
  expect((await scene.show(at.id)).endpoint.breaker).toMatchObject({ consecutive_failures: 0 })
  await expectNothingLeft(scene, at.way)
  expect(await scene.run('run')).toMatchObject({ delivered: 1 })
  await expectNothingLeft(scene, at.way)
})
