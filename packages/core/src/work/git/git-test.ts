import { createHmac } from 'node:crypto'
import type { Ids } from '../../kernel/ids.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Base } from '../../platform/base.ts'
import type { Outbound } from '../../platform/net/outbound.ts'
import type { GitHook } from './git-hook.ts'
import type { GitHooks } from './git-hooks.ts'
import { isCommitId } from './push/push.ts'
import { textAt } from './push/read-json.ts'

/** Dependencies of `GitTest`. */
export interface GitTestParts extends Pick<Base, 'storage'> {
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
  /** The way back to a commit, when newer ones were deployed or pushed after it. */
  readonly advice?: string
  /** Why there was no answer. */
  readonly error?: string
}

const MAX_ANSWER_CHARS = 2048
/** Deployments of an app among which a commit is looked for. */
const RELEASES_SEEN = 100
const SHORT_SHA = 12

/** Whether the service has ignored a delivery because newer commits came after it. */
function isStale(answer: string): boolean {
  try {
    return textAt(JSON.parse(answer), 'ignored') === 'stale'
  } catch {
    return false
  }
}

function adviceOn({ app }: GitHook, sha: string, answer: string, isOld: boolean): { advice?: string } {
  const back = `svc apps rollback ${app} --to ${sha.slice(0, SHORT_SHA)}`
  if (isStale(answer))
    return { advice: `newer commits were pushed after this one, and a push never goes back: ${back} does` }
  if (!isOld) return {}
  return {
    advice: `newer commits were deployed after this one, and the push takes it back: next time ${back}`,
  }
}
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
    const isOld = await this.#isOld(hook, sha)
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
    const delivered = status === 200 || status === 202
    return { delivered, status, answer: said, ...adviceOn(hook, sha, said, delivered && isOld) }
  }

  /** Whether a commit was deployed before, and another one after it. */
  async #isOld({ licenseId, app }: GitHook, sha: string): Promise<boolean> {
    const filter = { licenseId, app, limit: RELEASES_SEEN }
    const shas = (await this.#parts.storage.deployments.list(filter)).map(({ source }) => source.sha)
    return shas[0] !== sha && shas.includes(sha)
  }
}
