import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../../packages/testing/src/simulator/random.ts'
import type { Cast } from '../cast/cast.ts'
import type { ServerFaults } from '../cast/database.ts'
import type { Member } from '../cast/member.ts'
import type { Injury, Planned } from './schedule.ts'

const SIGQUIT_SHARE = 0.25

/** Inflicts the planned faults on a cast, and counts the ones that were really inflicted. */
export class Injurer {
  readonly done = new Map<Injury, number>()
  readonly #cast: Cast
  readonly #server: ServerFaults | undefined
  readonly #random: Random
  readonly #pending = new Set<Promise<void>>()
  /** While PostgreSQL is killed: resolves when it serves again. */
  #serverReturns: Promise<void> | undefined

  constructor(cast: Cast, server: ServerFaults | undefined, random: Random) {
    this.#cast = cast
    this.#server = server
    this.#random = random
  }

  /**
   * Carries out the plan for `lengthMs`, and longer until `isEnough`. Returns the milliseconds that this
   * took; some faults may still last.
   */
  async follow(
    planned: readonly Planned[],
    lengthMs: number,
    isEnough: () => boolean,
    over: AbortSignal,
  ): Promise<number> {
    const begun = performance.now()
    for (const { atMs, injury, lengthMs: lasts } of planned) {
      if (atMs > lengthMs) {
        await until(begun + lengthMs, over)
        if (isEnough()) break
      }
      await until(begun + atMs, over)
      if (over.aborted) break
      this.#inflict(injury, lasts)
    }
    await until(begun + lengthMs, over)
    return performance.now() - begun
  }

  /**
   * Inflicts the last and worst fault: kills the database, a replica and a crowd at once. Returns when the
   * database serves again, in unix milliseconds: its own recovery, 1 to 3 s, depends on the machine.
   */
  async finish(): Promise<number> {
    this.#inflict('kill postgres', 0)
    this.#inflict('kill crowd', 0)
    this.#inflict('kill server', 0)
    await this.#serverReturns
    return Date.now()
  }

  /** Waits until every inflicted fault is over. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending)
  }

  count(of: (injury: Injury) => boolean): number {
    let sum = 0
    for (const [injury, count] of this.done) if (of(injury)) sum += count
    return sum
  }

  #inflict(injury: Injury, lasts: number): void {
    const work = this.#start(injury, lasts)
    if (work === undefined) return
    this.done.set(injury, (this.done.get(injury) ?? 0) + 1)
    const ended = work.finally(() => this.#pending.delete(ended))
    this.#pending.add(ended)
  }

  #start(injury: Injury, lasts: number): Promise<void> | undefined {
    const { servers, crowds, references, operator } = this.#cast
    const [verb, whom] = injury.split(' ')
    if (injury === 'cancel') return operator.cancel()
    if (injury === 'suspend') return operator.suspend(lasts)
    if (injury === 'revoke') return operator.revoke()
    if (whom === 'postgres' || verb === 'exhaust' || verb === 'lock' || verb === 'disconnect')
      return this.#hurtServer(injury, lasts)
    const group = whom === 'server' ? servers : whom === 'crowd' ? crowds : references
    const member = this.#oneOf(group)
    if (member === undefined) return undefined
    if (verb === 'freeze') return member.freeze(lasts)
    member.kill()
    return Promise.resolve()
  }

  #hurtServer(injury: Injury, lasts: number): Promise<void> | undefined {
    const server = this.#server
    if (server === undefined || this.#serverReturns !== undefined) return undefined
    if (injury === 'exhaust pool') return server.exhaust(lasts)
    if (injury === 'lock jobs') return server.lock(lasts)
    if (injury === 'disconnect') return server.disconnect()
    const signal = this.#random.chance(SIGQUIT_SHARE) ? 'SIGQUIT' : 'SIGKILL'
    this.#serverReturns = server.crash(signal).then(() => {
      this.#serverReturns = undefined
    })
    return this.#serverReturns
  }

  #oneOf(group: readonly Member[]): Member | undefined {
    const up = group.filter(({ isUp }) => isUp)
    return up.length === 0 ? undefined : this.#random.pick(up)
  }
}

async function until(atMs: number, over: AbortSignal): Promise<void> {
  const left = atMs - performance.now()
  if (left > 0) await pause(left, undefined, { signal: over }).catch(() => {})
}
