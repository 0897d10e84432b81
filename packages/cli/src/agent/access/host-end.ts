import type { SentSignal } from '../../relay/protocol.ts'

/** How the programs of a session ended; absent for a byte pipe. */
export interface HostExit {
  readonly code: number
  readonly signal?: string
}

/** The end of a session on the host: a terminal, a command, or a connection. */
export interface HostEnd {
  /** Resolves when it has ended and its output was handed over; never rejects. */
  readonly ended: Promise<HostExit>
  /** Begins to read; each piece with the channel of a command. */
  start(onOutput: (data: Buffer, channel?: number) => void): void
  pause(): void
  resume(): void
  /** Calls `done` when the bytes were taken. */
  write(data: Buffer, done: () => void): void
  /** The operator sends no more. */
  eof(): void
  resize(cols: number, rows: number): void
  signal(name: SentSignal): void
  /** The operator is gone: hangs up, and kills the remaining processes a little later. */
  hangUp(): void
}

/** How long programs may take after a hang-up. */
export const HANG_UP_MS = 5000

/** Returns the code of a program as shells report it. */
export const exitOf = (
  code: number | null,
  signal: NodeJS.Signals | null,
  number: number | undefined,
): HostExit =>
  code === null ? { code: 128 + (number ?? 0), signal: (signal ?? '').replace(/^SIG/, '') } : { code }
