import type { ClaimedJob } from './claimed-job.ts'
import { withoutKey } from './license-key-mask.ts'

const MASK = '***'
/** Shorter values are masked nowhere: they would mask words that merely look like them. */
const SHORTEST = 8

/**
 * The texts that no line of a job's output may show: the values of its app's secrets, each line of them by
 * itself since output comes in lines; the longest first, as one may hold another.
 */
export function envSecretsOf({
  payload: { env },
  raw: { env_secrets: names },
}: Pick<ClaimedJob, 'payload' | 'raw'>): string[] {
  if (!Array.isArray(names) || typeof env !== 'object' || env === null) return []
  const values = env as Readonly<Record<string, unknown>>
  return names
    .map((name) => values[String(name)])
    .flatMap((value) => (typeof value === 'string' ? value.split(/\r?\n/) : []))
    .filter((line) => line.length >= SHORTEST)
    .sort((one, other) => other.length - one.length)
}

/** A line without any of these texts; a line of `maxChars` may have been cut within one. */
export const withoutSecrets = (line: string, secrets: readonly string[], maxChars: number): string =>
  secrets.reduce((text, secret) => withoutKey(text, secret, maxChars, MASK), line)
