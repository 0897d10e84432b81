/** Validity of a one-time code, in seconds (RFC 6238, the time step X). */
export const STEP_SECONDS = 30
/**
 * Number of steps before and after the current one whose codes are valid too, since phones' clocks differ.
 */
export const STEPS_AROUND = 1
/** Random bytes of a secret: the size of the hash of the codes (RFC 4226, section 4). */
export const SECRET_BYTES = 20

const CODE = /^[0-9]{6}$/

// Secret for users without a second factor, so that their check does the same work.
const NOBODY = 'A'.repeat(32)

// Loaded for the first code, so that no start waits for it.
const library = () => import('otpauth')

/** Returns the step of an instant: whole steps since 1970. */
export const stepOf = (at: Date): number => Math.floor(at.getTime() / (STEP_SECONDS * 1000))

/** Returns `bytes` (base64url) as a secret for authenticator apps: base32 without padding. */
export async function secretOf(bytes: string): Promise<string> {
  const { Secret } = await library()
  return new Secret({ buffer: new Uint8Array(Buffer.from(bytes, 'base64url')).buffer }).base32
}

/**
 * Returns the `otpauth://` address that apps read from a picture: SHA-1, 6 digits, 30 s, which all apps
 * support.
 */
export async function otpauthUri(secret: string, issuer: string, label: string): Promise<string> {
  const { TOTP } = await library()
  return new TOTP({ secret, issuer, label }).toString()
}

/**
 * Returns the step that the code belongs to, among those that are valid at `at`, else undefined. Without a
 * secret it does the same work and returns undefined.
 */
export async function stepOfCode(
  secret: string | undefined,
  token: string,
  at: Date,
): Promise<number | undefined> {
  // The library compares bytes, and other characters can have several.
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
