import { randomBytes } from 'node:crypto'
import type { Log } from '@svc/core'
import { codeOf } from '../exchange/errors.ts'

const PREFIX_BYTES = 9

/**
 * Request ids: a random prefix makes them unique over restarts and replicas, and ids with one prefix are in
 * order.
 */
export class RequestIds {
  readonly #prefix = `req_${randomBytes(PREFIX_BYTES).toString('base64url')}`
  #made = 0

  /** Returns the next id: visible ASCII, under 32 characters. */
  next(): string {
    this.#made += 1
    return `${this.#prefix}.${this.#made.toString(36)}`
  }
}

/** The log line of one answered request: it has no address, key, body or raw URL. */
export interface LoggedRequest {
  readonly request: string
  readonly method: string
  /** The template of the route. */
  readonly route: string
  readonly status: number
  readonly ms: number
  /** The code of the refusal. */
  readonly code?: string
  /** The reason of one that says that the service is not available. */
  readonly detail?: string
  readonly [field: string]: unknown
}

/** Writes one line per request, at a level that depends on the status. */
export function logRequest(log: Log, line: LoggedRequest): void {
  if (line.status >= 500) log.warn(line, 'request failed')
  else if (line.status >= 400) log.info(line, 'request refused')
  else log.debug(line, 'request answered')
}

/** Logs a fault without its message, which may quote text that a client sent. */
export function logFault(log: Log, request: string, route: string, error: unknown): void {
  const cause = error instanceof Error ? error.cause : undefined
  const facts = { request, route, code: codeOf(error), fault: faultOf(error) }
  log.error(cause === undefined ? facts : { ...facts, cause: faultOf(cause) }, 'request fault')
}

/** Logs an answer whose client did not wait for it. */
export function logUndelivered(log: Log, error: unknown): void {
  log.debug({ fault: faultOf(error) }, 'answer not delivered')
}

function faultOf(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { name: typeof error }
  const { code } = error as { code?: unknown }
  // Frames only: the head of a stack is the message.
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return {
    name: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    frames: frames.map((line) => line.trim()),
  }
}
