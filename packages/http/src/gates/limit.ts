import { Problem, type RateLimitName } from '@svc/core'
import type { Arrival, Replies } from '../route.ts'
import { keepWaiting } from './late.ts'

/** The reply of every limited gate (wire: Limits). */
export const LIMITED: Replies = {
  429: {
    description: 'A rate limit was hit.',
    headers: { 'Retry-After': "Whole seconds to the window's end, at least 1." },
  },
}

/**
 * Counts the request in a window of `subject`. Who goes on far beyond a limit hears late that it is refused.
 * @throws Problem `rate-limited`
 */
export async function takeFrom(
  { plane }: Pick<Arrival, 'plane'>,
  name: RateLimitName,
  subject: string,
): Promise<void> {
  const { allowed, retryAfterSeconds, floods } = await plane.limits.take(name, subject)
  if (floods) await keepWaiting()
  if (!allowed) throw new Problem('rate-limited', { retryAfterSeconds })
}
