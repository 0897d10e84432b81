/** Hosting providers, each behind the same port. */
export const PROVIDERS = ['hetzner', 'digitalocean'] as const
export type ProviderName = (typeof PROVIDERS)[number]

/** States of an order (docs/provisioning.md). */
export const ORDER_STATES = [
  'requested',
  'pricing',
  'reserving',
  'creating',
  'waiting_action',
  'booting',
  'waiting_agent',
  'ready',
  'failed',
  'failed_kept',
  'cancelled',
  'delete_requested',
  'cleanup_lookup',
  'deleting',
  'waiting_delete',
  'deleted',
] as const
export type OrderState = (typeof ORDER_STATES)[number]

/** Names of steps in answers and in the history of an order. */
export const ORDER_STEPS = {
  requested: 'validate',
  pricing: 'price',
  reserving: 'reserve',
  creating: 'create_server',
  waiting_action: 'wait_action',
  booting: 'wait_boot',
  waiting_agent: 'wait_agent',
  failed: 'clean_up',
  delete_requested: 'lookup_server',
  cleanup_lookup: 'lookup_server',
  deleting: 'delete_server',
  waiting_delete: 'wait_delete',
} as const satisfies Partial<Record<OrderState, string>>

/** A state that the worker has a step for. */
export type WorkingState = keyof typeof ORDER_STEPS

/** States whose steps lead to a server: they need all gates and a credential. */
export const BUILDING_STATES: ReadonlySet<OrderState> = new Set([
  'requested',
  'pricing',
  'reserving',
  'creating',
  'waiting_action',
  'booting',
  'waiting_agent',
])

/** States whose steps take servers away: they need a credential and nothing else. */
export const CLEANING_STATES: ReadonlySet<OrderState> = new Set([
  'failed',
  'delete_requested',
  'cleanup_lookup',
  'deleting',
  'waiting_delete',
])

/** States that end an order: no step follows, and no server of it is known. */
export const ENDED_STATES: ReadonlySet<OrderState> = new Set(['cancelled', 'deleted'])

/** Whether an operator may still take an order back without anything at the provider. */
export const BEFORE_CREATE: ReadonlySet<OrderState> = new Set(['requested', 'pricing', 'reserving'])

const FAILS = ['failed', 'delete_requested'] as const

/** The states that may follow each state; staying is always allowed. */
export const TRANSITIONS: Readonly<Record<OrderState, readonly OrderState[]>> = {
  requested: ['pricing', 'failed', 'cancelled'],
  pricing: ['reserving', 'failed', 'cancelled'],
  reserving: ['creating', 'failed', 'cancelled'],
  creating: ['waiting_action', ...FAILS],
  waiting_action: ['booting', ...FAILS],
  booting: ['waiting_agent', ...FAILS],
  waiting_agent: ['ready', ...FAILS],
  ready: ['delete_requested'],
  failed: ['cleanup_lookup', 'failed_kept', 'delete_requested'],
  failed_kept: ['delete_requested'],
  cancelled: [],
  delete_requested: ['deleting', 'deleted', 'failed'],
  cleanup_lookup: ['deleting', 'deleted', 'failed'],
  deleting: ['waiting_delete', 'failed'],
  waiting_delete: ['deleted'],
  deleted: [],
}

/** An order for one server. Instants are the database's. */
export interface Order {
  readonly id: string
  readonly licenseId: string
  readonly plan: string
  readonly provider: ProviderName
  readonly serverType: string
  readonly image: string
  /** Places where the server may stand, the first choice first. */
  readonly locations: readonly string[]
  /** The place where it is tried next, or stands. */
  readonly location: string
  /** Keys at the provider that may sign in, by id or name. */
  readonly sshKeys: readonly string[]
  readonly hostname: string
  readonly state: OrderState
  readonly stateSince: Date
  /** How often the step of this state was begun. */
  readonly attempt: number
  /** Requests for a server that may have made one. */
  readonly creates: number
  /** Undefined: no step is due, ever. */
  readonly nextRunAt: Date | undefined
  /** The server's name at the provider, made from the id. */
  readonly providerName: string
  /** Eight hex digits that the server's labels and its agent repeat. */
  readonly nonce: string
  /** When a server was asked for; undefined if the provider is known to have made none. */
  readonly createSentAt: Date | undefined
  readonly serverId: string | undefined
  readonly actionId: string | undefined
  readonly ipv4: string | undefined
  readonly ipv6: string | undefined
  readonly userDataSha256: string | undefined
  /** The price of a month that is reserved, in minor units; undefined before the provider was asked. */
  readonly monthlyMinor: number | undefined
  readonly currency: string | undefined
  /** The license key for the agent, sealed; undefined once the server has it. */
  readonly licenseKey: string | undefined
  /** Why the order does not go on, or has failed. */
  readonly errorCode: string | undefined
  readonly errorDetail: string | undefined
  /** Since when that has been the reason. */
  readonly errorSince: Date | undefined
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Prefix of an order's id, and of the name of its server. */
export const ORDER_PREFIX = 'pord'

/** Returns the name of an order's server: the part of the id that is its own. */
export const providerNameOf = (orderId: string): string => `svc-${orderId.slice(ORDER_PREFIX.length + 1)}`

/**
 * Returns the fingerprint that the agent of an order's server reports under. The random number comes first:
 * ids of hosts are made of the first characters, and orders of one minute begin alike.
 */
export const fingerprintOf = ({ id, nonce }: Pick<Order, 'id' | 'nonce'>): string => `${nonce}-${id}`

/** Whether a server of this order may exist at the provider. */
export const mayHaveServer = ({
  serverId,
  createSentAt,
}: Pick<Order, 'serverId' | 'createSentAt'>): boolean => serverId !== undefined || createSentAt !== undefined

/** Whether the worker has a step for an order in this state. */
export const isWorking = (state: OrderState): state is WorkingState => Object.hasOwn(ORDER_STEPS, state)

/** Plans, server types, images and places: the form of a provider's own names. */
export const NAME_PATTERN = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
/** Keys at a provider. */
export const SSH_KEY_PATTERN = /^[A-Za-z0-9](?:[A-Za-z0-9 .:@_-]{0,126}[A-Za-z0-9])?$/

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** Names of hosts: labels of letters, digits and dashes, at most 63 characters together. */
export const HOSTNAME_PATTERN = new RegExp(`^(?=.{1,63}$)${LABEL}(?:\\.${LABEL})*$`)

/** Conditions for making a server, in the order of answers. */
export const GATES = ['live_opt_in', 'credential', 'catalog', 'template', 'spend_ceiling'] as const
export type Gate = (typeof GATES)[number]

/** Which gates are open. */
export type OpenGates = Readonly<Record<Gate, boolean>>

/** Returns the closed gates that matter: steps that take servers away need a credential alone. */
export const closedGates = (gates: OpenGates, isCleaning: boolean): readonly Gate[] =>
  GATES.filter((gate) => !gates[gate] && (gate === 'credential' || !isCleaning))
