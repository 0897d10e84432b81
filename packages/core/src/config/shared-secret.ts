import { type Setting, text } from './setting.ts'

/** Characters from which on a secret cannot be guessed, however it was made. */
export const SECRET_CHARS_ADVISED = 32

/**
 * A secret that somebody else sends as bearer. One that is too short, or that no header can carry, is warned
 * about.
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

/** Whether a text can be the credential of an `Authorization: Bearer` header of the service. */
export const isSendable = (text: string): boolean => /^[!-~]{1,512}$/.test(text)
