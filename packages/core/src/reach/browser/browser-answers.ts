import { optional } from 'superstruct'
import {
  anyText,
  field,
  finite,
  flag,
  listOf,
  namedShape,
  namedWords,
  oneOf,
  shape,
  text,
  textMap,
  type ViewOf,
  whole,
} from '../../kernel/validation.ts'
import { PAGE_REFUSALS } from '../../platform/net/page-guard.ts'
import { takenAction } from './agent-action.ts'
import { AGENT_STATUSES, STEP_OUTCOMES } from './agent-answer.ts'

const ANY = Number.POSITIVE_INFINITY
const count = whole(0, Number.MAX_SAFE_INTEGER)
const word = text(0, 4096)
namedWords('PageRefusal', PAGE_REFUSALS)

const screenshot = namedShape('Screenshot', {
  mime: oneOf(['image/png']),
  base64: anyText(),
  width: count,
  height: count,
})
const blocked = listOf(shape({ url: word, reason: oneOf(PAGE_REFUSALS) }), ANY)
const step = namedShape('BrowserStep', {
  n: count,
  url: word,
  action: takenAction,
  outcome: oneOf(STEP_OUTCOMES),
  ms: finite(),
  notes: optional(listOf(word, ANY)),
})

/** The answers of the browser worker, to operators and to holders of its tokens. */
export const BROWSER_ANSWERS = {
  scrape: {
    ok: flag(),
    request_id: word,
    url: word,
    final_url: word,
    /** Status of the page itself. */
    status: count,
    title: word,
    markdown: optional(anyText()),
    text: optional(anyText()),
    html: optional(anyText()),
    metadata: optional(
      shape({
        description: optional(anyText()),
        lang: optional(anyText()),
        canonical: optional(anyText()),
        og: textMap(),
      }),
    ),
    links: optional(listOf(shape({ href: anyText(), text: anyText() }), ANY)),
    screenshot: optional(screenshot),
    truncated: flag(),
    blocked,
    timing: shape({ total_ms: finite(), navigation_ms: finite() }),
  },
  agent: {
    ok: flag(),
    request_id: word,
    status: oneOf(AGENT_STATUSES),
    answer: optional(anyText()),
    reason: optional(anyText()),
    result: optional(field<unknown>({}, () => true, 'any value')),
    steps: optional(listOf(step, ANY)),
    final_url: optional(word),
    usage: optional(shape({ llm_calls: count, input_tokens: count, output_tokens: count })),
    snapshot: optional(anyText()),
    snapshot_hash: optional(word),
    truncated: optional(flag()),
    url: optional(word),
    title: optional(word),
    screenshot: optional(screenshot),
    blocked: optional(blocked),
    /** Absent if the session has ended. */
    session_id: optional(word),
  },
} as const

/** The answer to a scrape. */
export type ScrapeAnswer = ViewOf<typeof BROWSER_ANSWERS.scrape>
/** The answer to a call of the agent. */
export type AgentAnswer = Omit<ViewOf<typeof BROWSER_ANSWERS.agent>, 'result'> & { readonly result?: unknown }
