import { type Setting, text } from './setting.ts'

/** Least length of a secret in the settings. A shorter one is a bad value, and its feature stays closed. */
export const SECRET_CHARS_NEEDED = 24
/** Characters that make a secret safe from guessing, however it was made. */
export const SECRET_CHARS_ADVISED = 32

/**
 * A secret that another program sends as a bearer token. One that is too short, or that no header can carry,
 * is no secret; one that is rather short causes a warning.
 */
export const sharedSecret = (name: string, doc: string): Setting<string | undefined> => ({
  ...text(name, doc, { secret: true }),
  form: `at least ${SECRET_CHARS_NEEDED} visible ASCII characters (openssl rand -hex 32 makes them)`,
  parse: (given) => (isSharedSecret(given) ? given : undefined),
  caution: (secret = '') =>
    secret.length < SECRET_CHARS_ADVISED
      ? `is shorter than ${SECRET_CHARS_ADVISED} characters and can be guessed: openssl rand -hex 32 makes one`
      : undefined,
})

/** Whether a text can be the credential of an `Authorization: Bearer` header. */
export const isSendable = (text: string): boolean => /^[!-~]{1,512}$/.test(text)

/** Whether such a text is long enough for a secret. */
export const isSharedSecret = (text: string): boolean =>
  text.length >= SECRET_CHARS_NEEDED && isSendable(text)
