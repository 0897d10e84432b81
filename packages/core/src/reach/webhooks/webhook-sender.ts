import { Problem } from '../../kernel/problem.ts'
import type { Base } from '../../platform/base.ts'
import type { Delivery, DeliveryOutcome } from '../../platform/deliveries/delivery.ts'
import type { AttemptState, DeliverySender, Follow } from '../../platform/deliveries/delivery-sender.ts'
import type { WebhookChannel } from '../../platform/deliveries/webhook-channel.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { placeOf } from '../../platform/secrets/secrets-store.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import { answerOf } from './webhook-answer.ts'
import { ENDPOINT_KIND, type WebhookEndpoint } from './webhook-endpoint.ts'
import type { WebhookMetrics } from './webhook-metrics.ts'
import type { WebhookSettings } from './webhook-settings.ts'

/** Dependencies of the sender of messages to endpoints. */
export interface WebhookSenderParts extends Pick<Base, 'storage' | 'clock' | 'keyring'> {
  readonly channel: WebhookChannel
  readonly settings: WebhookSettings
  readonly metrics: WebhookMetrics
  /** Called in the transaction that disables an endpoint. */
  readonly disabled: (stores: Stores, id: string) => Promise<void>
}

const GONE = 410
const JITTER = 0.2
/** Deliveries of one endpoint that are under way at the same time, on one replica. */
const PER_ENDPOINT = 5
/** Time before a message is tried again whose secret cannot be opened, in seconds. */
const UNOPENED_SECONDS = 300

const unsent = (error: string, rest: Partial<DeliveryOutcome>): DeliveryOutcome => ({
  delivered: false,
  status: undefined,
  error,
  isFinal: false,
  fault: 'ours',
  ...rest,
})

/** Returns the sender of messages to endpoints. */
export function webhookSender(parts: WebhookSenderParts): DeliverySender {
  const { settings, metrics } = parts
  return {
    kind: ENDPOINT_KIND,
    retrySeconds: settings.retrySeconds,
    jitter: JITTER,
    concurrency: settings.concurrency,
    perRecipient: PER_ENDPOINT,
    breaker: {
      failures: settings.breakerFailures,
      cooldownSeconds: settings.breakerCooldownSeconds,
      cooldownMaxSeconds: settings.breakerCooldownMaxSeconds,
    },
    isRecorded: true,
    send: (delivery, signal) => send(parts, delivery, signal),
    follow: (delivery, state, outcome) => goneFollow(parts, delivery, state, outcome),
    ended: (_delivery, state) => metrics.attempted(state),
  }
}

async function send(
  { storage, channel, clock, keyring, settings }: WebhookSenderParts,
  { recipient, payload = '' }: Delivery,
  signal: AbortSignal | undefined,
): Promise<DeliveryOutcome> {
  const message = await storage.webhooks.outgoing({ recipient, payload })
  if (message === undefined) return unsent('removed', { isFinal: true })
  const { endpoint, body } = message
  const secrets = openSecrets(keyring, endpoint, clock.now())
  if (secrets === undefined) {
    await storage.webhooks.note(endpoint.id, 'secret_unavailable')
    return unsent('secret_unavailable', { fault: 'unready', restSeconds: UNOPENED_SECONDS })
  }
  if (endpoint.lastError !== undefined) await storage.webhooks.note(endpoint.id, undefined)
  const { timeoutMs } = settings
  const at = clock.now()
  const outcome = await channel.send({ url: endpoint.url, secrets, id: payload, at, body, signal, timeoutMs })
  return answerOf(outcome, at)
}

/** Returns the secrets that sign, the present one first; undefined if it cannot be opened. */
function openSecrets(keyring: Keyring, endpoint: WebhookEndpoint, now: Date): readonly string[] | undefined {
  const { id, secret, oldSecret, oldSecretUntil } = endpoint
  try {
    const present = keyring.open(secret, placeOf('webhookEndpoints', id))
    if (oldSecret === undefined || oldSecretUntil === undefined || oldSecretUntil <= now) return [present]
    return [present, keyring.open(oldSecret, placeOf('webhookOldSecrets', id))]
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** An endpoint that says that it is gone is disabled at once. */
function goneFollow(
  { disabled, clock }: WebhookSenderParts,
  { recipient, isForced }: Delivery,
  state: AttemptState,
  { status }: DeliveryOutcome,
): Follow | undefined {
  if (state !== 'failed' || status !== GONE || isForced) return undefined
  return async (stores) => {
    const isNew = await stores.webhooks.disable(recipient, 'gone', clock.statementTime())
    if (isNew) await disabled(stores, recipient)
  }
}
