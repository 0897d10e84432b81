import { expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import type { OrderChange, OrderState } from '@svc/core/ports'
import { buildOrder } from '@svc/testing'
import { provisioningConditions } from '../../../../src/watch/alerts/rules/alert-rules-provisioning.ts'
import { FleetScene } from '../fleet-scene.ts'

/** Adds an order that nothing moves any more. */
async function ended(scene: FleetScene, to: OrderState, change: OrderChange): Promise<void> {
  const { storage, clock } = scene.test
  const { id } = await storage.provisioning.add(buildOrder({ licenseId: scene.licenseId }), clock.now())
  const move = { id, token: undefined, from: 'requested', to, step: 'step', outcome: 'failed' } as const
  await storage.provisioning.move({ ...move, delaySeconds: undefined, releases: false, change }, clock.now())
}

const firing = (scene: FleetScene) => scene.told().filter((each) => each === 'firing server_kept').length

it('a server that is kept is told each day', async () => {
  await using scene = await FleetScene.open()
  await ended(scene, 'failed_kept', { errorCode: 'agent_timeout', serverId: '4711' })
  for (let tick = 0; tick < 5; tick += 1) await scene.tick()
  expect([await scene.open(), firing(scene)]).toEqual([['server_kept'], 1])
  for (const day of [2, 3]) {
    scene.test.clock.advance({ hours: 23, minutes: 50 })
    await scene.tick()
    expect(firing(scene)).toBe(day - 1)
    scene.test.clock.advance({ minutes: 10 })
    for (let tick = 0; tick < 3; tick += 1) await scene.tick()
    expect(firing(scene)).toBe(day)
  }
  expect((await scene.open()).filter((kind) => kind === 'server_kept')).toHaveLength(1)
})

it('a server that is kept is told on the next day although a person has resolved its alert', async () => {
  await using scene = await FleetScene.open()
  await ended(scene, 'failed_kept', { errorCode: 'agent_timeout', serverId: '4711' })
  for (let tick = 0; tick < 2; tick += 1) await scene.tick()
  const { alerts } = await scene.test.plane.alerts.list(PLATFORM, {})
  await scene.test.plane.alerts.act(PLATFORM, { action: 'resolve', id: alerts[0]?.id, actor: 'ann' })
  for (let tick = 0; tick < 5; tick += 1) await scene.tick()
  expect([await scene.open(), firing(scene)]).toEqual([[], 1])
  scene.test.clock.advance({ days: 1 })
  for (let tick = 0; tick < 2; tick += 1) await scene.tick()
  expect([await scene.open(), firing(scene)]).toEqual([expect.arrayContaining(['server_kept']), 2])
})

it('an order that never had a server keeps none, and one that may have one does', async () => {
  await using scene = await FleetScene.open()
  const { storage, clock } = scene.test
  await ended(scene, 'failed', { errorCode: 'price_changed' })
  const conditions = async () => {
    const orders = await storage.provisioning.list({ limit: 10 })
    return provisioningConditions({ orders, credentials: [] }, clock.now()).map(({ kind }) => kind)
  }
  expect(await conditions()).toEqual([])
  await ended(scene, 'failed', { errorCode: 'action_failed', serverId: '4711' })
  expect(await conditions()).toEqual(['server_kept'])
})
