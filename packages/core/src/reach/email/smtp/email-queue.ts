import type { NewDelivery } from '../../../platform/deliveries/delivery.ts'

/** Kind of the deliveries of messages. */
export const EMAIL_DELIVERY = 'email'

/** The only receiver of them: the relay fails as one. */
export const RELAY = 'relay'

/**
 * A delivery of a message. It has two attempts more than are made: one that a crash cut short is judged by
 * the next.
 */
export const emailDelivery = (
  id: string,
  messageId: string,
  { retrySeconds }: { readonly retrySeconds: readonly number[] },
): NewDelivery => ({
  id,
  kind: EMAIL_DELIVERY,
  recipient: RELAY,
  payload: messageId,
  maxAttempts: retrySeconds.length + 3,
})
