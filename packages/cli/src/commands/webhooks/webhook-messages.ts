import type { EndpointView } from '@svc/core'
import type { AttemptView, EndpointDeliveryView } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import { facts, instant, type Page, table } from '../../terminal/render.ts'
import { secondOf, secondsOf, wholeNumber } from '../number-option.ts'
import { SHOWN_ONCE, withSecret } from './webhook-endpoints.ts'
import { deliveriesTable, endpointFacts, endpointsTable } from './webhook-view.ts'

/** Flags of the commands on messages. */
export interface MessageOptions {
  readonly grace?: string
  readonly state?: string
  readonly limit?: string
  readonly delivery?: string
  readonly since?: string
  readonly until?: string
  readonly dryRun?: boolean
  readonly license?: string
  readonly endpoint?: string
  readonly all?: boolean
}

interface One {
  readonly endpoint: EndpointView
}

interface Ran {
  readonly claimed: number
  readonly delivered: number
  readonly retried: number
  readonly failed: number
  readonly expired: number
  readonly held: number
  readonly remaining: number
}

const MOST = 200

/** Makes a new secret. */
export const rotateSecret: Handler<MessageOptions> = async (run) => {
  const input = given({ endpoint: run.arg(0), grace_seconds: secondsOf('--grace', run.options.grace) })
  const answer = await run.operate<One & { secret: string }>('webhooks.rotate', input, true)
  run.print(answer, (page) => withSecret(answer.endpoint, answer.secret, page))
  run.hint(SHOWN_ONCE)
}

/** Sends a test message with the next run. */
export const testEndpoint: Handler<object> = async (run) => {
  const input = { endpoint: run.arg(0) }
  const answer = await run.operate<{ message_id: string; delivery_id: string }>('webhooks.test', input, true)
  run.print(answer, (page) => facts(Object.entries(answer), page))
  run.hint(`svc webhooks deliveries ${run.arg(0)} shows its outcome.`)
}

type Shown = One & {
  readonly deliveries?: readonly EndpointDeliveryView[]
  readonly delivery?: EndpointDeliveryView
  readonly attempts?: readonly AttemptView[]
  readonly payload?: object
}

/** Lists deliveries, or shows one with its attempts. */
export const listDeliveries: Handler<MessageOptions> = async (run) => {
  const { state, delivery, limit } = run.options
  const input = given({ endpoint: run.arg(0), state, delivery, limit: wholeNumber('--limit', limit) })
  const answer = await run.operate<Shown>('webhooks.show', input, true)
  const { deliveries = answer.delivery === undefined ? [] : [answer.delivery], attempts = [] } = answer
  run.print(answer, (page) => {
    const listed = deliveriesTable(deliveries, page)
    if (answer.delivery === undefined) return listed
    return `${listed}\n${attemptsTable(attempts, page)}\n${JSON.stringify(answer.payload, null, 2)}\n`
  })
}

const attemptsTable = (attempts: readonly AttemptView[], page: Page): string =>
  table(
    [
      { title: 'ATTEMPT', text: ({ n }) => String(n) },
      { title: 'AT', text: ({ at }) => instant(at, page) ?? '' },
      { title: 'MS', text: ({ duration_ms }) => String(duration_ms) },
      { title: 'ANSWER', text: ({ error, status }) => error ?? String(status ?? '') },
      { title: 'TEXT', narrow: 'shrinks', text: ({ response }) => response },
    ],
    attempts,
    page,
  )

/** Sends messages again. */
export const replayMessages: Handler<MessageOptions> = async (run) => {
  const { delivery, since, until, dryRun } = run.options
  const time = { since: secondOf('--since', since), until: secondOf('--until', until) }
  const input = given({ endpoint: run.arg(0), delivery_id: delivery, ...time, dry_run: dryRun })
  type Replayed = { readonly queued: number; readonly truncated?: boolean }
  const answer = await run.operate<Replayed>('webhooks.replay', input, true)
  run.print(answer, (page) => facts([['messages', String(answer.queued)]], page))
  if (answer.truncated) run.hint('There are more: a replay takes the oldest thousand. Run it again.')
}

/** Closes the breaker of an endpoint. */
export const resetBreaker: Handler<object> = async (run) => {
  const answer = await run.operate<One>('webhooks.reset-breaker', { endpoint: run.arg(0) }, true)
  run.print(answer, (page) => endpointFacts(answer.endpoint, page))
}

/** Sends due deliveries. */
export const runWebhooks: Handler<MessageOptions> = async (run) => {
  const { license, endpoint: endpoint_id, all, limit } = run.options
  const most = all === true ? MOST : wholeNumber('--limit', limit)
  const input = given({ license, endpoint_id, limit: most })
  let answer = await run.operate<Ran>('webhooks.run', input, true)
  for (let last = answer; all === true && last.claimed === MOST; ) {
    last = await run.operate<Ran>('webhooks.run', input, true)
    answer = added(answer, last)
  }
  run.print(answer, (page) => facts(counts(answer), page))
}

const COUNTED = ['claimed', 'delivered', 'retried', 'failed', 'expired', 'held', 'remaining'] as const
const counts = (ran: Ran) => COUNTED.map((name) => [name, String(ran[name])] as const)

const added = (one: Ran, other: Ran): Ran => ({
  ...other,
  claimed: one.claimed + other.claimed,
  delivered: one.delivered + other.delivered,
  retried: one.retried + other.retried,
  failed: one.failed + other.failed,
  expired: one.expired + other.expired,
})

/** Lists the endpoints with waiting deliveries, or whose breaker is not closed. */
export const webhookStats: Handler<MessageOptions> = async (run) => {
  const input = given({ license: run.options.license, limit: 100 })
  const answer = await run.operate<{ endpoints: readonly EndpointView[] }>('webhooks.list', input, true)
  const { endpoints } = answer
  const waiting = endpoints.filter(({ pending, breaker }) => pending > 0 || breaker.state !== 'closed')
  const disabled = endpoints.filter(({ state }) => state === 'disabled').length
  const document = {
    endpoints: endpoints.length,
    disabled,
    waiting: endpoints.reduce((sum, { pending }) => sum + pending, 0),
    broken: endpoints.filter(({ breaker }) => breaker.state !== 'closed').length,
  }
  run.print(document, (page) => {
    const lines = Object.entries(document).map(([name, count]) => [name, String(count)] as const)
    return waiting.length === 0
      ? facts(lines, page)
      : `${facts(lines, page)}\n${endpointsTable(waiting, page)}`
  })
}
