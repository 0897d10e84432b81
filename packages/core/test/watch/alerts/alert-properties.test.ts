import { describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { ALERT_ACTIONS } from '@svc/core/adapters'
import fc from 'fast-check'
import { TRIES_ALL } from '../../../../../test/support/sample.ts'
import { FleetScene } from './fleet-scene.ts'
import { ScriptedReceiver } from './scripted-receiver.ts'

const HOSTS = ['one', 'two']

/** Events between two ticks, and the tick itself. */
const event = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ what: fc.constant('tick' as const), replicas: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('beat' as const),
      host: fc.constantFrom(...HOSTS),
      diskPct: fc.constantFrom(10, 95),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('act' as const),
      action: fc.constantFrom(...ALERT_ACTIONS),
      pick: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('receiver' as const), isUp: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('wait' as const), minutes: fc.constantFrom(3, 12, 40) }),
  },
)
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never

class Run {
  readonly scene: FleetScene
  readonly receiver: ScriptedReceiver

  constructor(scene: FleetScene, receiver: ScriptedReceiver) {
    this.scene = scene
    this.receiver = receiver
  }

  async play(each: Event): Promise<void> {
    const { plane, clock } = this.scene.test
    if (each.what === 'beat') await this.scene.beat({ fingerprint: each.host, diskPct: each.diskPct })
    if (each.what === 'wait') clock.advance({ minutes: each.minutes })
    if (each.what === 'receiver') this.receiver.isUp = each.isUp
    if (each.what === 'tick') {
      clock.advance({ minutes: 1 })
      const replicas = Array.from({ length: each.replicas }, () => plane.scheduler.tick())
      await Promise.all(replicas)
    }
    if (each.what !== 'act') return
    const { alerts } = await plane.alerts.list(PLATFORM, {})
    const alert = alerts[each.pick % Math.max(1, alerts.length)]
    if (alert === undefined) return
    await plane.alerts.act(PLATFORM, { id: alert.id, action: each.action, actor: 'ann' })
  }

  async check(): Promise<void> {
    const { alerts } = await this.scene.test.plane.alerts.list(PLATFORM, { limit: 500 })
    const open = alerts.filter(({ resolvedAt }) => resolvedAt === undefined)
    const keys = open.map(({ licenseId, dedupKey }) => `${licenseId} ${dedupKey}`)
    expect(new Set(keys).size).toBe(keys.length)
    this.checkAnnouncements(this.receiver.taken)
    const lines = this.scene.test.log.lines.filter(({ message }) => message === 'alerts')
    const logged = lines.flatMap(({ fields }) => fields.alerts as { transition: string; id: string }[])
    let balance = new Map<string, number>()
    for (const { transition, id } of logged) {
      const before = balance.get(id) ?? 0
      if (transition === 'resolved') expect(before).toBeGreaterThan(0)
      balance = balance.set(id, transition === 'resolved' ? 0 : before + 1)
    }
  }

  /** Expects each transition of an opening once, and its end only after its beginning. */
  checkAnnouncements(taken: ScriptedReceiver['taken']): void {
    const seen = new Set<string>()
    for (const { transition, alert } of taken) {
      const opening = `${alert.id} ${alert.count}`
      expect(seen).not.toContain(`${opening} ${transition}`)
      if (transition === 'resolved') {
        expect(seen.has(`${opening} firing`) || seen.has(`${opening} flapping`)).toBe(true)
      }
      seen.add(`${opening} ${transition}`)
    }
  }
}

describe('whatever happens', () => {
  it('no key has two unresolved alerts, nothing is announced twice, and no end without its beginning', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 10, maxLength: 60, size: 'max' }), async (events) => {
        const receiver = new ScriptedReceiver()
        await using scene = await FleetScene.open({ parts: { outbound: receiver } }, 'acme')
        const set = { url: 'https://hooks.example/', tenant: 'acme' }
        await scene.test.plane.operations.run('alerts.webhook-set', set, 'ann')
        const run = new Run(scene, receiver)
        for (const each of events) await run.play(each)
        await run.check()
      }),
      { numRuns: TRIES_ALL ? 400 : 40 },
    )
  })
})
