/** Seconds that a one-time code counts by itself (RFC 6238, the time step X). */
export const STEP_SECONDS = 30
/** Steps before and after the present one whose codes count too: clocks of telephones differ. */
export const STEPS_AROUND = 1
/** Random bytes of a secret: as many as the hash of the codes has (RFC 4226, section 4). */
export const SECRET_BYTES = 20

const CODE = /^[0-9]{6}$/

// What is computed for a user without a second factor, so that it takes as long.
const NOBODY = 'A'.repeat(32)

// Loaded by the first who brings a code: no start waits for it.
const library = () => import('otpauth')

/** The step that an instant is in: whole steps since 1970. */
export const stepOf = (at: Date): number => Math.floor(at.getTime() / (STEP_SECONDS * 1000))

/** `bytes` (base64url) as an authenticator app takes a secret: base32 without padding. */
export async function secretOf(bytes: string): Promise<string> {
  const { Secret } = await library()
  return new Secret({ buffer: new Uint8Array(Buffer.from(bytes, 'base64url')).buffer }).base32
}

/** The `otpauth://` address that apps read from a picture: SHA-1, 6 digits, 30 s, which all of them take. */
export async function otpauthUri(secret: string, issuer: string, label: string): Promise<string> {
  const { TOTP } = await library()
  return new TOTP({ secret, issuer, label }).toString()
}

/**
 * The step whose code this is, among those that count at `at`; undefined when it is none. Without a secret it
 * is none, after the same work.
 */
export async function stepOfCode(
  secret: string | undefined,
  token: string,
  at: Date,
): Promise<number | undefined> {
  // The library compares bytes, of which other characters have more than one.
  if (!CODE.test(token)) return undefined
  const { TOTP, Secret } = await library()
  const delta = TOTP.validate({
    token,
    secret: Secret.fromBase32(secret ?? NOBODY),
    period: STEP_SECONDS,
    timestamp: at.getTime(),
    window: STEPS_AROUND,
  })
  return delta === null || secret === undefined ? undefined : stepOf(at) + delta
}
