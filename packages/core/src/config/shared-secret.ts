import { type Setting, text } from './setting.ts'

/** Characters that make a secret safe from guessing, however it was made. */
export const SECRET_CHARS_ADVISED = 32

/**
 * A secret that another program sends as a bearer token. A short one, or one that no header can carry, causes
 * a warning.
 */
export const sharedSecret = (name: string, doc: string): Setting<string | undefined> => ({
  ...text(name, doc, { secret: true }),
  caution: (secret = '') => {
    if (!isSendable(secret)) return 'has a character that no Authorization header carries'
    return secret.length < SECRET_CHARS_ADVISED
      ? `is shorter than ${SECRET_CHARS_ADVISED} characters and can be guessed: openssl rand -hex 32 makes one`
      : undefined
  },
})

/** Whether a text can be the credential of an `Authorization: Bearer` header. */
export const isSendable = (text: string): boolean => /^[!-~]{1,512}$/.test(text)
