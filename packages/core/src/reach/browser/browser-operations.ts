import { defaulted, optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present, presentSeconds } from '../../kernel/present.ts'
import { listOf, namedShape, oneOf, text, whole } from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import { BROWSER_ANSWERS } from './browser-answers.ts'
import { agentFields, readAgentRequest, scrapeFields } from './browser-requests.ts'
import type { BrowserRun } from './browser-store.ts'
import { BROWSER_WORK } from './browser-store.ts'
import { type BrowserToken, DAILY_LIMIT, MOST_DAILY, OPERATOR } from './browser-token.ts'
import type { BrowserTokens } from './browser-tokens.ts'
import type { BrowserWorker } from './browser-worker.ts'

/** The services that operations on the browser use. */
export interface BrowserUses {
  readonly browserTokens: BrowserTokens
  readonly browserWorker: BrowserWorker
  readonly licenses: Pick<Licenses, 'resolve'>
}

const operation = operationOf<BrowserUses>()

/** Returns a browser token as operators see it; instants in unix seconds. */
const tokenView = (token: BrowserToken) => ({
  id: token.id,
  label: token.label,
  ...present('license_id', token.licenseId),
  daily_limit: token.dailyLimit,
  created_at: unixSeconds(token.createdAt),
  ...presentSeconds('last_used_at', token.lastUsedAt),
})
/** A browser token as operators see it. */
export type BrowserTokenView = ReturnType<typeof tokenView>

/** Returns work of the browser as operators see it. */
const runView = (run: BrowserRun) => ({
  id: run.id,
  token_id: run.tokenId,
  kind: run.kind,
  url_host: run.urlHost,
  status: run.status,
  steps: run.steps,
  ms: run.ms,
  bytes: run.bytes,
  llm_tokens: run.llmTokens,
  created_at: unixSeconds(run.createdAt),
})
/** Work of the browser as operators see it. */
export type BrowserRunView = ReturnType<typeof runView>

const word = text(0, 512)
const count = whole(0, Number.MAX_SAFE_INTEGER)
const token = namedShape('BrowserToken', {
  id: word,
  label: word,
  license_id: optional(word),
  daily_limit: count,
  created_at: count,
  last_used_at: optional(count),
})
const run = namedShape('BrowserRun', {
  id: word,
  token_id: word,
  kind: oneOf(BROWSER_WORK),
  url_host: word,
  status: word,
  steps: count,
  ms: count,
  bytes: count,
  llm_tokens: count,
  created_at: count,
})
const MOST_RUNS = 1000

// Variables are for tokens alone: the audit log keeps the input of operators.
const { goal, url, max_steps, timeout_ms, allowed_domains, result_schema, allow_risky } = agentFields
const OPERATOR_RUN = { goal, url, max_steps, timeout_ms, allowed_domains, result_schema, allow_risky }

/** Operations on the tokens of the browser worker, and on the work that was done with them. */
export const browserOperations = [
  operation({
    name: 'browser-tokens.issue',
    summary: 'issue a token that drives the browser worker and opens nothing else; it is shown once',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    confirmed: true,
    input: {
      license: optional(text(1, 512)),
      label: defaulted(text(0, 128), ''),
      daily: defaulted(whole(1, MOST_DAILY), DAILY_LIMIT),
    },
    answer: { token, secret: word },
    run: async ({ browserTokens, licenses }, { license, label, daily: dailyLimit }, { scope }) => {
      const licenseId = license === undefined ? undefined : await licenses.resolve(scope, license)
      const issued = await browserTokens.issue({ label, licenseId, dailyLimit })
      return { token: tokenView(issued.token), secret: issued.secret }
    },
  }),
  operation({
    name: 'browser-tokens.list',
    summary: 'list the tokens of the browser worker, without their secrets',
    permission: 'platform.admin',
    scope: 'platform',
    changes: false,
    input: {},
    answer: { tokens: listOf(token, Number.POSITIVE_INFINITY) },
    run: async ({ browserTokens }) => ({ tokens: (await browserTokens.list()).map(tokenView) }),
  }),
  operation({
    name: 'browser-tokens.revoke',
    summary: 'end a token of the browser worker for good, from its next request on',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: { token: text(1, 64) },
    answer: { token },
    run: async ({ browserTokens }, input) => ({ token: tokenView(await browserTokens.revoke(input.token)) }),
  }),
  operation({
    name: 'browser.runs',
    summary: 'list the work of the browser worker, newest first: hosts and figures, never pages',
    permission: 'platform.admin',
    scope: 'platform',
    changes: false,
    input: { limit: defaulted(whole(1, MOST_RUNS), 50) },
    answer: { runs: listOf(run, MOST_RUNS) },
    run: async ({ browserWorker }, { limit }) => ({ runs: (await browserWorker.runs(limit)).map(runView) }),
  }),
  operation({
    name: 'browser.scrape',
    summary: 'open a page in the browser worker and bring it as text',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: scrapeFields,
    answer: BROWSER_ANSWERS.scrape,
    run: async ({ browserWorker }, input) => ({
      ...(await browserWorker.scrape(OPERATOR, input, new AbortController().signal)),
    }),
  }),
  operation({
    name: 'browser.run',
    summary: 'let the agent of the browser worker reach a goal on a page',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: OPERATOR_RUN,
    answer: BROWSER_ANSWERS.agent,
    run: async ({ browserWorker }, input) => {
      const request = readAgentRequest({ ...input, mode: 'run' })
      const answer = await browserWorker.agent(OPERATOR, request, new AbortController().signal)
      return { ...answer, result: answer.result }
    },
  }),
]
