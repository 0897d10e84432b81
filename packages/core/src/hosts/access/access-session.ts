/** Kinds of sessions for shells: a terminal, one command, or bytes to the host's own SSH server. */
export const SHELL_MODES = ['shell', 'exec', 'tcp'] as const
/**
 * All kinds of sessions. Besides those for shells: the output of an app, one command of it, and commits of it
 * that are sent to its host.
 */
export const ACCESS_MODES = [...SHELL_MODES, 'logs', 'run', 'upload'] as const
export type AccessMode = (typeof ACCESS_MODES)[number]

/** Whether sessions of a kind give their operators a shell, or bytes that lead to one. */
export const isShell = (mode: AccessMode): boolean => SHELL_MODES.some((each) => each === mode)
/** Kinds of sessions for those who may deploy; the others are for those who may have a shell. */
export const DEPLOY_MODES: readonly AccessMode[] = ['logs', 'upload']

/** States of a session. The last three are final. */
export const ACCESS_STATES = ['pending', 'claimed', 'connected', 'ended', 'expired', 'revoked'] as const
export type AccessState = (typeof ACCESS_STATES)[number]

/** The two sides of a session. Each connects to the relay with its own token. */
export const RELAY_ROLES = ['agent', 'operator'] as const
export type RelayRole = (typeof RELAY_ROLES)[number]

/** A session of an operator on a host. Instants are the database's. */
export interface AccessSession {
  readonly id: string
  readonly licenseId: string
  readonly fingerprint: string
  readonly hostname: string
  /** A user who signed in, a program with an API token, or somebody on the service's machine. */
  readonly operatorKind: 'user' | 'token' | 'machine'
  readonly operatorId: string | undefined
  readonly operatorLabel: string
  readonly mode: AccessMode
  /** The user of the host; undefined: the one that the host chooses. */
  readonly user: string | undefined
  /**
   * The command of mode `exec`, or the wish of the modes `logs`, `run` and `upload`; it is deleted when the
   * session has ended.
   */
  readonly command: string | undefined
  /** The command without known secrets, which stays. */
  readonly shownCommand: string | undefined
  readonly cols: number
  readonly rows: number
  readonly term: string
  readonly reason: string
  /** The address that asked for the session; `''` if it came over the control socket. */
  readonly ip: string
  /** Base URL of the relay that both sides connect to. */
  readonly relay: string
  readonly state: AccessState
  readonly createdAt: Date
  /** Until then a host may claim it. */
  readonly expiresAt: Date
  readonly claimedAt: Date | undefined
  readonly connectedAt: Date | undefined
  readonly endedAt: Date | undefined
  readonly endReason: string | undefined
  readonly exitCode: number | undefined
  /** Bytes from the operator to the host, and back. */
  readonly bytesIn: number
  readonly bytesOut: number
}

/** A claimed session is handed out again after this many seconds if its host has not come to the relay. */
export const REDELIVER_SECONDS = 10
/** Sessions in one answer to a host. */
export const MAX_DELIVERED = 4
/** A relay says this often that it still holds a session, in seconds. */
export const SEEN_SECONDS = 15
/** A connected session ends if no relay has named it for this many seconds. */
export const RELAY_LOST_SECONDS = 60
/** A host that has been silent for longer than this many seconds gets no sessions. */
export const REACH_SECONDS = 180
/** A refused key is written at most this often, in seconds. */
export const KEY_REFUSAL_SECONDS = 60

/** Whether a session may still begin or goes on. */
export const isLive = (state: AccessState): boolean =>
  state === 'pending' || state === 'claimed' || state === 'connected'

/** The proof of a host that asks for sessions: `ACCESS_AGENT_KEY`. */
export const AGENT_KEY_RULES = ['pin', 'require', 'off'] as const
export type AgentKeyRule = (typeof AGENT_KEY_RULES)[number]
