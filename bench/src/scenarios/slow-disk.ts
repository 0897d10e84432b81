import type { Scenario, Variant } from '../scenario.ts'
import { HEARTBEAT_WAYS, heartbeats } from './heartbeat-store-parts.ts'

const WORKERS = 64

const onSlowDisk = (variant: Variant): Variant => ({
  name: variant.name,
  start: async (bench) => {
    await bench.slowDisk()
    return variant.start(bench)
  },
})

/** A synchronous write of a millisecond, as disks of clouds have it. */
export const slowDisk: Scenario = {
  name: 'slow-disk',
  question: 'A heartbeat in process, 64 at once, where each fsync takes a millisecond',
  variants: [onSlowDisk(heartbeats('single', WORKERS)), onSlowDisk(heartbeats('svc', WORKERS))],
  baseline: HEARTBEAT_WAYS.single,
  gates: [
    {
      goal: 'slow-disk',
      figure: 'perSecond',
      of: HEARTBEAT_WAYS.svc,
      over: HEARTBEAT_WAYS.single,
      atLeast: 4.5,
    },
  ],
}
