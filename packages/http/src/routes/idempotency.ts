import type { IncomingHttpHeaders } from 'node:http'

/** The header, as routes that remember their answers describe it. */
export const IDEMPOTENCY = {
  'Idempotency-Key':
    '1 to 256 printable ASCII characters. For a day, the same key with the same body gets the same answer.',
}

/** The `Idempotency-Key` as it was sent, good or not. */
export const sentKey = ({ 'idempotency-key': given }: IncomingHttpHeaders): string | undefined =>
  given === undefined ? undefined : String(given)
