import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../../kernel/problem.ts'
import { ofLicense } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import { restorePayload } from '../images/restore-payload.ts'
import { isTerminal, type Job } from '../jobs/job.ts'
import type { EnqueueInput } from '../jobs/new-job.ts'
import type { App } from './app.ts'
import { isGone } from './app-domain.ts'
import { exposePayload } from './app-domains.ts'
import { type AppMove, isUnderWay, leftBehind, type MoveStep, movedBack, movedTo } from './app-move.ts'
import { type MadeJob, noApp, placeIn, requireOneHost } from './app-place.ts'
import { demandNoDatabase } from './app-settings.ts'
import { shaOf, sourceAgain } from './app-source.ts'
import { type AppState, stateIn } from './app-state.ts'

/** Dependencies of `AppMoves`. */
export interface AppMovesParts extends Pick<Base, 'storage' | 'clock'> {
  readonly jobs: {
    enqueue(input: EnqueueInput, also: (stores: Stores, job: Job) => Promise<void>): Promise<MadeJob>
  }
}

/** The direction of a move, as an operator orders it. */
export interface MoveWish {
  readonly kind: AppMove['kind']
  /** Full fingerprint of the host; undefined: that of the move under way. */
  readonly to: string | undefined
  readonly withData: boolean
}

/** A move after one more step. */
export interface MoveProgress {
  readonly move: AppMove
  /** The job that its step waits for; undefined when nothing is left to do. */
  readonly job: Job | undefined
  /** The commit that the new host has to be sent, since no repository has it. */
  readonly upload: string | undefined
}

/** Images of an app that are looked through for the one of a move. */
const IMAGES_SEEN = 20

/** Moves of apps to other hosts: steps, of which each is a job and may be done again. */
export class AppMoves {
  readonly #parts: AppMovesParts

  constructor(parts: AppMovesParts) {
    this.#parts = parts
  }

  /**
   * Returns the move that an order means, without doing anything: the one under way, or a new one.
   * @throws Problem `conflict` for an app that cannot move so, or moves elsewhere
   */
  async plan(app: App, wish: MoveWish): Promise<MoveProgress> {
    const { move: before } = app
    const move = before?.kind === wish.kind ? this.#goneOn(app, before, wish) : await this.#begun(app, wish)
    const { live } = await this.#state(app)
    const isLeft = move.steps.some((step, index) => step.do === 'deploy' && index >= move.at)
    const upload = isLeft && wish.kind === 'move' && live?.source.type === 'upload' ? shaOf(live) : undefined
    return { move, job: undefined, upload }
  }

  /**
   * Does the next step of a move, or waits for its job. A step whose job failed is done again. Called until
   * it has no job.
   * @throws Problem as `plan`, and `conflict` when another call did a step meanwhile
   */
  async goOn(app: App, wish: MoveWish, madeBy: string): Promise<MoveProgress> {
    const { move: begun, upload } = await this.plan(app, wish)
    const { at, job: waited } = await this.#passed(begun)
    const switched = begun.steps.slice(begun.at, at).find((step) => step.do === 'switch')?.host
    const step = begun.steps[at]
    const keep = async (stores: Stores, move: AppMove | undefined) => {
      const locked = await stores.apps.lock(app.id)
      if (locked === undefined) throw noApp(app.name)
      if (!isDeepStrictEqual(locked.move, app.move)) throw elsewhere(app.name)
      const now = this.#parts.clock.statementTime()
      const { repoUrl } = locked
      if (switched !== undefined)
        await stores.apps.change(app.id, { fingerprint: switched, moreHosts: [], repoUrl }, now)
      await stores.apps.setMove(app.id, move, now)
    }
    if (waited !== undefined) return { move: { ...begun, at }, job: waited, upload }
    if (step === undefined) {
      const move = { ...begun, at }
      // A move stays, for the way back, until it is finished.
      await this.#parts.storage.transaction((stores) =>
        keep(stores, begun.kind === 'move' ? move : undefined),
      )
      return { move, job: undefined, upload: undefined }
    }
    const order = await this.#orderOf(app, begun, step)
    let move = begun
    const { job } = await this.#parts.jobs.enqueue({ ...order, madeBy }, async (stores, made) => {
      const steps = begun.steps.map((each, index) => (index === at ? { ...each, jobId: made.id } : each))
      move = { ...begun, steps, at }
      await keep(stores, move)
      if (step.do === 'expose') await this.#keepDomain(stores, app, step, made.id, madeBy)
    })
    return { move, job, upload }
  }

  /** The number of steps that are done, and the job that the next one waits for. */
  async #passed({ steps, at: before }: AppMove): Promise<{ at: number; job: Job | undefined }> {
    for (let at = before; at < steps.length; at += 1) {
      const step = steps[at]
      if (step === undefined || step.do === 'switch') continue
      const job = step.jobId === undefined ? undefined : await this.#jobOf(step.jobId)
      if (job !== undefined && !isTerminal(job.state)) return { at, job }
      if (job?.state !== 'succeeded') return { at, job: undefined }
    }
    return { at: steps.length, job: undefined }
  }

  #goneOn(app: App, move: AppMove, { to = move.to, withData }: MoveWish): AppMove {
    if (move.to === to && (move.withData || !withData)) return move
    throw new Problem('conflict', {
      detail: `${app.name} is on another move: svc apps move ${app.name} --undo, or --finish, ends it`,
    })
  }

  async #begun(app: App, { kind, to, withData }: MoveWish): Promise<AppMove> {
    const { move } = app
    if (kind === 'move') {
      if (move !== undefined) throw elsewhere(app.name)
      return this.#fresh(app, to, withData)
    }
    if (move === undefined)
      throw new Problem('conflict', {
        detail: `${app.name} has no move to ${kind}: svc apps move begins one`,
      })
    // An app that is being removed has no way back, and one that goes back leaves nothing behind yet.
    if (move.kind !== 'move') throw elsewhere(app.name)
    if (kind === 'finish' && isUnderWay(move)) throw elsewhere(app.name)
    await this.#demandQuiet(move)
    return kind === 'undo' ? movedBack(move) : leftBehind(move, await this.#domainsOf(app))
  }

  async #fresh(app: App, to: string | undefined, withData: boolean): Promise<AppMove> {
    const { storage } = this.#parts
    if (to === undefined) throw new Problem('invalid-input', { details: ['to: expected a host'] })
    const from = requireOneHost(await placeIn(storage, app), 'a move')
    if (from === to)
      throw new Problem('conflict', { detail: `${app.name} is on that host: svc apps show ${app.name}` })
    await demandNoDatabase(storage, app, 'does not move with it')
    const { state } = await this.#state(app)
    if (state !== 'deployed')
      throw new Problem('conflict', {
        detail: `${app.name} is ${state}: svc apps set ${app.name} --host HOST is enough, or svc apps start comes first`,
      })
    if (withData) await this.#demandRepository(app, from, to)
    return movedTo({ from, to, withData }, await this.#domainsOf(app))
  }

  /** @throws Problem `conflict` unless the newest images of both hosts are in one repository */
  async #demandRepository({ licenseId, name }: App, from: string, to: string): Promise<void> {
    const repositoryOf = async (fingerprint: string) => {
      const filter = { fingerprint, state: 'available', limit: 1 } as const
      return (await this.#parts.storage.images.list(ofLicense(licenseId), filter))[0]?.repo
    }
    const [one, other] = [await repositoryOf(from), await repositoryOf(to)]
    if (one !== undefined && one !== '' && one === other) return
    throw new Problem('conflict', {
      detail: `the data of ${name} moves by a backup, and its hosts have no repository in common: name one in backup.conf of both, then svc jobs enqueue backup for each`,
    })
  }

  async #demandQuiet({ steps }: AppMove): Promise<void> {
    for (const { jobId } of steps) {
      const job = jobId === undefined ? undefined : await this.#jobOf(jobId)
      if (job !== undefined && !isTerminal(job.state))
        throw new Problem('conflict', { detail: `${job.id} of the move is ${job.state}: wait, or cancel it` })
    }
  }

  async #orderOf(app: App, move: AppMove, step: MoveStep): Promise<EnqueueInput> {
    const { licenseId, name } = app
    const order = { licenseId, target: step.host }
    const { domain = '' } = step
    if (step.do === 'deploy') return { ...order, ...(await this.#deployOf(app, move)) }
    if (step.do === 'restore') return { ...order, kind: 'restore', payload: await this.#restoreOf(app, move) }
    if (step.do === 'expose') {
      const found = await this.#parts.storage.appDomains.find(licenseId, domain)
      // Visitors come when the name leads there, which is nothing that a host can wait for.
      const options = { ...(found?.options ?? { tls: 'auto' as const }), force: true }
      return { ...order, kind: 'expose', payload: exposePayload(name, domain, options) }
    }
    if (step.do === 'unexpose') return { ...order, kind: 'unexpose', payload: { app: name, domain } }
    if (step.do === 'switch') throw new Error('a switch is no job')
    return { ...order, kind: step.do, payload: { app: name } }
  }

  async #deployOf(app: App, { kind, withData }: AppMove): Promise<Pick<EnqueueInput, 'kind' | 'payload'>> {
    const { storage } = this.#parts
    const [last] = await storage.deployments.list({ licenseId: app.licenseId, app: app.name, limit: 1 })
    if (last !== undefined && !isTerminal(last.state))
      throw new Problem('conflict', { detail: `${last.jobId} deploys ${app.name}: wait for its end` })
    const { live } = await this.#state(app)
    if (live === undefined)
      throw new Problem('conflict', { detail: `${app.name} has no good deployment yet` })
    const { kept, ...again } = sourceAgain(await placeIn(storage, app), live)
    // The new host has no image from before: it pulls.
    const source = kind === 'undo' && kept !== undefined ? { ...again, kept } : again
    // A host that an app goes back to has its data.
    const data = withData || kind === 'undo'
    return { kind: 'redeploy', payload: { app: app.name, source, move: { data } } }
  }

  async #restoreOf({ licenseId, name }: App, { from, steps }: AppMove): Promise<EnqueueInput['payload']> {
    const jobId = steps.find((step) => step.do === 'backup')?.jobId
    const filter = { fingerprint: from, app: name, state: 'available', limit: IMAGES_SEEN } as const
    const images = await this.#parts.storage.images.list(ofLicense(licenseId), filter)
    const image = images.find((each) => each.jobId === jobId)
    if (image !== undefined) return restorePayload(image, { data: 'restore' })
    throw new Problem('conflict', {
      detail: `the image of ${jobId} is not in its repository any more: svc apps move ${name} --undo, then begin anew`,
    })
  }

  async #keepDomain(stores: Stores, app: App, { domain = '' }: MoveStep, jobId: string, madeBy: string) {
    const found = await stores.appDomains.find(app.licenseId, domain)
    if (found === undefined || found.appId !== app.id || isGone(found)) return
    const { licenseId, appId, options, isLeaving } = found
    const row = { licenseId, appId, domain, options, isLeaving, jobId, madeBy }
    await stores.appDomains.put(row, this.#parts.clock.statementTime())
  }

  async #domainsOf({ id }: App): Promise<readonly string[]> {
    const domains = await this.#parts.storage.appDomains.list(id)
    return domains.filter(({ isLeaving }) => !isLeaving).map(({ domain }) => domain)
  }

  async #jobOf(jobId: string): Promise<Job | undefined> {
    return this.#parts.storage.jobs.get({ of: 'platform' }, jobId)
  }

  #state(app: App): Promise<AppState> {
    return stateIn(this.#parts.storage, app)
  }
}

const elsewhere = (name: string): Problem =>
  new Problem('conflict', {
    detail: `${name} has a move already, or another call goes on with it: svc apps show ${name} says where it is`,
  })
