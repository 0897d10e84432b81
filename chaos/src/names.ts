const two = (value: number): string => String(value).padStart(2, '0')

/**
 * A host of a run. Its number is part of its exit codes, so that the row of a job shows which host ended it.
 */
export interface Host {
  readonly number: number
  readonly fingerprint: string
  readonly licenseId: string
  readonly licenseKey: string
  readonly kind: 'light' | 'reference'
}

/** A license of a run. */
export interface IssuedLicense {
  readonly id: string
  readonly key: string
}

/** Returns a readable fingerprint that is still unique when it is shortened to the display id. */
export const fingerprintOf = (license: number, host: number): string =>
  `l${two(license)}h${two(host)}-chaos-host`

const PER_HOST = 1000

/** Returns the exit code that is unique to a host and an attempt. */
export const signature = (host: Pick<Host, 'number'>, attempt: number): number =>
  host.number * PER_HOST + attempt

/** SQL of `signature`, for a row of `chaos_hosts` with the alias `h`. */
export const SIGNATURE = (attempt: string): string => `h.number * ${PER_HOST} + ${attempt}`

/** Returns a log line that names its writer, job, attempt and place. */
export const lineText = (fingerprint: string, job: string, attempt: number, place: number): string =>
  `${place} ${attempt} ${fingerprint} ${job}`

/** Parses the text of `lineText`; undefined if no host wrote the line. */
export function readLine(
  text: string,
): { place: number; attempt: number; writer: string; job: string } | undefined {
  const [place, attempt, writer, job, more] = text.split(' ')
  if (job === undefined || more !== undefined || writer === undefined) return undefined
  return { place: Number(place), attempt: Number(attempt), writer, job }
}
