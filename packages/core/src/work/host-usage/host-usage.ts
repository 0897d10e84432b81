import { randomInt } from 'node:crypto'
import type { Base } from '../../platform/base.ts'
import type { UsageTaking } from './host-usage-store.ts'
import {
  BLOCK_SECONDS,
  COARSE,
  DAY_SECONDS,
  FINE,
  HOUR_SECONDS,
  joinedPoints,
  joinedRow,
  type Slots,
  slotsUntil,
  type UsageFigures,
  type UsageHost,
  type UsagePoint,
  type UsageRow,
} from './usage.ts'
import { hourOf, UsageHour } from './usage-hour.ts'

/** The parts that `HostUsages` is built from. */
export interface HostUsagesParts extends Pick<Base, 'storage' | 'clock' | 'log' | 'timers'> {
  /** Days that figures are kept. */
  readonly keptDays: number
}

/** Points over a time. */
export interface UsageSeries extends Slots {
  readonly points: readonly UsagePoint[]
}

/** The figures of a host over a day and a month. */
export interface HostUsageView {
  readonly day: UsageSeries
  readonly month: UsageSeries
  /** Unix second since which only the share of this replica is known. */
  readonly gatheringSince: number
}

/** Days of the longer view. */
export const MONTH_DAYS = 30
/** Hours that wait to be written, at most: older ones are lost. */
const MOST_WAITING = 3
/** Milliseconds until a write that failed is tried again. */
const RETRY_MS = 60_000
/** Seconds after the end of an hour in which replicas write their shares. */
const LATE_SECONDS = 900
/** Hosts whose rows are joined in one transaction. */
const JOINED_HOSTS = 500
/** Milliseconds of an upkeep's joins, while other tasks of the tick wait. The next one goes on from there. */
const JOIN_MS = 5_000
/** Seconds over which shares of hours are looked for. */
const SHARED_SECONDS = 4 * HOUR_SECONDS
/** Hosts of a statement that writes: the event loop is busy for some 20 ms with it. */
const WRITTEN_HOSTS = 1000
/** Seconds before the oldest row of an hour that may be left over. */
const LEFT_OVER_SECONDS = 2 * DAY_SECONDS

/**
 * Processor, memory and disk of hosts over time, from their heartbeats. They are gathered in memory, and an
 * hour is written in one statement when it has ended: nothing waits for it, and a replica that is lost takes
 * its share of an hour along.
 */
export class HostUsages {
  readonly #parts: HostUsagesParts
  #present: UsageHour | undefined
  #waiting: UsageHour[] = []
  #writing: Promise<void> | undefined
  #failedAt = Number.NEGATIVE_INFINITY
  /** The hosts after which the joins go on: of hours before the last day, and of shares. */
  readonly #after: { old?: UsageHost | undefined; shared?: UsageHost | undefined } = {}

  constructor(parts: HostUsagesParts) {
    this.#parts = parts
  }

  /**
   * Takes the figures of a heartbeat, if it has any. The write of an hour that ended begins behind it.
   */
  note(host: UsageHost, figures: UsageFigures): void {
    const second = this.#parts.clock.now().getTime() / 1000
    const start = hourOf(second)
    if (this.#present?.start !== start) this.#begin(start)
    this.#present?.add(host, figures, second)
    if (this.#waiting.length > 0 && this.#writing === undefined && this.#mayTry()) void this.#write()
  }

  /** Writes all that is gathered, the present hour too: for the end of a replica. Never rejects. */
  async stop(): Promise<void> {
    this.#end()
    await this.#writing
    await this.#write()
  }

  /** Returns the figures of a host. */
  async view(host: UsageHost): Promise<HostUsageView> {
    const { storage, clock } = this.#parts
    const now = clock.now()
    const day = slotsUntil(now, FINE.slotSeconds, DAY_SECONDS / FINE.slotSeconds)
    const month = slotsUntil(now, COARSE.slotSeconds, (MONTH_DAYS * DAY_SECONDS) / COARSE.slotSeconds)
    const oldest = new Date((month.from - BLOCK_SECONDS) * 1000)
    const stored = await storage.hostUsage.read(host, oldest)
    const own = [...this.#waiting, ...(this.#present === undefined ? [] : [this.#present])]
    const rows = [...stored, ...own.flatMap((hour) => hour.rowOf(host) ?? [])]
    const gatheringSince = hourOf(now.getTime() / 1000)
    const series = (slots: Slots) => ({ ...slots, points: joinedPoints(rows, slots) })
    return { day: series(day), month: series(month), gatheringSince }
  }

  /**
   * Joins the shares of hours that ended, and the hours before the last day to slots of two hours; removes
   * figures that are too old. Writes what waits as well, for a replica that hears no host any more.
   */
  async upkeep(): Promise<void> {
    const { storage, clock, timers, keptDays } = this.#parts
    const until = timers.elapsedMs() + JOIN_MS
    const second = clock.now().getTime() / 1000
    if (this.#present !== undefined && this.#present.start !== hourOf(second)) this.#end()
    if (this.#writing === undefined) await this.#write()
    const old = Math.floor((second - DAY_SECONDS) / BLOCK_SECONDS) * BLOCK_SECONDS
    const ended = second - HOUR_SECONDS - LATE_SECONDS
    const at = (unix: number) => new Date(unix * 1000)
    const before = { from: at(old - LEFT_OVER_SECONDS), to: at(old), onlyShared: false }
    this.#after.old = await this.#join({ ...before, after: this.#after.old }, COARSE, until)
    const shared = { from: at(Math.max(old, ended - SHARED_SECONDS)), to: at(ended), onlyShared: true }
    this.#after.shared = await this.#join({ ...shared, after: this.#after.shared }, FINE, until)
    await storage.hostUsage.purge(keptDays, clock.statementTime())
  }

  /** Joins rows of all hosts. Returns the host after which time was up. */
  async #join(
    { after: from, ...taking }: Omit<UsageTaking, 'hosts'>,
    { slotSeconds, slots }: Pick<Slots, 'slotSeconds' | 'slots'>,
    until: number,
  ): Promise<UsageHost | undefined> {
    const { storage, timers } = this.#parts
    const length = slotSeconds * slots
    let after = from
    do {
      const page: UsageTaking = { ...taking, after, hosts: JOINED_HOSTS }
      // Rows that are taken twice at the same time are returned once.
      after = await storage.transaction(async ({ hostUsage }) => {
        const { rows: taken, last } = await hostUsage.take(page)
        const joined = byTime(taken, length).flatMap(
          (rows) => joinedRow(rows, { from: startOf(rows, length), slotSeconds, slots }, newShare()) ?? [],
        )
        if (joined.length > 0) await hostUsage.add(joined)
        return last
      })
    } while (after !== undefined && timers.elapsedMs() < until)
    return after
  }

  #begin(start: number): void {
    this.#end()
    this.#present = new UsageHour(start, newShare())
  }

  #end(): void {
    if (this.#present !== undefined && this.#present.hosts > 0) this.#waiting.push(this.#present)
    this.#present = undefined
    const { log } = this.#parts
    for (const { start } of this.#waiting.splice(0, this.#waiting.length - MOST_WAITING)) {
      log.warn(
        { hour: new Date(start * 1000) },
        'figures of hosts over an hour could not be written: they are lost',
      )
    }
  }

  #mayTry(): boolean {
    const passed = this.#parts.clock.now().getTime() - this.#failedAt
    return passed >= RETRY_MS || passed < 0
  }

  #write(): Promise<void> {
    this.#writing ??= this.#writeWaiting().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #writeWaiting(): Promise<void> {
    const { storage, log, clock } = this.#parts
    for (const hour of [...this.#waiting]) {
      try {
        for (let from = 0; from < hour.hosts; from += WRITTEN_HOSTS) {
          await storage.hostUsage.add(hour.rows(from, WRITTEN_HOSTS))
        }
        this.#waiting = this.#waiting.filter((each) => each !== hour)
        if (hour.lost > 0) log.warn({ heartbeats: hour.lost }, 'too many hosts: figures of some are not kept')
      } catch (err) {
        this.#failedAt = clock.now().getTime()
        log.warn({ err }, 'figures of hosts could not be written; trying again')
        return
      }
    }
  }
}

/** Numbers of shares have no order, and hardly meet. */
const newShare = (): number => randomInt(2 ** 31)

const startOf = ([first]: readonly UsageRow[], length: number): number =>
  first === undefined ? 0 : Math.floor(first.startsAt.getTime() / 1000 / length) * length

/** Divides rows, which are in order, by host and time. */
function byTime(rows: readonly UsageRow[], length: number): readonly (readonly UsageRow[])[] {
  const groups = new Map<string, UsageRow[]>()
  for (const row of rows) {
    const key = JSON.stringify([row.licenseId, row.fingerprint, startOf([row], length)])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return [...groups.values()]
}
