import type { EndpointView } from '@svc/core'
import type { EndpointDeliveryView } from '@svc/core/adapters'
import { ago, facts, instant, type Page, stateColour, table } from '../../terminal/render.ts'

const breakerText = ({ breaker }: EndpointView): string =>
  breaker.state === 'closed' ? '' : `${breaker.state}, ${breaker.consecutive_failures} failures`
const stateText = ({ state, disabled_reason: reason }: EndpointView): string =>
  reason === undefined ? state : `${state} (${reason})`
const sinceOf = (second: number) => (second === 0 ? undefined : second)

/** Endpoints as people read them. */
export const endpointsTable = (endpoints: readonly EndpointView[], page: Page): string =>
  table(
    [
      { title: 'STATE', text: stateText, colour: ({ state }) => stateColour(state) },
      { title: 'URL', narrow: 'shrinks', text: ({ url }) => url },
      { title: 'EVENTS', narrow: 'shrinks', text: ({ events }) => events.join(', ') },
      { title: 'WAITING', text: ({ pending }) => String(pending) },
      { title: 'BREAKER', narrow: 'leaves', text: breakerText },
      {
        title: 'LAST SUCCESS',
        narrow: 'leaves',
        text: ({ last_success_at }) => ago(sinceOf(last_success_at), page),
      },
      { title: 'ID', text: ({ id }) => id },
    ],
    endpoints,
    page,
  )

/** Everything about one endpoint. */
export const endpointFacts = (endpoint: EndpointView, page: Page): string =>
  facts(
    [
      ['id', endpoint.id],
      ['license', endpoint.license_id],
      ['url', endpoint.url],
      ['description', endpoint.description === '' ? undefined : endpoint.description],
      ['events', endpoint.events.join(', ')],
      ['state', stateText(endpoint)],
      ['breaker', breakerText(endpoint) || 'closed'],
      ['next probe', instant(sinceOf(endpoint.breaker.retry_at), page)],
      ['secret', endpoint.secret_hint],
      ['old secret until', instant(sinceOf(endpoint.old_secret_valid_until), page)],
      ['waiting', String(endpoint.pending)],
      ['last success', instant(sinceOf(endpoint.last_success_at), page)],
      ['last failure', instant(sinceOf(endpoint.last_failure_at), page)],
      ['error', endpoint.last_error],
    ],
    page,
  )

/** Deliveries as people read them. */
export const deliveriesTable = (deliveries: readonly EndpointDeliveryView[], page: Page): string =>
  table(
    [
      { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => stateColour(state) },
      { title: 'EVENT', text: ({ type }) => type },
      { title: 'WHEN', text: ({ created_at }) => ago(created_at, page) },
      { title: 'ATTEMPTS', narrow: 'leaves', text: ({ attempt }) => String(attempt) },
      { title: 'ERROR', text: ({ last_error }) => last_error ?? '' },
      {
        title: 'NEXT',
        narrow: 'leaves',
        text: ({ next_attempt_at }) => instant(sinceOf(next_attempt_at), page) ?? '',
      },
      { title: 'ID', text: ({ id }) => id },
    ],
    deliveries,
    page,
  )
