import { Session } from 'node:inspector/promises'

/** Processor time on the main thread by place, in microseconds, largest first. Idle time is left out. */
export type Hotspots = Readonly<Record<string, number>>

interface Frame {
  readonly functionName: string
  readonly url: string
}

/**
 * The fields of a CPU profile that are read: nodes, and for each sample its node and the time since the
 * previous sample, in microseconds.
 */
export interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[]
  readonly samples?: readonly number[] | undefined
  readonly timeDeltas?: readonly number[] | undefined
}

const SAMPLE_MICROS = 200
const WAITING = '(idle)'

/**
 * Starts to sample the main thread of this process. The returned function stops and returns the time by
 * place.
 */
export async function watchHotspots(): Promise<() => Promise<Hotspots>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS })
  await session.post('Profiler.start')
  return async () => {
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    return hotspotsOf(profile)
  }
}

/** Sums the samples of a profile by place. */
export function hotspotsOf({ nodes, samples = [], timeDeltas = [] }: CpuProfile): Hotspots {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]))
  const micros = new Map<string, number>()
  for (const [index, id] of samples.entries()) {
    const place = places.get(id) ?? '(program)'
    if (place !== WAITING) micros.set(place, (micros.get(place) ?? 0) + (timeDeltas[index] ?? 0))
  }
  return Object.fromEntries([...micros].toSorted(([, a], [, b]) => b - a))
}

/**
 * Returns the place of a function: the name of a native function, the module of Node.js, the package of a
 * dependency, or the folder of a file of the product. All files of the bench are one place.
 */
function placeOf({ functionName, url }: Frame): string {
  if (url === '')
    return functionName.startsWith('(') ? functionName : `native ${functionName || '(anonymous)'}`
  const dependency = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
  if (dependency !== undefined) return dependency
  if (url.startsWith('node:')) return url
  const own = /\/packages\/(\w+)\/(?:src|dist)\/(.*)\/[^/]*$|\/packages\/(\w+)\/(?:src|dist)\/[^/]*$/.exec(
    url,
  )
  if (own !== null) return own[3] ?? `${own[1]}/${own[2]}`
  return /\/bench\/src\//.test(url) ? 'the server itself' : url
}
