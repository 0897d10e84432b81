import type { Verdict } from '../verdict.ts'
import type { WireAnswer, WireRequest } from '../wire.ts'

interface Bar {
  /** How often the license may have become usable again. */
  openings: number
  isBarred: boolean
}

/** The state of a license when a request started. */
export interface BarMark {
  readonly bar: Bar
  readonly openings: number
  readonly isBarred: boolean
}

/** I9: no request that starts after a revoke or suspend was answered succeeds, on any replica. */
export class BarCheck {
  readonly #verdict: Verdict
  readonly #bars = new Map<string, Bar>()

  constructor(verdict: Verdict) {
    this.#verdict = verdict
  }

  /** Records that an operator was told that the license is barred. */
  barred(license: string): void {
    this.#of(license).isBarred = true
  }

  /** Records that an operator starts to lift the bar: requests may succeed from now on. */
  opening(license: string): void {
    const bar = this.#of(license)
    bar.isBarred = false
    bar.openings += 1
  }

  /** Records that a request of the license starts. */
  started(license: string): BarMark {
    const bar = this.#of(license)
    return { bar, openings: bar.openings, isBarred: bar.isBarred }
  }

  /** Checks the answer of a request. */
  answered(mark: BarMark, request: WireRequest, { status }: WireAnswer): void {
    if (!mark.isBarred || mark.bar.openings !== mark.openings) return
    const isRefused = status === 401 || status === 403 || status === 429 || status >= 500
    this.#verdict.expect(
      isRefused,
      'I9 a barred license is refused',
      () => `${request.path} answered ${status}`,
    )
  }

  #of(license: string): Bar {
    const known = this.#bars.get(license) ?? { openings: 0, isBarred: false }
    this.#bars.set(license, known)
    return known
  }
}
