import { cut } from '../../../kernel/cut.ts'
import { mayHaveServer, type Order, type OrderState } from '../order.ts'
import { capacityDelay, HOLD_SECONDS, pollDelay, retryDelay } from '../order-timing.ts'
import type { OrderChange, OrderMove } from '../provisioning-store.ts'
import { MAX_DETAIL_CHARS, type ProviderFailure } from '../server-provider.ts'

/** The end of a step: the next state of its order, and the reason. */
export interface StepEnd extends Omit<OrderMove, 'id' | 'token' | 'from' | 'step'> {
  /** The call that failed. It may have consequences beyond this order. */
  readonly failure?: ProviderFailure
}

const NO_ERROR = { errorCode: null, errorDetail: null } as const

// A provider's text may hold anything; the store takes neither NUL nor half characters.
const CONTROLS = /[\p{Cc}\p{Cf}\p{Cs}]+/gu

/** Returns a text of a provider as it may be kept: one line, without control characters. */
export const keptText = (text: string): string => cut(text.replaceAll(CONTROLS, ' ').trim(), MAX_DETAIL_CHARS)

/** The order goes on, at once or after a while. */
export const goesOn = (
  to: OrderState,
  { change = {}, delaySeconds = 0 }: { change?: OrderChange; delaySeconds?: number } = {},
): StepEnd => ({
  to,
  outcome: 'advanced',
  change: { ...NO_ERROR, ...change },
  delaySeconds,
  releases: false,
})

/** The order goes on towards the end of its server; the cause of its failure stays its reason. */
export const cleansUp = (to: OrderState, change: OrderChange = {}): StepEnd => ({
  to,
  outcome: 'advanced',
  change,
  delaySeconds: 0,
  releases: false,
})

/** No server is left: the order has ended. */
export const isGone = (): StepEnd => ({
  to: 'deleted',
  outcome: 'advanced',
  change: { licenseKey: null, createSentAt: null },
  delaySeconds: undefined,
  releases: true,
})

/** The provider, or the host, is not that far yet. */
export const waits = (order: Order, change: OrderChange = {}): StepEnd => ({
  to: order.state,
  outcome: 'waiting',
  change: { ...NO_ERROR, ...change },
  delaySeconds: pollDelay(order.attempt),
  releases: false,
})

/** The step is tried again from the same state. */
export const again = (
  order: Order,
  code: string,
  { delaySeconds = retryDelay(order.attempt), change = {}, detail = code } = {} as {
    delaySeconds?: number
    change?: OrderChange
    detail?: string
  },
): StepEnd => ({
  to: order.state,
  outcome: 'retry',
  change: { ...change, errorCode: code, errorDetail: keptText(detail) },
  delaySeconds,
  releases: false,
  detail: keptText(detail),
})

/** The order waits for a change that only others can make. */
export const holds = (order: Order, code: string, detail: string): StepEnd => ({
  ...again(order, code, { detail, delaySeconds: HOLD_SECONDS }),
  outcome: 'held',
})

/** The provider has no room; another place may have. */
export const triesElsewhere = (order: Order, detail: string, change: OrderChange): StepEnd => {
  const next = order.locations[order.locations.indexOf(order.location) + 1]
  const [first = order.location] = order.locations
  return next === undefined
    ? again(order, 'no_capacity', {
        detail,
        delaySeconds: capacityDelay(order.attempt),
        change: { ...change, location: first },
      })
    : again(order, 'no_capacity', { detail, delaySeconds: 1, change: { ...change, location: next } })
}

/**
 * The order has failed. Its server, if there may be one, is taken away by the next step; without one nothing
 * is reserved any more. `keeps` leaves servers to an operator.
 */
export function fails(
  order: Order,
  code: string,
  detail: string,
  { change = {}, keeps = false }: { change?: OrderChange; keeps?: boolean } = {},
): StepEnd {
  const isSent = change.createSentAt === null ? order.serverId !== undefined : mayHaveServer(order)
  const hasServer = isSent || change.serverId !== undefined
  return {
    to: 'failed',
    outcome: 'failed',
    change: {
      ...change,
      errorCode: code,
      errorDetail: keptText(detail),
      ...(hasServer ? {} : { licenseKey: null }),
    },
    delaySeconds: hasServer && !keeps ? 0 : undefined,
    releases: !hasServer && !keeps,
    detail: keptText(detail),
  }
}

/** Adds the failed exchange that the end is about. */
export const withExchange = (end: StepEnd, failure: ProviderFailure): StepEnd => {
  const { status: httpStatus, correlationId } = failure
  return { ...end, httpStatus, correlationId, failure }
}
