import { createHmac } from 'node:crypto'
import type { Ids } from '../../kernel/ids.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Outbound } from '../../platform/net/outbound.ts'
import type { GitHook } from './git-hook.ts'
import type { GitHooks } from './git-hooks.ts'
import { isCommitId } from './push/push.ts'
import { textAt } from './push/read-json.ts'

/** Dependencies of `GitTest`. */
export interface GitTestParts {
  readonly ids: Ids
  readonly hooks: Pick<GitHooks, 'deliverySecrets' | 'webhookUrl'>
  /** The client for the service's own address, which operators set. */
  readonly outbound: Outbound
}

/** How a test delivery went. */
export interface GitTestOutcome {
  /** Whether the hook took it, or said why it deploys nothing. */
  readonly delivered: boolean
  readonly status?: number
  /** The answer of the service. */
  readonly answer?: string
  /** The way to a deploy, when the hook has deployed newer commits since. */
  readonly advice?: string
  /** Why there was no answer. */
  readonly error?: string
}

const MAX_ANSWER_CHARS = 2048
const SHORT_SHA = 12

/** Whether the service has ignored a delivery because newer commits came after it. */
function isStale(answer: string): boolean {
  try {
    return textAt(JSON.parse(answer), 'ignored') === 'stale'
  } catch {
    return false
  }
}

const backTo = (app: string, sha: string): string =>
  `newer commits were pushed after this one, and a push never goes back: svc apps rollback ${app} --to ${sha.slice(0, SHORT_SHA)} does`
const TIMEOUT_MS = 10_000

/**
 * Sends a delivery to a hook as its git host would, over the network and signed. It finds out whether the
 * address leads here, through every proxy on the way.
 */
export class GitTest {
  readonly #parts: GitTestParts

  constructor(parts: GitTestParts) {
    this.#parts = parts
  }

  /** @throws Problem `invalid-input`, `public-url-not-configured`, `secrets-not-configured` */
  async send(
    hook: GitHook,
    { sha, ref = `refs/heads/${hook.branch}` }: { readonly sha: string; readonly ref?: string | undefined },
  ): Promise<GitTestOutcome> {
    const { ids, hooks, outbound } = this.#parts
    if (!isCommitId(sha))
      throw new Problem('invalid-input', {
        details: ['sha: expected a full commit id of 40 or 64 lower-case hex digits'],
      })
    const url = hooks.webhookUrl(hook.id)
    const [secret = ''] = (await hooks.deliverySecrets(hook.id)).slice(-1)
    const body = JSON.stringify({ ref, sha, delivery_id: `test-${ids.secret(12)}`, pusher: 'svc git test' })
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    const answer = await outbound.request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
      body,
      plainHttp: true,
      timeoutMs: TIMEOUT_MS,
    })
    if (!answer.ok) return { delivered: false, error: answer.refusal }
    const { status } = answer
    const said = Buffer.from(answer.body).toString('utf8').slice(0, MAX_ANSWER_CHARS)
    const advice = isStale(said) ? { advice: backTo(hook.app, sha) } : {}
    return { delivered: status === 200 || status === 202, status, answer: said, ...advice }
  }
}
