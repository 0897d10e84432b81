import {
  FIGURES,
  FINE,
  HOUR_SECONDS,
  MOST_COUNT,
  SLOT_BYTES,
  tenthsOf,
  type UsageFigures,
  type UsageHost,
  type UsageRow,
  writeValue,
} from './usage.ts'

/** Values of a host and hour. */
const VALUES = FINE.slots * FIGURES.length
/** Hosts whose figures lie in one piece of memory: it grows without copying. */
const CHUNK_HOSTS = 256
/** Hosts of an hour that are gathered at most, some 12 MB. */
export const MOST_HOSTS = 50_000

interface Chunk {
  /** Sums in tenths of a percent, at most 63 times 1000. */
  readonly sums: Uint16Array
  readonly counts: Uint8Array
}

const keyOf = ({ licenseId, fingerprint }: UsageHost): string => `${licenseId} ${fingerprint}`

/**
 * One hour of all hosts that a replica hears. A host takes 108 bytes, and some 100 more for its name in the
 * map. The heartbeats of a slot beyond the 63rd of a host are left out.
 */
export class UsageHour {
  /** Unix second at which it begins. */
  readonly start: number
  /** Tells it apart from shares of others, and of this replica after its clock was set back. */
  readonly share: number
  readonly #places = new Map<string, number>()
  readonly #keys: string[] = []
  readonly #chunks: Chunk[] = []
  /** Heartbeats that had no room. */
  lost = 0

  constructor(start: number, share: number) {
    this.start = start
    this.share = share
  }

  get hosts(): number {
    return this.#places.size
  }

  /** Adds figures of a host. `second`: a unix second of this hour. */
  add(host: UsageHost, figures: UsageFigures, second: number): void {
    const slot = Math.floor((second - this.start) / FINE.slotSeconds)
    let place: number | undefined
    for (const [index, figure] of FIGURES.entries()) {
      const tenths = tenthsOf(figures[figure])
      if (tenths === undefined) continue
      place ??= this.#placeOf(keyOf(host))
      if (place === undefined) return
      const { sums, counts } = this.#chunks[Math.floor(place / CHUNK_HOSTS)] as Chunk
      const at = (place % CHUNK_HOSTS) * VALUES + slot * FIGURES.length + index
      if ((counts[at] as number) >= MOST_COUNT) continue
      ;(sums[at] as number) += tenths
      ;(counts[at] as number) += 1
    }
  }

  /** Returns the row of a host, if it has one. */
  rowOf(host: UsageHost): UsageRow | undefined {
    const place = this.#places.get(keyOf(host))
    if (place === undefined) return undefined
    return this.#row(host, place, Buffer.alloc(FINE.slots * SLOT_BYTES))
  }

  /** Returns the rows of `count` hosts from a place on; their bytes lie in one piece. */
  rows(from: number, count: number): readonly UsageRow[] {
    const bytes = FINE.slots * SLOT_BYTES
    const keys = this.#keys.slice(from, from + count)
    const all = Buffer.alloc(keys.length * bytes)
    return keys.map((key, at) => {
      const space = key.indexOf(' ')
      const host = { licenseId: key.slice(0, space), fingerprint: key.slice(space + 1) }
      return this.#row(host, from + at, all.subarray(at * bytes, (at + 1) * bytes))
    })
  }

  #row({ licenseId, fingerprint }: UsageHost, place: number, values: Buffer): UsageRow {
    const { sums, counts } = this.#chunks[Math.floor(place / CHUNK_HOSTS)] as Chunk
    const from = (place % CHUNK_HOSTS) * VALUES
    for (let at = 0; at < VALUES; at += 1) {
      writeValue(values, at, sums[from + at] as number, counts[from + at] as number)
    }
    const startsAt = new Date(this.start * 1000)
    return {
      licenseId,
      fingerprint,
      startsAt,
      slotSeconds: FINE.slotSeconds,
      share: this.share,
      figures: values,
    }
  }

  #placeOf(key: string): number | undefined {
    const known = this.#places.get(key)
    if (known !== undefined) return known
    const place = this.#places.size
    if (place >= MOST_HOSTS) {
      this.lost += 1
      return undefined
    }
    if (place % CHUNK_HOSTS === 0) {
      const values = CHUNK_HOSTS * VALUES
      this.#chunks.push({ sums: new Uint16Array(values), counts: new Uint8Array(values) })
    }
    this.#places.set(key, place)
    this.#keys.push(key)
    return place
  }
}

/** Returns the start of the hour of a unix second. */
export const hourOf = (second: number): number => Math.floor(second / HOUR_SECONDS) * HOUR_SECONDS
