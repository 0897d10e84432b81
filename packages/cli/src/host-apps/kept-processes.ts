import type { AppRelease } from '@svc/core/adapters'
import type { Generation } from './generation.ts'

/** Everything that tells two releases of a service apart. */
function wordsOf({ processes, containers, links }: AppRelease, process: string): string {
  const { service, ...container } = containers?.[process] ?? {}
  if (service === undefined) return ''
  const { after: _, source: _source, names: _names, ...own } = service
  return JSON.stringify(sorted([processes?.[process], container, own, own.wants && links]))
}

/** The same values in one order of their names, which a record on disk may have changed. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, sorted(each)]),
  )
}

/**
 * Returns a release with the services that are left running: their image, command, variables, volumes and
 * limits are the same as in the live one, and all their instances are up.
 */
export function withKept(live: Generation | undefined, release: AppRelease, isFresh = false): AppRelease {
  const { kept: _, ...bare } = release
  if (live === undefined || isFresh) return bare
  const kept = Object.keys(release.processes ?? {}).flatMap((process): [string, number][] => {
    const words = wordsOf(release, process)
    const slots = live.slots.filter(({ parts }) => parts.process === process)
    if (words === '' || words !== wordsOf(live.release, process)) return []
    if (slots.length === 0 || !slots.every(({ isUp }) => isUp)) return []
    return [[process, live.numberOf(process)]]
  })
  return kept.length === 0 ? bare : { ...bare, kept: Object.fromEntries(kept) }
}
