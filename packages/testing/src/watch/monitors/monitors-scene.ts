import { PLATFORM, type Storage } from '@svc/core'
import type { Judgement, Monitor, MonitorsStore, NewMonitor } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { buildMonitor } from './build-monitor.ts'

/** The lease under which tests take monitors. */
export const LEASE_SECONDS = 60

/** Returns a judgement that the answer is as expected. */
export function fine(monitor: Monitor, change: Partial<Judgement['after']> = {}): Judgement {
  const answer = monitor.expected ?? ['192.0.2.1']
  return {
    outcome: 'ok',
    observation: { answer },
    changed: false,
    transitions: [],
    after: {
      expected: answer,
      confirmed: answer,
      pending: undefined,
      drifted: false,
      errorStreak: 0,
      error: undefined,
      unreachable: false,
      ...change,
    },
  }
}

/** Returns a judgement that no answer came. */
export const silent = (monitor: Monitor): Judgement => ({
  ...fine(monitor, { error: 'timeout', errorStreak: monitor.errorStreak + 1, confirmed: monitor.confirmed }),
  outcome: 'error',
  observation: { error: 'timeout' },
})

/** Monitors that a test takes and settles, with a clock of their own. */
export class MonitorsScene {
  readonly clock = new FakeClock()
  readonly #storage: () => Storage

  constructor(storage: () => Storage) {
    this.#storage = storage
  }

  get storage(): Storage {
    return this.#storage()
  }

  get monitors(): MonitorsStore {
    return this.storage.monitors
  }

  async added(fields: Partial<NewMonitor> = {}): Promise<Monitor> {
    const monitor = await this.monitors.add(buildMonitor(fields), this.clock.now())
    if (monitor === undefined) throw new Error('the name is taken')
    return monitor
  }

  async find(id: string): Promise<Monitor | undefined> {
    return (await this.monitors.find(PLATFORM, id))[0]
  }

  /** Removes every monitor, so that only monitors that a test adds are due. */
  async clear(): Promise<void> {
    for (const { id } of await this.monitors.list(PLATFORM, {})) await this.monitors.remove(id)
  }

  async take(limit = 1000): Promise<{ token: string; taken: readonly Monitor[] }> {
    const token = buildId('mrn')
    const request = { token, leaseSeconds: LEASE_SECONDS, limit }
    return { token, taken: await this.monitors.takeDue(request, this.clock.now()) }
  }

  async takeOne(id: string): Promise<{ token: string; monitor: Monitor | undefined }> {
    const token = buildId('mrn')
    const request = { token, leaseSeconds: LEASE_SECONDS, limit: 1, id }
    return { token, monitor: (await this.monitors.takeDue(request, this.clock.now()))[0] }
  }

  settle(
    monitor: Monitor | undefined,
    token: string,
    judgement?: Judgement,
    delaySeconds = 300,
  ): Promise<Monitor | undefined> {
    if (monitor === undefined) throw new Error('the monitor was not to be had')
    const settlement = { id: monitor.id, token, judgement: judgement ?? fine(monitor), delaySeconds }
    return this.monitors.settle(settlement, this.clock.now())
  }

  /** Takes a monitor and settles it at once. */
  async finish(id: string, judge: (monitor: Monitor) => Judgement = fine): Promise<Monitor | undefined> {
    const { token, monitor } = await this.takeOne(id)
    return this.settle(monitor, token, monitor && judge(monitor))
  }
}
