import type { HistogramParts } from '../measure/histogram.ts'
import type { RequestPlan } from './requests.ts'

/** Requests of one kind to one server. */
export interface Stream {
  readonly name: string
  readonly url: string
  readonly connections: number
  /**
   * Requests a second, whatever the answers take; absent: each connection sends again as soon as it is
   * answered.
   */
  readonly rate?: number
  /** False: answers of any status count, since refusals are what is looked at. */
  readonly strict?: boolean
  readonly requests: RequestPlan
}

/** What a stream saw. */
export interface StreamOutcome {
  /** Answers as they should be, within the time. */
  readonly operations: number
  /** With those that were under way when it ended. */
  readonly answered: number
  readonly seconds: number
  readonly latency: HistogramParts
  readonly statuses: Readonly<Record<string, number>>
  /** Everything that was not as it should be, with one sample each. */
  readonly faults: Readonly<Record<string, number>>
}

/** What the load is asked to send. */
export interface LoadRequest {
  readonly seconds: number
  readonly streams: readonly Stream[]
}
