import { createHmac, timingSafeEqual } from 'node:crypto'
import { unixSeconds } from '../../kernel/clock.ts'
import { spelled, unspelled } from '../../kernel/spelled-bytes.ts'

/** Seconds for which the code of the first administrator is good. */
export const FIRST_CODE_SECONDS = 900
/** Bytes of the end of its time, and of its seal: 128 bits cannot be guessed. */
const TIME_BYTES = 4
const SEAL_BYTES = 16

const sealOf = (time: Buffer, secret: string): Buffer =>
  createHmac('sha256', secret).update('first-code.v1.').update(time).digest().subarray(0, SEAL_BYTES)

/**
 * Returns the code that lets its holder become the first administrator until `expires`: the time and an
 * HMAC-SHA256 of it, in eight groups of four characters.
 */
export function sealFirstCode(expires: Date, secret: string): string {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeUInt32BE(unixSeconds(expires))
  return spelled(Buffer.concat([time, sealOf(time, secret)]))
}

/** Whether one of `secrets` sealed a code whose time has not passed. Every secret is tried. */
export function isFirstCode(code: string, secrets: readonly string[], now: Date): boolean {
  const bytes = unspelled(code)
  if (bytes?.length !== TIME_BYTES + SEAL_BYTES) return false
  const time = bytes.subarray(0, TIME_BYTES)
  const seal = bytes.subarray(TIME_BYTES)
  const isOurs = secrets.reduce(
    (found, secret) => timingSafeEqual(seal, sealOf(time, secret)) || found,
    false,
  )
  return isOurs && time.readUInt32BE() > unixSeconds(now)
}
