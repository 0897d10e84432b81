/** Kind of the deliveries of messages. */
export const EMAIL_DELIVERY = 'email'

/** The only receiver of them: the relay fails as one. */
export const RELAY = 'relay'
