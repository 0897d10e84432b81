import { describe, expect, it } from '@jest/globals'
import type { Environment } from '@svc/core'
import type { AlertKind, HeartbeatWrite } from '@svc/core/ports'
import { FleetScene } from '../fleet-scene.ts'

const HOUR = 3600

interface Bound {
  readonly kind: AlertKind
  readonly env: Environment
  /** A report that reaches the threshold of `env`, but not the default one. */
  readonly reached: (now: number) => Partial<HeartbeatWrite>
  /** A report just below the threshold of `env`. */
  readonly below: (now: number) => Partial<HeartbeatWrite>
}

const BOUNDS: readonly Bound[] = [
  {
    kind: 'disk_high',
    env: { SERVICE_ALERT_DISK_PERCENT: '60' },
    reached: () => ({ diskPct: 60 }),
    below: () => ({ diskPct: 59 }),
  },
  {
    kind: 'mem_high',
    env: { SERVICE_ALERT_MEMORY_PERCENT: '70' },
    reached: () => ({ memPct: 70 }),
    below: () => ({ memPct: 69 }),
  },
  {
    kind: 'cpu_high',
    env: { SERVICE_ALERT_CPU_PERCENT: '50', SERVICE_ALERT_CPU_MINUTES: '0' },
    reached: () => ({ cpuPct: 50 }),
    below: () => ({ cpuPct: 49 }),
  },
  {
    kind: 'backup_stale',
    env: { SERVICE_ALERT_BACKUP_HOURS: '2' },
    reached: (now) => ({ lastCaptureAt: now - 2 * HOUR }),
    below: (now) => ({ lastCaptureAt: now - 1.5 * HOUR }),
  },
  {
    kind: 'drill_stale',
    env: { SERVICE_ALERT_DRILL_DAYS: '2' },
    reached: (now) => ({ lastDrillAt: now - 48 * HOUR }),
    below: (now) => ({ lastDrillAt: now - 47 * HOUR }),
  },
]

/** Returns the kinds of alerts that are open after a host has sent this report for several ticks. */
async function openedBy(said: (now: number) => Partial<HeartbeatWrite>, env: Environment = {}) {
  await using scene = await FleetScene.open({ env })
  const fields = said(scene.test.clock.now().getTime() / 1000)
  for (let tick = 0; tick < 3; tick += 1) {
    await scene.beat(fields)
    await scene.tick()
  }
  return scene.open()
}

describe('the bounds of alerts are settings', () => {
  it.each(BOUNDS)('$kind opens at the bound that is set, and not below it', async (bound) => {
    expect(await openedBy(bound.reached, bound.env)).toEqual([bound.kind])
    expect(await openedBy(bound.below, bound.env)).toEqual([])
  })

  it.each(BOUNDS)('$kind does not open there while nothing is set', async ({ reached }) => {
    expect(await openedBy(reached)).toEqual([])
  })

  it('a host that never made a backup or a drill has none that is too old', async () => {
    expect(await openedBy(() => ({ lastCaptureAt: 0, lastDrillAt: 0 }))).toEqual([])
  })
})
