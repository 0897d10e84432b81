import type { AppRelease } from '@svc/core/adapters'
import type { Slot } from './slot.ts'

/** A start of slots, each after those that have to come before. */
export interface OrderedStart {
  readonly release: AppRelease
  readonly slots: readonly Slot[]
  /** Starts an instance, and returns its fault. */
  readonly begin: (slot: Slot) => Promise<string | undefined>
  /** Runs a service that comes to an end, and returns its fault. */
  readonly complete: (process: string) => Promise<string | undefined>
}

/** Starts slots. Services that are not among them run already. Returns the fault of each. */
export function startInOrder({
  release,
  slots,
  begin,
  complete,
}: OrderedStart): Promise<(string | undefined)[]> {
  const started = new Map<string, Promise<readonly (string | undefined)[]>>()
  const before = async (process: string): Promise<string | undefined> => {
    const names = Object.keys(release.containers?.[process]?.service?.after ?? {})
    const faults = (await Promise.all(names.map(ready))).flat()
    return faults.find((fault) => fault !== undefined)
  }
  const ready = (process: string): Promise<readonly (string | undefined)[]> => {
    const known = started.get(process)
    if (known !== undefined) return known
    const mine = slots.filter(({ parts }) => parts.process === process)
    const isOnce = release.containers?.[process]?.service?.once === true
    const work = async () => {
      if (!isOnce && mine.length === 0) return []
      const fault = await before(process)
      if (fault !== undefined) return [fault]
      return isOnce ? [await complete(process)] : Promise.all(mine.map(begin))
    }
    const result = work()
    started.set(process, result)
    return result
  }
  const all = [...new Set(slots.map(({ parts }) => parts.process))]
  return Promise.all(all.map(ready)).then((faults) => faults.flat())
}
