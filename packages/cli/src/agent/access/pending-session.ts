import { ACCESS_MODES, type AccessMode } from '@svc/core'

/** A session that the plane has handed to this host. */
export interface PendingSession {
  readonly id: string
  readonly token: string
  readonly relayUrl: string
  readonly mode: AccessMode
  readonly user: string | undefined
  readonly command: string | undefined
  readonly cols: number
  readonly rows: number
  readonly term: string
  readonly operator: string
  readonly reason: string
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
const numberOf = (value: unknown, otherwise: number): number =>
  Number.isInteger(value) && (value as number) > 0 ? (value as number) : otherwise

/** Reads the sessions of an answer; those that this release does not understand are left out. */
export function readPending(body: unknown): readonly PendingSession[] {
  const { sessions } = (body ?? {}) as { sessions?: unknown }
  return Array.isArray(sessions) ? sessions.map(readOne).filter((each) => each !== undefined) : []
}

function readOne(given: Record<string, unknown> | null): PendingSession | undefined {
  const { session_id, token, relay_url, mode, user, command, cols, rows, term, operator, reason } =
    given ?? {}
  const [id, ticket, url] = [textOf(session_id), textOf(token), textOf(relay_url)]
  const known = ACCESS_MODES.find((each) => each === mode)
  if (id === undefined || ticket === undefined || known === undefined) return undefined
  if (url === undefined || !URL.canParse(url) || !/^wss?:$/.test(new URL(url).protocol)) return undefined
  return {
    id,
    token: ticket,
    relayUrl: url,
    mode: known,
    user: textOf(user),
    command: textOf(command),
    cols: numberOf(cols, 80),
    rows: numberOf(rows, 24),
    term: textOf(term) ?? 'xterm-256color',
    operator: textOf(operator) ?? 'unknown',
    reason: textOf(reason) ?? '',
  }
}
