import { LEADS, MadeUp, SPELLINGS } from '../../../../../test/support/made-up-secrets.ts'
import { LABELLED_SAMPLES } from './labelled-samples.ts'

/** A text that contains a secret, and the secret that the redacted text must not contain. */
export interface Sample {
  readonly kind: string
  readonly text: string
  readonly secret: string
}

/** Texts where people and programs put a secret that is known by its form. */
export const CARRIERS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => `I pasted ${secret} into the form, is that bad?`,
  (secret) => `2026-11-20T19:47:59Z WARN [web-1] sent "${secret}", got 401.`,
  (secret) => `{"level":30,"value":"${secret}"}`,
  (secret) => `VALUE=${secret}\nOTHER=1`,
  (secret) => `\u001b[33m${secret}\u001b[0m ✓ fertig für heute`,
]

/** Every kind of secret in every carrier. */
export const FORMED_SAMPLES: readonly Sample[] = Object.entries(SPELLINGS).flatMap(([kind, spell], seed) => {
  const random = new MadeUp(seed + 1)
  return CARRIERS.map((carry) => {
    const secret = spell(random)
    return { kind, secret, text: carry((LEADS[kind] ?? '') + secret) }
  })
})

/** The samples above, and values that are secret by their label. */
export const SAMPLES: readonly Sample[] = [
  ...FORMED_SAMPLES,
  ...LABELLED_SAMPLES.map(([text, secret]) => ({
    kind: 'labelled',
    secret,
    text: text.replace('~', () => secret),
  })),
]
