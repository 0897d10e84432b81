import { Problem } from '../../kernel/problem.ts'
import type { Base } from '../../platform/base.ts'
import type { Gate } from './order.ts'
import { isWorking, ORDER_STEPS, type Order } from './order.ts'
import type { OrderGates } from './order-gates.ts'
import { LEASE_SECONDS } from './order-timing.ts'
import type { KnownToken } from './provider-access.ts'
import type { ProvisioningMetrics } from './provisioning-metrics.ts'
import type { OrderMove, StepOutcome } from './provisioning-store.ts'
import { MAX_DETAIL_CHARS, type ProviderSession } from './server-provider.ts'
import { runStep } from './steps/run-step.ts'
import type { StepEnd } from './steps/step-end.ts'
import type { StepSettings } from './steps/step-parts.ts'

/** Dependencies of `ProvisioningWorker`. */
export interface WorkerParts extends StepSettings, Pick<Base, 'ids' | 'log'> {
  readonly gates: OrderGates
  readonly metrics: ProvisioningMetrics
  /** Returns the id of this control plane in labels. */
  readonly planeId: () => Promise<string>
}

/** One step that was taken. */
export interface StepResult {
  readonly orderId: string
  readonly step: string
  readonly previousState: Order['state']
  readonly order: Order
  readonly attempt: number
  readonly outcome: StepOutcome
}

/** Result of a call of the worker: steps, or the gates that keep it from any. */
export type WorkResult =
  | { readonly isOpen: true; readonly results: readonly StepResult[]; readonly remaining: number }
  | { readonly isOpen: false; readonly missing: readonly Gate[] }

/** Request for a call of the worker. */
export interface WorkRequest {
  readonly orderId?: string | undefined
  readonly limit: number
  /** Ends the call between two steps. */
  readonly signal?: AbortSignal | undefined
}

/** Due orders that are looked at, at most. */
const LOOKED_AT = 200

/** Takes orders one step further: each step has at most one effect at a provider and one change of a row. */
export class ProvisioningWorker {
  readonly #parts: WorkerParts

  constructor(parts: WorkerParts) {
    this.#parts = parts
  }

  /**
   * Takes up to `limit` steps of due orders whose gates are open. Concurrent calls share the orders.
   * @throws Problem `not-found` for an unknown order
   */
  async work({ orderId, limit, signal }: WorkRequest): Promise<WorkResult> {
    const { storage, clock, gates } = this.#parts
    if (orderId !== undefined && (await storage.provisioning.get(orderId)) === undefined)
      throw new Problem('not-found', { detail: `there is no order ${orderId}` })
    const results: StepResult[] = []
    while (results.length < limit && signal?.aborted !== true) {
      const due = await storage.provisioning.due(LOOKED_AT, orderId, clock.statementTime())
      const verdicts = await gates.judge(due)
      const open = verdicts.filter(({ missing }) => missing.length === 0)
      if (open.length === 0 && results.length === 0) {
        const missing = await gates.missing(verdicts, orderId)
        if (missing.length > 0) return { isOpen: false, missing }
      }
      const seen = new Set(results.map((each) => each.orderId))
      const next = open.filter(({ order }) => !seen.has(order.id))
      const result = await this.#first(next)
      if (result === undefined) break
      results.push(result)
    }
    const left = await storage.provisioning.due(LOOKED_AT, undefined, clock.statementTime())
    return { isOpen: true, results, remaining: left.length }
  }

  async #first(
    open: readonly { readonly order: Order; readonly known: KnownToken | undefined }[],
  ): Promise<StepResult | undefined> {
    const { storage, clock, ids } = this.#parts
    for (const { order, known } of open) {
      const { id, state } = order
      const token = ids.next('prv')
      const claim = { id, state, token, leaseSeconds: LEASE_SECONDS }
      const taken = await storage.provisioning.take(claim, clock.statementTime())
      if (taken === undefined || known === undefined) continue
      const result = await this.#step(taken, token, known)
      if (result !== undefined) return result
    }
    return undefined
  }

  async #step(order: Order, token: string, known: KnownToken): Promise<StepResult | undefined> {
    const { log, metrics } = this.#parts
    const session = this.#parts.gates.session(known)
    const planeId = await this.#parts.planeId()
    const end = await runStep(order, { ...this.#parts, planeId, token, provider: session.provider })
    if (end === undefined) return undefined
    const moved = await this.#finish({ order, token, known, session, end })
    if (moved === undefined) return undefined
    const step = stepOf(order)
    const outcome = end.outcome
    metrics.stepped(step, outcome)
    const { state, errorCode } = moved
    const { httpStatus } = end
    log.info(
      { order: order.id, step, from: order.state, to: state, outcome, errorCode, httpStatus },
      'a provisioning step',
    )
    return {
      orderId: order.id,
      step,
      previousState: order.state,
      order: moved,
      attempt: order.attempt,
      outcome,
    }
  }

  /** Writes a step, and the provider's answer about its token and limit, in one transaction. */
  #finish(done: {
    readonly order: Order
    readonly token: string
    readonly known: KnownToken
    readonly session: ProviderSession
    readonly end: StepEnd
  }): Promise<Order | undefined> {
    const { storage, clock } = this.#parts
    const { order, token, known, session, end } = done
    const { provider, fingerprint } = known
    const now = clock.statementTime()
    const move: OrderMove = { id: order.id, token, from: order.state, step: stepOf(order), ...moveOf(end) }
    const { failure } = end
    const until = failure?.until ?? session.limitedUntil
    return storage.transaction(async ({ provisioning }) => {
      const moved = await provisioning.move(move, now)
      if (failure?.kind === 'unauthorized') {
        await provisioning.invalidated(provider, fingerprint, failure.code.slice(0, MAX_DETAIL_CHARS), now)
      }
      if (until !== undefined) await provisioning.limited(provider, until, now)
      return failure?.kind === 'unauthorized' ? ((await provisioning.get(order.id)) ?? moved) : moved
    })
  }
}

const stepOf = ({ state }: Order): string => (isWorking(state) ? ORDER_STEPS[state] : state)

function moveOf({ failure: _, ...end }: StepEnd): Omit<OrderMove, 'id' | 'token' | 'from' | 'step'> {
  return end
}
