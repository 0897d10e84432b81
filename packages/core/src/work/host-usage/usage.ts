/** The figures of a host that are kept over time, in the order of their bytes. */
export const FIGURES = ['cpuPct', 'memPct', 'diskPct'] as const
export type Figure = (typeof FIGURES)[number]
/** Figures of a moment, or means of a time, in percent; absent ones were not reported. */
export type UsageFigures = { readonly [F in Figure]?: number | undefined }

/** Seconds of a slot for the last day, and slots of a row. */
export const FINE = { slotSeconds: 300, slots: 12 } as const
/** The same for the time before. */
export const COARSE = { slotSeconds: 7200, slots: 4 } as const
/** Seconds of a row for the last day. */
export const HOUR_SECONDS = FINE.slotSeconds * FINE.slots
/** Seconds of a row for the time before. */
export const BLOCK_SECONDS = COARSE.slotSeconds * COARSE.slots
export const DAY_SECONDS = 86_400

/** Bytes of one value: its mean and its count. */
const VALUE_BYTES = 2
/** Bytes of a slot. */
export const SLOT_BYTES = FIGURES.length * VALUE_BYTES
/** Means have one decimal, as hosts report them. */
const TENTHS = 10
const MEAN_BITS = 10
const MEAN_MASK = 2 ** MEAN_BITS - 1
/** Heartbeats of a slot that a value counts at most; it has no bits for more. */
export const MOST_COUNT = 2 ** (16 - MEAN_BITS) - 1

/** A host by its key. */
export interface UsageHost {
  readonly licenseId: string
  readonly fingerprint: string
}

/** Means of a host over an hour or a block of hours: the share that one replica heard, or several joined. */
export interface UsageRow extends UsageHost {
  readonly startsAt: Date
  readonly slotSeconds: number
  /** Tells shares of the same time apart: any number below 2^31. */
  readonly share: number
  /** For each slot a value of each figure. A value of count 0 is none. */
  readonly figures: Uint8Array
}

/** Returns a percentage in tenths; undefined for anything that is none. */
export const tenthsOf = (percent: number | undefined): number | undefined =>
  percent !== undefined && percent >= 0 && percent <= 100 ? Math.round(percent * TENTHS) : undefined

/** Writes a mean of `sum` over `count` heartbeats, in tenths of a percent, as two bytes. */
export function writeValue(values: Buffer, at: number, sum: number, count: number): void {
  const mean = count === 0 ? 0 : Math.round(sum / count)
  values.writeUInt16BE((Math.min(count, MOST_COUNT) << MEAN_BITS) | mean, at * VALUE_BYTES)
}

/** A time that is divided into slots, in unix seconds. */
export interface Slots {
  readonly from: number
  readonly slotSeconds: number
  readonly slots: number
}

/** Sums of values by slot and figure, to which shares are added. */
class Sums {
  readonly #slots: Slots
  readonly #sums: Float64Array
  readonly #counts: Float64Array

  constructor(slots: Slots) {
    this.#slots = slots
    this.#sums = new Float64Array(slots.slots * FIGURES.length)
    this.#counts = new Float64Array(slots.slots * FIGURES.length)
  }

  /** Adds a row; slots outside and rows of longer slots are left out. */
  add({ startsAt, slotSeconds, figures: values }: UsageRow): void {
    const { from, slotSeconds: wanted, slots } = this.#slots
    if (slotSeconds > wanted) return
    const view = new DataView(values.buffer, values.byteOffset, values.byteLength)
    const start = startsAt.getTime() / 1000
    for (let at = 0; (at + 1) * VALUE_BYTES <= values.byteLength; at += 1) {
      const slot = Math.floor((start + Math.floor(at / FIGURES.length) * slotSeconds - from) / wanted)
      if (slot < 0 || slot >= slots) continue
      const value = view.getUint16(at * VALUE_BYTES)
      const place = slot * FIGURES.length + (at % FIGURES.length)
      const count = value >> MEAN_BITS
      this.#counts[place] = (this.#counts[place] ?? 0) + count
      this.#sums[place] = (this.#sums[place] ?? 0) + count * (value & MEAN_MASK)
    }
  }

  sumAndCount(place: number): readonly [sum: number, count: number] {
    return [this.#sums[place] ?? 0, this.#counts[place] ?? 0]
  }
}

/** A mean of each figure over one slot. */
export interface UsagePoint extends UsageFigures {
  /** Unix second at which the slot begins. */
  readonly at: number
}

/** Joins shares to one point for each slot that has a value. */
export function joinedPoints(rows: readonly UsageRow[], slots: Slots): readonly UsagePoint[] {
  const sums = new Sums(slots)
  for (const row of rows) sums.add(row)
  return Array.from({ length: slots.slots }, (_, slot) => {
    const figures = FIGURES.flatMap((figure, index): (readonly [Figure, number])[] => {
      const [sum, count] = sums.sumAndCount(slot * FIGURES.length + index)
      return count === 0 ? [] : [[figure, Math.round(sum / count) / TENTHS]]
    })
    return { at: slots.from + slot * slots.slotSeconds, ...Object.fromEntries(figures) }
  }).filter((point) => Object.keys(point).length > 1)
}

/** Joins shares of one host to one row. */
export function joinedRow(
  rows: readonly UsageRow[],
  { from, slotSeconds, slots }: Slots,
  share: number,
): UsageRow | undefined {
  const [first] = rows
  if (first === undefined) return undefined
  const sums = new Sums({ from, slotSeconds, slots })
  for (const row of rows) sums.add(row)
  const values = Buffer.alloc(slots * SLOT_BYTES)
  for (let at = 0; at < slots * FIGURES.length; at += 1) writeValue(values, at, ...sums.sumAndCount(at))
  const { licenseId, fingerprint } = first
  return { licenseId, fingerprint, startsAt: new Date(from * 1000), slotSeconds, share, figures: values }
}

/** Returns the slots of the last `slots` times `slotSeconds`, the present one included. */
export function slotsUntil(now: Date, slotSeconds: number, slots: number): Slots {
  const present = Math.floor(now.getTime() / 1000 / slotSeconds) * slotSeconds
  return { from: present - (slots - 1) * slotSeconds, slotSeconds, slots }
}
