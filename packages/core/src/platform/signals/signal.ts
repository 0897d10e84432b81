/** The channel of the database that carries signals. */
export const SIGNAL_CHANNEL = 'svc'

/**
 * A word of the database that something changed for waiting hosts. It names rows and holds no content:
 * whoever hears it asks the database.
 */
export type Signal =
  | {
      /** A job that hosts may take. */
      readonly kind: 'job'
      readonly licenseId: string
      readonly jobKind: string
      /** Full fingerprint of the one host that may take it; empty: any of the license. */
      readonly target: string
      /** Milliseconds until it is due. */
      readonly inMs: number
    }
  | {
      /** `host`: it is drained, returns, or should stop a job. `access`: a session waits for it. */
      readonly kind: 'host' | 'access'
      readonly licenseId: string
      readonly fingerprint: string
    }
  | {
      /** A replica's own word to itself, which shows that signals arrive. */
      readonly kind: 'echo'
      readonly nonce: string
    }

/** Longest time between two looks for missed signals, in milliseconds. */
export const LOOK_MS = 15_000

/** Somebody whom signals are for. */
export interface Hearer {
  /** Whether anyone waits for a signal. */
  readonly isWaiting: boolean
  hear(signal: Signal): void
  /** Returns the signals that would be due now, in case some were missed. */
  look(): Promise<readonly Signal[]>
}

/** The place where those who wait hear signals. */
export interface SignalSource {
  /** Adds somebody who hears all signals from now on. */
  join(hearer: Hearer): void
  /** Begins to hear, when the first one waits. */
  begin(): void
}

// A fingerprint may hold spaces, so it stands last.
const JOB = /^job (\S{1,64}) \S{1,64} (\S{1,64}) (\d{1,15}) (.{0,512})$/su
const HOST = /^(host|access) (\S{1,64}) (.{1,512})$/su
const ECHO = /^echo (\S{1,64})$/u

/**
 * Reads a signal: `job LICENSE JOB KIND MILLISECONDS TARGET`, `host LICENSE FINGERPRINT`,
 * `access LICENSE FINGERPRINT` or `echo NONCE`; undefined for any other text, which a newer release may send.
 */
export function readSignal(text: string): Signal | undefined {
  const [, licenseId, jobKind, inMs, target] = JOB.exec(text) ?? []
  if (licenseId !== undefined && jobKind !== undefined && target !== undefined)
    return { kind: 'job', licenseId, jobKind, target, inMs: Number(inMs) }
  const [, kind, owner, fingerprint] = HOST.exec(text) ?? []
  if (owner !== undefined && fingerprint !== undefined)
    return { kind: kind === 'host' ? 'host' : 'access', licenseId: owner, fingerprint }
  const [, nonce] = ECHO.exec(text) ?? []
  return nonce === undefined ? undefined : { kind: 'echo', nonce }
}
