import type { ZxcvbnResult } from '@zxcvbn-ts/core'
import { Problem } from '../../kernel/problem.ts'
import { MIN_PASSWORD_CHARS } from './passwords.ts'

/** Words of this service that add no strength to a password (docs/security.md, Passwords). */
export const SERVICE_WORDS: readonly string[] = (
  'svc control plane service server fleet host agent heartbeat license tenant deploy deployment monitor alert session ' +
  'login user role super_admin superadmin admin administrator operator support viewer owner developer'
).split(' ')

/** Owner of a password. Attackers guess facts about the owner first. */
export interface PasswordOwner {
  readonly email: string
  /** Name of the tenant, if there is one. */
  readonly tenant?: string | undefined
}

/**
 * Smallest accepted score, of 0 to 4: at least 10^8 guesses by an attacker who knows the lists and the usual
 * changes.
 */
const LEAST_SCORE = 3

/** Shorter words occur in every password. */
const MIN_WORD_CHARS = 3
/** Length of the longest entry in the list of passwords: longer words would slow down every check. */
const MAX_WORD_CHARS = 20

/**
 * Refuses a password that is too short or too easy to guess: one from breaches or close to it, a pattern, or
 * one that is too easy without the words of its owner and of the service.
 * @throws Problem `invalid-input`, which never repeats the password
 */
export async function judgePassword(password: string, owner: PasswordOwner): Promise<void> {
  if (password.length < MIN_PASSWORD_CHARS) throw refusal(`expected ${MIN_PASSWORD_CHARS} characters or more`)
  const { MAX_JUDGED_CHARS, passwordEstimator } = await import('./password-estimator.ts')
  const words = contextWords(owner)
  const known = words.filter(({ length }) => length <= MAX_WORD_CHARS)
  // Normalized as for the hash, and in one line, since the estimator finds no repeats across lines. If the
  // beginning is easy, the rest may be too.
  const whole = password.normalize('NFKC').toLowerCase().replaceAll(/\s/gu, ' ').slice(0, MAX_JUDGED_CHARS)
  const bare = words.reduce((text, word) => text.replaceAll(word, ''), whole)
  for (const text of new Set([whole, bare])) {
    const result = passwordEstimator.check(text, known)
    if (!(result.score >= LEAST_SCORE))
      throw refusal(`too easy to guess, ${weakness(result, text !== whole)}`)
  }
}

/** Returns the words, longest first, so that removing them leaves no part of a longer word. */
function contextWords({ email, tenant = '' }: PasswordOwner): readonly string[] {
  const names = [email, tenant].map((name) => name.normalize('NFKC').toLowerCase())
  const parts = names.flatMap((name) => [name, ...name.split('@'), ...name.split(/[^\p{L}\p{N}]+/u)])
  const words = [...parts, ...SERVICE_WORDS].filter(({ length }) => length >= MIN_WORD_CHARS)
  return [...new Set(words)].sort((one, other) => other.length - one.length)
}

function weakness({ sequence }: ZxcvbnResult, isBare: boolean): string {
  const lists = sequence.map(({ dictionaryName }) => dictionaryName)
  if (isBare || lists.includes('userInputs'))
    return 'without the words of this account and of this service too little is left'
  if (lists.includes('passwords-common')) return 'it is close to one that is known from breaches'
  return 'it repeats itself or follows a pattern'
}

const refusal = (why: string): Problem =>
  new Problem('invalid-input', {
    details: [`password: ${why}: take four random words or more, or 16 random characters`],
  })
