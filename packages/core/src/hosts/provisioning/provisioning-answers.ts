import { optional } from 'superstruct'
import {
  anyText,
  flag,
  listOf,
  namedShape,
  namedWords,
  oneOf,
  shape,
  text,
  unixSecond,
  whole,
} from '../../kernel/validation.ts'
import { CREDENTIAL_STATES } from './credential.ts'
import { GATES, ORDER_STATES, PROVIDERS } from './order.ts'
import { STEP_OUTCOMES } from './provisioning-store.ts'

const provider = oneOf(PROVIDERS)
const state = oneOf(ORDER_STATES)
namedWords('HostingProvider', PROVIDERS)
namedWords('OrderState', ORDER_STATES)
namedWords('OrderGate', GATES)
const count = whole(0, Number.MAX_SAFE_INTEGER)
const money = text(8, 24)

const order = namedShape('ServerOrder', {
  id: anyText(),
  license_id: anyText(),
  plan: anyText(),
  provider,
  server_type: anyText(),
  location: anyText(),
  image: anyText(),
  hostname: anyText(),
  server_name: anyText(),
  state,
  state_since: unixSecond(),
  attempt: count,
  creates: count,
  next_run_at: unixSecond(),
  created_at: unixSecond(),
  updated_at: unixSecond(),
  server_id: optional(anyText()),
  ipv4: optional(anyText()),
  ipv6: optional(anyText()),
  user_data_sha256: optional(anyText()),
  reserves: optional(money),
  error_code: optional(anyText()),
  error_detail: optional(anyText()),
})

const event = namedShape('ServerOrderEvent', {
  at: unixSecond(),
  from: state,
  to: state,
  step: anyText(),
  outcome: oneOf(STEP_OUTCOMES),
  http_status: optional(count),
  correlation_id: optional(anyText()),
  detail: optional(anyText()),
})

const step = namedShape('ServerOrderStep', {
  order_id: anyText(),
  step: anyText(),
  previous_state: state,
  state,
  provider,
  server_id: optional(anyText()),
  next_run_at: unixSecond(),
  attempt: count,
  outcome: oneOf(STEP_OUTCOMES),
  error_code: optional(anyText()),
})

const entry = namedShape('CatalogEntry', {
  plan: anyText(),
  provider,
  server_type: anyText(),
  locations: listOf(anyText(), 100),
  image: anyText(),
  ssh_keys: listOf(anyText(), 100),
  max_monthly: money,
  enabled: flag(),
})

const credential = namedShape('ProviderCredential', {
  provider,
  source: oneOf(['settings', 'stored']),
  fingerprint: anyText(),
  state: oneOf(CREDENTIAL_STATES),
  verified_at: unixSecond(),
  rate_reset_at: unixSecond(),
})

const server = namedShape('ProviderServer', {
  id: anyText(),
  name: anyText(),
  running: flag(),
  order_id: optional(anyText()),
  ipv4: optional(anyText()),
})

const MANY = 10_000

/** The call of the worker when gates let it work. */
export const worked = { ok: flag(), advanced: count, results: listOf(step, 100), remaining: count }

/** The closed gates. */
export const gateList = listOf(oneOf(GATES), GATES.length)

/** Answers of the operations on provisioning. */
export const PROVISIONING_ANSWERS = {
  check: { missing: gateList, template_faults: listOf(anyText(), 100) },
  work: {
    ok: flag(),
    advanced: optional(count),
    results: optional(listOf(step, 100)),
    remaining: optional(count),
    error: optional(anyText()),
    missing: optional(gateList),
  },
  order: { order },
  placed: {
    order: optional(order),
    dry_run: optional(flag()),
    locations: optional(listOf(anyText(), 100)),
    price: optional(money),
    max_monthly: optional(money),
    reserves: optional(money),
    left: optional(money),
  },
  orders: { orders: listOf(order, MANY) },
  story: { order, events: listOf(event, 1000) },
  entry: { entry },
  catalog: { catalog: listOf(entry, MANY) },
  removed: { removed: flag() },
  credentials: { credentials: listOf(credential, 100) },
  budget: {
    ceiling: optional(money),
    left: optional(money),
    reserved: listOf(shape({ amount: money, orders: count }), 100),
  },
  reconciliation: {
    provider,
    plane_id: anyText(),
    orphans: listOf(server, MANY),
    missing: listOf(order, MANY),
    over_price: listOf(shape({ order_id: anyText(), price: money, reserves: optional(money) }), MANY),
  },
  server: { server },
  template: { template: anyText() },
} as const
