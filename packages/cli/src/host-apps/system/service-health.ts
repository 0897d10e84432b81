import { setTimeout as pause } from 'node:timers/promises'
import type { AppService } from '@svc/core/adapters'
import type { Examined } from '../health.ts'
import type { AppUser } from './app-user.ts'
import { PODMAN } from './container-text.ts'
import type { UnitSlot } from './unit-slot.ts'
import { quoted } from './unit-text.ts'
import { workAsUser } from './user-unit.ts'

/** The health check of a service. */
export type Check = NonNullable<AppService['check']>

const BETWEEN_MS = 1_000
const MIN_MS = 5_000
const MAX_MS = 600_000

/** Asks a service in its container. Returns its fault; undefined when it is well. */
export async function askService(
  user: AppUser,
  container: string,
  check: Check,
): Promise<string | undefined> {
  const { test, timeout_s: seconds } = check
  const script = `exec ${PODMAN} exec ${container} ${test.map(quoted).join(' ')} </dev/null 2>&1`
  const { code, out } = await workAsUser({ user, script, seconds })
  if (code === 0) return undefined
  const last = out.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
  return `its health check ended with ${code}${last === '' ? '' : `: ${last}`}`
}

/** Waits until a service is well, for as long as its check allows. Returns the reason why it is not. */
export async function becomesWell(
  instance: Pick<Examined, 'isRunning' | 'ended'>,
  ask: () => Promise<string | undefined>,
  { start_s: start, interval_s: interval, retries, timeout_s: timeout }: Check,
  signal: AbortSignal,
): Promise<string | undefined> {
  const ms = Math.min(MAX_MS, Math.max(MIN_MS, (start + retries * interval + timeout) * 1000))
  const until = performance.now() + ms
  let fault: string | undefined = 'it was not asked'
  while (performance.now() < until && instance.isRunning && !signal.aborted) {
    fault = await ask()
    if (fault === undefined) break
    await pause(Math.min(BETWEEN_MS, interval * 1000))
  }
  if (!instance.isRunning) return `it ended with ${await instance.ended}`
  if (signal.aborted) return 'the deploy was called off'
  return fault
}

/** The health checks of services that run, each at its own times. */
export class ServiceChecks {
  readonly #asked = new WeakMap<UnitSlot, { at: number; failed: number; isGoing: boolean }>()

  /** Begins the checks whose time has come. Nobody waits for their ends. */
  tick(slots: Iterable<UnitSlot>): void {
    for (const slot of slots) {
      const check = slot.parts.container?.service?.check
      if (check !== undefined) void this.#ask(slot, check)
    }
  }

  async #ask(slot: UnitSlot, check: Check): Promise<void> {
    const state = this.#asked.get(slot) ?? { at: performance.now(), failed: 0, isGoing: false }
    this.#asked.set(slot, state)
    if (state.isGoing || performance.now() - state.at < check.interval_s * 1000) return
    state.isGoing = true
    try {
      const fault = await slot.ask(check)
      state.failed = fault === undefined ? 0 : state.failed + 1
      if (state.failed === check.retries) slot.say(`[svc] ${fault}`)
      if (state.failed === 0 || state.failed >= check.retries) slot.judge(state.failed === 0)
    } catch {
      // systemd did not begin it: that says nothing about the service.
    } finally {
      state.at = performance.now()
      state.isGoing = false
    }
  }
}
