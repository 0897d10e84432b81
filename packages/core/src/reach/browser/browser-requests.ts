import { type Infer, optional } from 'superstruct'
import { Problem } from '../../kernel/problem.ts'
import {
  field,
  flag,
  freeObject,
  listOf,
  matching,
  oneOf,
  shape,
  text,
  whole,
} from '../../kernel/validation.ts'
import { isStep, type PageStep, readAction } from './agent-action.ts'
import { BLOCKABLE, LOAD_STATES } from './browser-page.ts'
import { readDomain } from './page-domains.ts'
import { type ResultSchema, readResultSchema } from './result-schema.ts'

/** Formats of a fetched page. */
export const SCRAPE_FORMATS = ['markdown', 'text', 'html', 'links', 'metadata', 'screenshot'] as const
/** Modes of the agent route. */
export const AGENT_MODES = ['run', 'observe', 'act'] as const
export type AgentMode = (typeof AGENT_MODES)[number]

const MAX_VARIABLES = 20
const MAX_VALUE_CHARS = 512
const url = text(1, 2048)

/** Fields of a scrape. */
export const scrapeFields = {
  url,
  formats: optional(listOf(oneOf(SCRAPE_FORMATS), SCRAPE_FORMATS.length)),
  only_main: optional(flag()),
  wait_until: optional(oneOf(LOAD_STATES)),
  wait_for: optional(text(1, 256)),
  wait_ms: optional(whole(0, 10_000)),
  timeout_ms: optional(whole(1000, 60_000)),
  viewport: optional(shape({ width: optional(whole(320, 1920)), height: optional(whole(240, 1080)) })),
  full_page: optional(flag()),
  block: optional(listOf(oneOf(BLOCKABLE), BLOCKABLE.length)),
  locale: optional(
    matching(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})?(?:-[A-Za-z0-9]{2,3})?$/, 'a language such as de-AT'),
  ),
  user_agent: optional(matching(/^[ -~]{1,256}$/, '1 to 256 printable ASCII characters')),
  max_chars: optional(whole(1000, 500_000)),
}
/** Body of a scrape. */
export const scrapeBody = shape(scrapeFields)
export type ScrapeRequest = Infer<typeof scrapeBody>

const isVariable = ([name, value]: [string, unknown]): boolean =>
  /^[a-z_]{1,32}$/.test(name) && typeof value === 'string' && value.length <= MAX_VALUE_CHARS
const variables = field<Readonly<Record<string, string>>>(
  {
    type: 'object',
    maxProperties: MAX_VARIABLES,
    propertyNames: { pattern: '^[a-z_]{1,32}$' },
    additionalProperties: { type: 'string', maxLength: MAX_VALUE_CHARS },
  },
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length <= MAX_VARIABLES &&
    Object.entries(value).every(isVariable),
  `at most ${MAX_VARIABLES} names of a to z and _ with strings of at most ${MAX_VALUE_CHARS} characters`,
)

/** Fields of a call to the agent. */
export const agentFields = {
  goal: optional(text(1, 2000)),
  url: optional(url),
  mode: optional(oneOf(AGENT_MODES)),
  action: optional(freeObject()),
  session_id: optional(text(1, 64)),
  max_steps: optional(whole(1, 30)),
  timeout_ms: optional(whole(5000, 300_000)),
  allowed_domains: optional(listOf(text(1, 253), 20)),
  variables: optional(variables),
  result_schema: optional(freeObject()),
  allow_risky: optional(flag()),
  screenshot: optional(flag()),
}
/** Body of a call to the agent. */
export const agentBody = shape(agentFields)
type AgentBody = Infer<typeof agentBody>

/** A call to the agent, whose parts fit together. */
export interface AgentRequest {
  readonly mode: AgentMode
  readonly goal: string
  readonly url: string | undefined
  readonly sessionId: string | undefined
  readonly step: PageStep | undefined
  readonly maxSteps: number
  readonly timeoutMs: number
  /** Undefined: the domain of the URL. */
  readonly domains: readonly string[] | undefined
  readonly variables: Readonly<Record<string, string>>
  readonly schema: ResultSchema | undefined
  readonly allowRisky: boolean
  readonly screenshot: boolean
}

const MAX_STEPS = 12
const TIMEOUT_MS = 120_000

/** Reads a call to the agent. @throws Problem `invalid-input` */
export function readAgentRequest(body: AgentBody): AgentRequest {
  const { mode = 'run', goal, url: page, session_id: sessionId, variables: lent = {} } = body
  const faults = [
    ...(mode === 'run' && goal === undefined ? ['goal: expected a string of 1 to 2000 characters'] : []),
    ...(page === undefined && sessionId === undefined ? ['url: expected a URL, or a session_id'] : []),
    ...(mode === 'act' && body.action === undefined ? ['action: expected an object'] : []),
  ]
  const domains = body.allowed_domains?.map((each) => readDomain(each))
  if (domains?.some((each) => each === undefined))
    faults.push('allowed_domains: expected domains that somebody has registered')
  if (faults.length > 0) throw new Problem('invalid-input', { details: faults })
  return {
    mode,
    goal: goal ?? '',
    url: page,
    sessionId,
    step: mode === 'act' ? readStep(body.action) : undefined,
    maxSteps: body.max_steps ?? MAX_STEPS,
    timeoutMs: body.timeout_ms ?? TIMEOUT_MS,
    domains: domains?.filter((each) => each !== undefined),
    variables: { ...lent },
    schema: body.result_schema === undefined ? undefined : readResultSchema(body.result_schema),
    allowRisky: body.allow_risky ?? false,
    screenshot: body.screenshot ?? false,
  }
}

function readStep(given: unknown): PageStep {
  try {
    const found = readAction(given)
    if (isStep(found)) return found
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const details = error.data.details?.map((detail) => `action.${detail}`)
    throw new Problem('invalid-input', { details: details ?? ['action: expected an action'] })
  }
  throw new Problem('invalid-input', { details: ['action.type: expected a step on the page'] })
}
