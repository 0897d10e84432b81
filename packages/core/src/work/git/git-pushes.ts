import { Problem } from '../../kernel/problem.ts'
import { ofLicense, PLATFORM } from '../../kernel/scope.ts'
import type { Licensee } from '../../people/licenses/license.ts'
import type { LicenseDeeds } from '../../people/licenses/license-deeds.ts'
import type { Base } from '../../platform/base.ts'
import type { GitHook } from './git-hook.ts'
import type { GitHooks } from './git-hooks.ts'
import type { GitMetrics } from './git-metrics.ts'
import { type Arrival, PushDelivery, type PushDeliveryParts, type PushOutcome } from './push/push-delivery.ts'
import { isToHook } from './push/push-verdict.ts'
import { type PushHeaders, readPush } from './push/read-push.ts'
import { isSigned, knowsSecret, type SentDelivery } from './webhook-credentials.ts'

/** The check of license keys. */
export interface LicenseCheck {
  validate(key: string): Promise<Licensee | undefined>
  requireOpen(licenseId: string): Promise<void>
}

/** The check of a license key's rights beside acting for hosts. */
export type DeedCheck = Pick<LicenseDeeds, 'admitKey'>

/** Dependencies of `GitPushes`. */
export interface GitPushesParts extends PushDeliveryParts, Pick<Base, 'storage' | 'clock'> {
  readonly hooks: Pick<GitHooks, 'deliverySecrets' | 'list'>
  readonly licenses: LicenseCheck
  readonly licenseDeeds: DeedCheck
  readonly metrics: GitMetrics
}

/** The sender of a delivery: one that knows a hook's secret, or the holder of a license key. */
export interface GitSender {
  readonly licenseId: string
  readonly hook: GitHook | undefined
  /** Whether the license key proved it, and no secret of a hook. */
  readonly byKey?: boolean
}

/** A message of a git host whose sender is known. */
export interface GitMessage extends Omit<Arrival, 'push' | 'byKey'> {
  readonly headers: PushHeaders
  /** The parsed document. */
  readonly document: unknown
}

const DEED = 'git-push'
const HOOK_ID = /^ghk_[0-9a-z]{1,60}$/
/** Compared with the proof of senders to an unknown hook, so that they wait as long as others. */
const NOBODYS = ['whsec_bm9ib2R5IGtub3dzIHRoaXMgc2VjcmV0LCBldmVyICE=']

/** Messages of git hosts about pushes, and the jobs that they make (docs/git.md). */
export class GitPushes {
  readonly #parts: GitPushesParts
  readonly #delivery: PushDelivery

  constructor(parts: GitPushesParts) {
    this.#parts = parts
    this.#delivery = new PushDelivery(parts)
  }

  /**
   * Finds the sender of a delivery to a hook, or to none: then a license key says which hooks are meant.
   * @throws Problem `unauthorized`, the same for an unknown hook, a closed license and a wrong credential;
   * `credential-refused` for the key of a license whose key acts for hosts alone
   */
  async authenticate(sent: SentDelivery, hookId: string | undefined): Promise<GitSender> {
    const sender = hookId === undefined ? await this.#holder(sent) : await this.#sender(sent, hookId)
    if (sender !== undefined && (await this.#isOpen(sender.licenseId))) return sender
    this.#parts.metrics.refused()
    throw new Problem('unauthorized')
  }

  /**
   * Takes a message: for each pushed ref that a hook wants, a job that deploys it. The same message again
   * makes no other job, unless the first one failed.
   * @throws Problem `no-commit-in-push` for a push that names no commit
   */
  async receive(
    { hook, licenseId, byKey = false }: GitSender,
    { headers, document, ...rest }: GitMessage,
  ): Promise<PushOutcome> {
    const arrival = { ...rest, push: readPush(headers, document), byKey }
    const hooks = hook === undefined ? await this.#hooksOf(licenseId, arrival) : [hook]
    const outcomes: PushOutcome[] = []
    for (const each of hooks) outcomes.push(await this.#delivery.deliver(each, arrival))
    const jobs = outcomes.flatMap((outcome) => outcome.jobs)
    if (jobs.length > 0) return { jobs, ignored: undefined, jobId: undefined }
    return outcomes[0] ?? { jobs, ignored: 'repository', jobId: undefined }
  }

  async #hooksOf(licenseId: string, { push }: Arrival): Promise<readonly GitHook[]> {
    if (push.repositories.length === 0) return []
    return (await this.#parts.hooks.list(ofLicense(licenseId))).filter((hook) => isToHook(push, hook))
  }

  async #holder({ bearer }: SentDelivery): Promise<GitSender | undefined> {
    const licensee = bearer === undefined ? undefined : await this.#parts.licenses.validate(bearer)
    if (licensee === undefined) return undefined
    await this.#parts.licenseDeeds.admitKey(licensee.licenseId, DEED)
    return { licenseId: licensee.licenseId, hook: undefined, byKey: true }
  }

  async #sender(sent: SentDelivery, hookId: string): Promise<GitSender | undefined> {
    const { storage, hooks, licenses, clock } = this.#parts
    const hook = HOOK_ID.test(hookId) ? await storage.gitHooks.get(PLATFORM, hookId) : undefined
    const secrets = hook === undefined ? NOBODYS : await hooks.deliverySecrets(hook.id)
    const isKnown = knowsSecret(sent, secrets, clock.now())
    if (hook !== undefined && isKnown) return { licenseId: hook.licenseId, hook }
    if (sent.bearer === undefined || isSigned(sent)) return undefined
    const licensee = await licenses.validate(sent.bearer)
    if (hook === undefined || licensee?.licenseId !== hook.licenseId) return undefined
    await this.#parts.licenseDeeds.admitKey(hook.licenseId, DEED)
    return { licenseId: hook.licenseId, hook, byKey: true }
  }

  async #isOpen(licenseId: string): Promise<boolean> {
    try {
      await this.#parts.licenses.requireOpen(licenseId)
      return true
    } catch (error) {
      if (error instanceof Problem && (error.code === 'conflict' || error.code === 'not-found')) return false
      throw error
    }
  }
}
