import { cut } from '../../../kernel/cut.ts'
import { Problem } from '../../../kernel/problem.ts'
import { ofLicense, PLATFORM } from '../../../kernel/scope.ts'
import type { Base } from '../../../platform/base.ts'
import type { Stores } from '../../../platform/storage/storage.ts'
import { appIdOf, pushedTo } from '../../apps/app.ts'
import type { Job, JobKind } from '../../jobs/job.ts'
import type { EnqueueInput } from '../../jobs/new-job.ts'
import { SUPERSEDED, type Superseding } from '../../jobs/superseding.ts'
import { credentialsOf } from '../git-credentials.ts'
import type { GitHook } from '../git-hook.ts'
import type { DeliveryKey } from '../git-hooks-store.ts'
import type { GitMetrics } from '../git-metrics.ts'
import { isCommitId, type Push, type PushedRef } from './push.ts'
import { type Ignored, ignoredRef, ignoredWhole } from './push-verdict.ts'

/** The part of the queue that pushes use, within a transaction. */
export interface PushQueue {
  enqueueIn(
    stores: Stores,
    input: EnqueueInput & { readonly firstLine?: string },
  ): Promise<{ readonly job: Job }>
  supersedeIn(stores: Stores, superseding: Superseding): Promise<readonly Job[]>
  counted(ended: readonly Job[]): void
}

/** Dependencies of `PushDelivery`. */
export interface PushDeliveryParts extends Pick<Base, 'storage' | 'clock' | 'ids'> {
  readonly jobs: PushQueue
  readonly metrics: GitMetrics
}

/** A push as it arrived. */
export interface Arrival {
  readonly push: Push
  /** SHA-256 of the body, hex. */
  readonly bodyDigest: string
  /** The address that sent it. */
  readonly address: string
  /** Whether its sender proved it by the license key. */
  readonly byKey: boolean
}

/** A job that a push made. */
export interface PushedJob {
  readonly hook: GitHook
  readonly job: Job
  readonly ref: string
  readonly sha: string
}

/** The outcome of a message: jobs, or the reason why there are none. */
export interface PushOutcome {
  readonly jobs: readonly PushedJob[]
  readonly ignored: Ignored | undefined
  /** For a duplicate: the job that there was already. */
  readonly jobId: string | undefined
}

/** A ref of a delivery with its hook's verdict. */
interface Judged {
  readonly ref: PushedRef | undefined
  readonly ignored: Ignored | undefined
}

/** A judged ref, and its outcome. */
interface Settled extends Judged {
  readonly made: PushedJob | undefined
  readonly jobId: string | undefined
}

/** Why an earlier delivery leaves nothing to do, and its job. */
type Past = Required<Pick<Settled, 'jobId'>> & { readonly ignored: Ignored }

/** Deliveries whose jobs a newer push may still find pending. */
const RECENT = 100
/** Refs of one message that are taken. */
const MAX_REFS = 50
const SHORT_SHA = 12
const MAX_NAME_CHARS = 255

/** The way of one push into one hook: its deployments, in one transaction with its record. */
export class PushDelivery {
  readonly #parts: PushDeliveryParts

  constructor(parts: PushDeliveryParts) {
    this.#parts = parts
  }

  /** @throws Problem `no-commit-in-push` */
  async deliver(hook: GitHook, arrival: Arrival): Promise<PushOutcome> {
    const { storage, jobs, metrics } = this.#parts
    const judged = await judge(hook, arrival.push)
    const { settled, ended } = await storage.transaction((stores) =>
      this.#settle(stores, hook, arrival, judged),
    )
    jobs.counted(ended)
    for (const { ignored } of settled) metrics.delivered(arrival.push.provider, ignored)
    const made = settled.flatMap((each) => each.made ?? [])
    const [first] = settled
    return made.length > 0
      ? { jobs: made, ignored: undefined, jobId: undefined }
      : { jobs: [], ignored: first?.ignored ?? 'event', jobId: first?.jobId }
  }

  // The hook's row is locked: of deliveries that arrive together one is first, and the others see its record.
  async #settle(stores: Stores, { id }: GitHook, arrival: Arrival, judged: readonly Judged[]) {
    const hook = await stores.gitHooks.lock(id)
    if (hook === undefined) throw new Problem('unauthorized')
    const settled: Settled[] = []
    const ended: Job[] = []
    const key = (ref: PushedRef | undefined): DeliveryKey => keyOf(hook, arrival, ref)
    for (const each of judged) {
      const { ref } = each
      const past = ref && each.ignored === undefined ? await this.#past(stores, key(ref), ref) : undefined
      const ignored = each.ignored ?? past?.ignored
      if (ref === undefined || ignored !== undefined) {
        settled.push({ ref, ignored, made: undefined, jobId: past?.jobId })
        await this.#record(stores, key(ref), arrival, { ref, ignored, jobId: past?.jobId })
        continue
      }
      if (!settled.some(({ made }) => made))
        ended.push(...(await this.#supersede(stores, hook, key(ref), ref)))
      const made = await this.#enqueue(stores, hook, key(ref), arrival, ref)
      settled.push({ ref, ignored: undefined, made, jobId: made.job.id })
      await this.#record(stores, key(ref), arrival, { ref, ignored: undefined, jobId: made.job.id })
    }
    return { settled, ended }
  }

  /** Returns the objection of earlier deliveries to a ref, if there is one. */
  async #past(stores: Stores, key: DeliveryKey, ref: PushedRef): Promise<Past | undefined> {
    const jobId = (await stores.gitHooks.earlier(key, this.#now))?.jobId
    const job = jobId === undefined ? undefined : await stores.jobs.get(PLATFORM, jobId)
    if (job?.cancel?.reason.startsWith(SUPERSEDED)) return { ignored: 'stale', jobId }
    if (job !== undefined && job.state !== 'failed') return { ignored: 'duplicate', jobId }
    return (await this.#isStale(stores, key, ref)) ? { ignored: 'stale', jobId: undefined } : undefined
  }

  // A push that goes on from the newest one is newer than it, even if it goes back to an older commit.
  async #isStale(
    { gitHooks }: Stores,
    { hookId }: DeliveryKey,
    { ref, sha, before }: PushedRef,
  ): Promise<boolean> {
    const latest = await gitHooks.latestOf(hookId, ref)
    if (latest === undefined || latest.sha === sha || latest.sha === before) return false
    return gitHooks.isReplaced(hookId, ref, sha)
  }

  async #supersede(
    stores: Stores,
    hook: GitHook,
    key: DeliveryKey,
    { sha }: PushedRef,
  ): Promise<readonly Job[]> {
    const recent = await stores.gitHooks.deliveries(hook.id, RECENT)
    const jobIds = recent.flatMap(({ deliveryId, jobId, ignored }) =>
      ignored === undefined && jobId !== undefined && deliveryId !== key.deliveryId ? [jobId] : [],
    )
    const { licenseId, cancelInProgress: alsoHeld } = hook
    return this.#parts.jobs.supersedeIn(stores, { licenseId, jobIds, by: sha.slice(0, SHORT_SHA), alsoHeld })
  }

  async #enqueue(
    stores: Stores,
    hook: GitHook,
    { deliveryId }: DeliveryKey,
    { push, byKey }: Arrival,
    { ref, sha, before }: PushedRef,
  ): Promise<PushedJob> {
    const { licenseId, app, fingerprint, repoUrl, id } = hook
    const own = await stores.apps.get(ofLicense(licenseId), appIdOf(licenseId, app))
    const [target = fingerprint, ...successors] = own === undefined ? [] : pushedTo(own, fingerprint)
    const [deployed] = await stores.deployments.list({ licenseId, app, limit: 1 })
    const kind: JobKind = deployed === undefined ? 'deploy' : 'redeploy'
    const replaced = before === undefined ? {} : { before }
    const source = { type: 'git', repo_url: repoUrl, sha, ref, ...replaced, depth: 1, ...credentialsOf(hook) }
    const { length } = successors
    const roll = length === 0 ? {} : { roll: { host: 1, of: length + 1 } }
    const payload = { app, source, hook_id: id, delivery_id: deliveryId, trigger: 'git', ...roll }
    const pusher = cut(push.pusher.replaceAll(/\p{C}/gu, ''), 100) || 'somebody'
    const firstLine = `git push ${sha.slice(0, SHORT_SHA)} ${ref} by ${pusher}`
    const madeBy = `git push by ${pusher}${byKey ? `, with the key of ${licenseId}` : ''}`
    const { job } = await this.#parts.jobs.enqueueIn(stores, {
      licenseId,
      kind,
      payload,
      target,
      successors,
      firstLine,
      madeBy,
    })
    return { hook, job, ref, sha }
  }

  #record(
    { gitHooks }: Stores,
    key: DeliveryKey,
    { push: { provider, event }, address }: Arrival,
    { ref, ignored, jobId }: Pick<Settled, 'ref' | 'ignored' | 'jobId'>,
  ): Promise<void> {
    const { before, sha = '' } = ref ?? {}
    const commits = { before, sha: short(sha) || undefined }
    const facts = { provider, event: short(event), ...commits, ignored, jobId, address }
    return gitHooks.record({ id: this.#parts.ids.next('gdl'), ...key, ...facts }, this.#now)
  }

  get #now(): Date | undefined {
    return this.#parts.clock.statementTime()
  }
}

const short = (text: string): string => cut(text, MAX_NAME_CHARS)

// A name that is too long for its column is replaced by the digest, which is as good a name.
const keyOf = ({ id }: GitHook, { push, bodyDigest }: Arrival, ref: PushedRef | undefined): DeliveryKey => ({
  hookId: id,
  deliveryId:
    push.deliveryId !== undefined && push.deliveryId.length <= MAX_NAME_CHARS ? push.deliveryId : bodyDigest,
  bodyDigest,
  ref: short(ref?.ref ?? ''),
})

async function judge(hook: GitHook, push: Push): Promise<readonly Judged[]> {
  const whole = ignoredWhole(push, hook)
  const [first] = push.refs
  if (whole !== undefined) return [{ ref: first, ignored: whole }]
  if (
    first === undefined ||
    push.refs.some(({ ref, sha, isDeleted }) => ref === '' || !(isDeleted || isCommitId(sha)))
  )
    throw new Problem('no-commit-in-push')
  const judged: Judged[] = []
  for (const ref of push.refs) judged.push({ ref, ignored: await ignoredRef(ref, hook) })
  // The refs that are wanted come first, in their order: a mirror tells of thousands that nobody wants.
  return judged
    .sort((one, other) => Number(one.ignored !== undefined) - Number(other.ignored !== undefined))
    .slice(0, MAX_REFS)
}
