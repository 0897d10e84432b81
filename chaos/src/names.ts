const two = (value: number): string => String(value).padStart(2, '0')

/** A host of a run: its number spells its exit codes, so that the row of a job says who ended it. */
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

/** Fingerprints that people can read, and of which the display id still tells one from the other. */
export const fingerprintOf = (license: number, host: number): string =>
  `l${two(license)}h${two(host)}-chaos-host`

const PER_HOST = 1000

/** The exit code by which a host signs the end of an attempt. */
export const signature = (host: Pick<Host, 'number'>, attempt: number): number =>
  host.number * PER_HOST + attempt

/** SQL for the same, of a row of `chaos_hosts` called `h`. */
export const SIGNATURE = (attempt: string): string => `h.number * ${PER_HOST} + ${attempt}`

/** A line that says who wrote it, and where it belongs. */
export const lineText = (fingerprint: string, job: string, attempt: number, place: number): string =>
  `${place} ${attempt} ${fingerprint} ${job}`

/** Whose line it is; undefined for one that none of the hosts wrote. */
export function readLine(
  text: string,
): { place: number; attempt: number; writer: string; job: string } | undefined {
  const [place, attempt, writer, job, more] = text.split(' ')
  if (job === undefined || more !== undefined || writer === undefined) return undefined
  return { place: Number(place), attempt: Number(attempt), writer, job }
}
