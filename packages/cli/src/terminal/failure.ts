import type { ProblemCode } from '@svc/core'
import { ConfigError, Problem, redact } from '@svc/core/client'
import { EXIT, type ExitCode, MEANINGS } from './problem-meanings.ts'
import { Interrupted } from './secret-input.ts'
import { plain, safeJson } from './terminal.ts'

export { EXIT, type ExitCode }

/** A failure in words, and the code that the command ends with. */
export interface Failure {
  readonly exitCode: ExitCode
  /** For scripts: the code of the problem, `bad-settings`, `interrupted`, `system` or `fault`. */
  readonly code: string
  /** One sentence: the fault and the next step. */
  readonly sentence: string
  /** Further lines: faulty fields, candidates, where it happened. */
  readonly details: readonly string[]
}

const INTERRUPTED: Failure = {
  exitCode: EXIT.interrupted,
  code: 'interrupted',
  sentence: 'interrupted',
  details: [],
}

/** Whether `code` names a problem that this release knows: a server may be newer. */
export const isProblemCode = (code: unknown): code is ProblemCode =>
  typeof code === 'string' && Object.hasOwn(MEANINGS, code)

/**
 * Returns the failure that an error means to the person at the terminal and to scripts. Never repeats a
 * secret.
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof Problem) return ofProblem(error)
  if (error instanceof Interrupted) return INTERRUPTED
  if (error instanceof ConfigError) {
    return { exitCode: EXIT.usage, code: 'bad-settings', sentence: 'bad settings:', details: error.faults }
  }
  return ofSystemError(error) ?? ofFault(error)
}

function ofProblem({ code, data, cause }: Problem): Failure {
  const { exitCode, sentence } = MEANINGS[code]
  const { detail, details = [], candidates = [], retryAfterSeconds } = data
  const wait = code === 'rate-limited' && retryAfterSeconds ? [`allowed again in ${retryAfterSeconds} s`] : []
  const reason = code === 'unavailable' && cause instanceof Error && cause.message ? [cause.message] : []
  return {
    exitCode,
    code,
    sentence: redact(detail ?? sentence),
    details: [...details, ...candidates, ...wait, ...reason].map(redact),
  }
}

/** Errors of the operating system and of the database that have one known way out. */
const SYSTEM_SENTENCES: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'the address is in use: stop the program that listens there, or choose another port with --port',
  EADDRNOTAVAIL: 'this machine has no such address: check --host',
  EACCES: 'access was denied by the operating system',
  EPERM: 'access was denied by the operating system',
  ENOSPC: 'the disk is full: free some room, then try again',
  '42P01': 'the database has not been migrated: run svc migrate',
  '42703': 'the database has not been migrated to this release: run svc migrate',
  '3D000': 'the database that DATABASE_URL names does not exist: create it first',
}

function ofSystemError(error: unknown): Failure | undefined {
  const { code, message = '', cause } = (error ?? {}) as { code?: unknown; message?: string; cause?: unknown }
  const sentence = SYSTEM_SENTENCES[typeof code === 'string' ? code : '']
  if (sentence !== undefined) {
    const details = message === '' ? [] : [redact(message)]
    return { exitCode: EXIT.failed, code: 'system', sentence, details }
  }
  return cause === undefined ? undefined : ofSystemError(cause)
}

/** Lines of a fault's stack trace that are shown, so that it does not fill the screen. */
const TRACE_LINES = 6

function ofFault(error: unknown): Failure {
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
  const trace = (stack ?? '').split('\n').filter((line) => line.startsWith('    at '))
  return {
    exitCode: EXIT.failed,
    code: 'fault',
    sentence: `unexpected fault: ${redact(message)}`,
    details: trace.slice(0, TRACE_LINES).map((line) => redact(line.trim())),
  }
}

/**
 * Returns a failure as text for stderr: one line for the sentence, one for each detail, even if they quote
 * line ends.
 */
export const failureText = ({ sentence, details }: Failure): string =>
  [`svc: ${plain(sentence)}`, ...details.map((line) => `  ${plain(line)}`), ''].join('\n')

/** Returns a failure as one JSON document for stderr, for callers that asked for JSON. */
export const failureJson = ({ code, sentence, details }: Failure): string =>
  `${safeJson(JSON.stringify({ error: sentence, code, details }))}\n`
