import type { Environment } from '@svc/core'
import { testPlane } from '@svc/testing'
import { describeEffects, outcomeOf } from '../../platform/config/setting-effect.ts'
import { WebhookScene } from './webhook-scene.ts'

type Env = Readonly<Record<string, string>>
const failing = (env: Environment) =>
  WebhookScene.open((_request, response) => response.writeHead(500).end(), { env: env as Env })

/** Fails as often as asked; returns the breaker's state, and whether it waits for more than five minutes. */
async function breakerAfter(
  env: Environment,
  { failures, probes = 0 }: { failures: number; probes?: number },
) {
  await using scene = await failing(env)
  const { id } = await scene.add()
  for (let made = 0; made < failures + probes; made += 1) await scene.event()
  await scene.run('run', { limit: failures })
  for (let probe = 0; probe < probes; probe += 1) {
    scene.test.clock.advance({ hours: 2 })
    await scene.run('run', { limit: 1 })
  }
  const { state, retry_at = 0 } = (await scene.show(id)).endpoint.breaker
  return { state, isLong: retry_at - scene.test.clock.now().getTime() / 1000 > 300 }
}

/** Returns how many requests were at the receiver at the same time at most, over four endpoints. */
async function mostAtOnce(env: Environment): Promise<number> {
  let now = 0
  let most = 0
  await using scene = await WebhookScene.open(
    (_request, response) => {
      now += 1
      most = Math.max(most, now)
      setTimeout(() => {
        now -= 1
        response.writeHead(200).end()
      }, 50)
    },
    { env: env as Env },
  )
  for (const path of ['/a', '/b', '/c', '/d']) await scene.add({}, path)
  await scene.event()
  await scene.run('run')
  return most
}

/** Returns how many messages a run takes up while the receiver needs 20 ms for each. */
async function takenInOneRun(env: Environment): Promise<number> {
  const slow = { WEBHOOK_CONCURRENCY: '1', ...(env as Env) }
  await using scene = await WebhookScene.open(
    (_request, response) => void setTimeout(() => response.writeHead(200).end(), 20),
    { env: slow },
  )
  await scene.add()
  for (let made = 0; made < 4; made += 1) await scene.event()
  const { claimed } = await scene.run<{ claimed: number }>('run')
  return claimed
}

/** Returns the states of a message that waited for two hours. */
async function afterTwoHours(env: Environment): Promise<readonly string[]> {
  await using scene = await failing(env)
  const { id } = await scene.add()
  await scene.test.plane.webhookDeliveries.drain()
  await scene.event()
  scene.test.clock.advance({ hours: 2 })
  await scene.test.plane.webhookDeliveries.drain()
  return (await scene.show(id)).deliveries.map(({ state }) => state)
}

/** Returns how many ended deliveries are left after four days. */
async function leftAfterFourDays(env: Environment): Promise<number> {
  await using scene = await WebhookScene.open(undefined, { env: env as Env })
  const { id } = await scene.add()
  await scene.event()
  await scene.run('run')
  scene.test.clock.advance({ hours: 96 })
  await scene.test.plane.webhookDeliveries.purge()
  return (await scene.show(id)).deliveries.length
}

/** Returns the state of a delivery whose receiver answers after 1.2 seconds. */
async function slowAnswer(env: Environment): Promise<string | undefined> {
  await using scene = await WebhookScene.open(
    (_request, response) => void setTimeout(() => response.writeHead(200).end(), 1200),
    { env: env as Env },
  )
  const { id } = await scene.add()
  await scene.event()
  await scene.run('run')
  return (await scene.show(id)).deliveries[0]?.last_error
}

/** Says whether an address without TLS is taken where no private network is named. */
async function plainAddress(env: Environment): Promise<string> {
  await using faked = testPlane({ env })
  const { id } = await faked.license()
  const url = 'http://hooks.example/hook'
  return await outcomeOf(faked.plane.operations.runLicensed(id, 'webhooks.add', { url }))
}

/** Returns the outcome for a second endpoint. */
async function secondEndpoint(env: Environment): Promise<string> {
  await using scene = await WebhookScene.open(undefined, { env: env as Env })
  await scene.add({}, '/a')
  return await outcomeOf(scene.add({}, '/b'))
}

describeEffects('settings of webhooks', [
  { name: 'WEBHOOK_ALLOW_HTTP', value: 'true', seen: plainAddress, unset: 'invalid-input', set: 'done' },
  {
    name: 'WEBHOOK_BREAKER_FAILURES',
    value: '2',
    seen: async (env) => (await breakerAfter(env, { failures: 3 })).state,
    unset: 'closed',
    set: 'open',
  },
  {
    name: 'WEBHOOK_BREAKER_COOLDOWN',
    value: '1200',
    seen: (env) => breakerAfter(env, { failures: 5 }),
    unset: { state: 'open', isLong: false },
    set: { state: 'open', isLong: true },
  },
  {
    name: 'WEBHOOK_BREAKER_COOLDOWN_MAX',
    value: '120',
    seen: (env) => breakerAfter(env, { failures: 5, probes: 3 }),
    unset: { state: 'open', isLong: true },
    set: { state: 'open', isLong: false },
  },
  { name: 'WEBHOOK_CONCURRENCY', value: '1', seen: mostAtOnce, unset: 4, set: 1 },
  { name: 'WEBHOOK_MAX_AGE_HOURS', value: '1', seen: afterTwoHours, unset: ['pending'], set: ['expired'] },
  { name: 'WEBHOOK_MAX_ENDPOINTS', value: '1', seen: secondEndpoint, unset: 'done', set: 'conflict' },
  { name: 'WEBHOOK_RETENTION_DAYS', value: '1', seen: leftAfterFourDays, unset: 1, set: 0 },
  { name: 'WEBHOOK_TIMEOUT_MS', value: '1000', seen: slowAnswer, unset: undefined, set: 'timeout' },
  { name: 'WEBHOOK_RUN_BUDGET_MS', value: '1', seen: takenInOneRun, unset: 4, set: 1 },
])
