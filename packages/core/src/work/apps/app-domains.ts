import { readDomainName } from '../../kernel/domain-name.ts'
import { present } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import { ofLicense } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import type { Job } from '../jobs/job.ts'
import type { EnqueueInput } from '../jobs/new-job.ts'
import { type App, demandNoMove } from './app.ts'
import { type AppDomain, type DomainOptions, isGone, isWanted } from './app-domain.ts'
import { type MadeJob, noApp, placeIn, requireHosts } from './app-place.ts'
import { MAX_DOMAINS, readExposeOrder } from './exposure.ts'
import { digestOf, type VisitorLogin } from './visitor-login.ts'

/** Dependencies of `AppDomains`. */
export interface AppDomainsParts extends Pick<Base, 'storage' | 'clock'> {
  readonly jobs: {
    enqueue(input: EnqueueInput, also: (stores: Stores, job: Job) => Promise<void>): Promise<MadeJob>
  }
  /** Host names of the service itself, which lead to no app. */
  readonly ownNames: ReadonlySet<string>
}

/** A domain as an operator orders it, by names as people write them. */
export interface DomainWish {
  readonly domain: string
  readonly tls: DomainOptions['tls']
  /** The process that answers, and those that answer below paths. */
  readonly process?: string | undefined
  readonly paths?: Readonly<Record<string, string>> | undefined
  readonly redirectTo?: string | undefined
  readonly allow?: readonly string[] | undefined
  /** The name and password that visitors have to say. */
  readonly login?: VisitorLogin | undefined
  /** Whether browsers are told to come by https alone. */
  readonly hsts?: boolean | undefined
  /** The largest body of a request, such as `10M`. */
  readonly maxBody?: string | undefined
  /** Also when the name leads elsewhere. */
  readonly force?: boolean | undefined
  readonly madeBy: string
}

/** The job of an order, the domain's name, and whether it was wanted so already. */
export interface MadeDomain extends MadeJob {
  readonly domain: string
  readonly isRepeat: boolean
}

// The contract wants a port; a host that keeps the app running takes the app's own.
const PORT = 80

/** The payload of a job that leads a domain to an app. */
export const exposePayload = (app: string, domain: string, options: DomainOptions & { force?: boolean }) => ({
  ...{ app, domain, port: PORT },
  ...options,
})

/** The domains of apps: the plane keeps those that are wanted, and hosts lead them to their apps. */
export class AppDomains {
  readonly #parts: AppDomainsParts

  constructor(parts: AppDomainsParts) {
    this.#parts = parts
  }

  /** The domains of an app by name, without those that its host has taken away. */
  async list({ id }: Pick<App, 'id'>): Promise<readonly AppDomain[]> {
    return (await this.#parts.storage.appDomains.list(id)).filter((domain) => !isGone(domain))
  }

  /**
   * Keeps that an app has a domain, and makes the job for its host. A repeat makes a job again.
   * @throws Problem `invalid-input` for a name that nobody can register, and for one of the service itself;
   * `conflict` when another app of the license has it, the app has 50, or no host; `not-found`
   */
  async add(app: App, { madeBy, force = false, ...wish }: DomainWish): Promise<MadeDomain> {
    const domain = this.#nameOf('domain', wish.domain)
    const { storage, clock, jobs } = this.#parts
    const { licenseId, id: appId } = app
    const options: DomainOptions = {
      tls: wish.tls,
      ...present('process', wish.process),
      ...present('paths', wish.paths),
      ...(wish.login === undefined ? {} : { basic_auth: await this.#digestOf(app, domain, wish.login) }),
      ...(wish.redirectTo === undefined ? {} : { redirect_to: this.#nameOf('redirect_to', wish.redirectTo) }),
      ...(wish.allow === undefined ? {} : { allow: [...wish.allow] }),
      ...(wish.hsts ? { hsts: true } : {}),
      ...present('max_body', wish.maxBody),
    }
    if (options.redirect_to !== undefined && (options.process ?? options.paths) !== undefined)
      throw new Problem('invalid-input', { details: ['redirect_to: expected without a process or paths'] })
    if (options.redirect_to === domain)
      throw new Problem('invalid-input', { details: ['redirect_to: expected another domain'] })
    const payload = exposePayload(app.name, domain, { ...options, ...(force ? { force } : {}) })
    readExposeOrder(payload)
    demandNoMove(app)
    const hosts = requireHosts(await placeIn(storage, app))
    let isRepeat = false
    const order = { licenseId, kind: 'expose', payload, ...hosts } as const
    const made = await jobs.enqueue(order, async (stores, { id: jobId }) => {
      if ((await stores.apps.lock(appId)) === undefined) throw noApp(app.name)
      const before = await roomFor(stores, app, domain)
      isRepeat = before !== undefined && isWanted(before, options)
      const row = { licenseId, appId, domain, options, isLeaving: false, jobId, madeBy }
      if (!(await stores.appDomains.put(row, clock.statementTime()))) throw taken(domain, undefined)
    })
    return { ...made, domain, isRepeat }
  }

  /**
   * Makes the job that takes a domain away from an app, for the host that got it. The domain is forgotten
   * when that has succeeded.
   * @throws Problem `not-found` when the app does not have it
   */
  async remove(app: App, given: string, madeBy: string): Promise<MadeDomain> {
    const { storage, clock, jobs } = this.#parts
    const domain = readDomainName(given) ?? given
    const { licenseId, id: appId } = app
    demandNoMove(app)
    const { jobTarget } = await ownOf(storage, app, domain)
    const others = (await placeIn(storage, app)).hosts.filter((host) => host !== jobTarget)
    const hosts = { target: jobTarget, ...(others.length === 0 ? {} : { successors: others }) }
    let isRepeat = false
    const order = { licenseId, kind: 'unexpose', payload: { app: app.name, domain }, ...hosts } as const
    const made = await jobs.enqueue(order, async (stores, { id: jobId }) => {
      if ((await stores.apps.lock(appId)) === undefined) throw noApp(app.name)
      const { options, isLeaving } = await ownOf(stores, app, domain)
      isRepeat = isLeaving
      const row = { licenseId, appId, domain, options, isLeaving: true, jobId, madeBy }
      await stores.appDomains.put(row, clock.statementTime())
    })
    return { ...made, domain, isRepeat }
  }

  /** The digest of a login; of one that the domain has already, the one that is there. */
  async #digestOf(app: App, domain: string, login: VisitorLogin) {
    const before = await this.#parts.storage.appDomains.find(app.licenseId, domain)
    return digestOf(login, before?.appId === app.id ? before.options.basic_auth : undefined)
  }

  #nameOf(field: string, given: string): string {
    const name = readDomainName(given)
    const refused = (detail: string) => new Problem('invalid-input', { details: [`${field}: ${detail}`] })
    if (given.includes('*')) throw refused('a wildcard leads to no app: name each domain')
    if (name === undefined) throw refused('expected a domain that can be registered, or one below it')
    if (field === 'domain' && this.#parts.ownNames.has(name)) throw refused(`${name} is the service's own`)
    return name
  }
}

/** The row of an app's domain that is not gone. @throws Problem `not-found` */
async function ownOf({ appDomains }: Pick<Stores, 'appDomains'>, app: App, domain: string) {
  const found = await appDomains.find(app.licenseId, domain)
  if (found !== undefined && found.appId === app.id && !isGone(found)) return found
  throw new Problem('not-found', {
    detail: `${app.name} has no domain ${domain}: svc apps domains list ${app.name} shows them`,
  })
}

/**
 * Makes room for a domain of an app; returns the row of the same name that the app has.
 * @throws Problem `conflict` when another app has it, or this one has too many
 */
async function roomFor(stores: Stores, app: App, domain: string): Promise<AppDomain | undefined> {
  const before = await stores.appDomains.find(app.licenseId, domain)
  if (before !== undefined && !isGone(before)) {
    if (before.appId === app.id) return before
    throw taken(domain, (await stores.apps.get(ofLicense(app.licenseId), before.appId))?.name)
  }
  if (before !== undefined) await stores.appDomains.remove(app.licenseId, domain)
  const kept = await stores.appDomains.list(app.id)
  for (const gone of kept.filter(isGone)) await stores.appDomains.remove(app.licenseId, gone.domain)
  if (kept.filter((each) => !isGone(each)).length < MAX_DOMAINS) return undefined
  throw new Problem('conflict', {
    detail: `${app.name} has ${MAX_DOMAINS} domains, the most that an app has: svc apps domains remove makes room`,
  })
}

const taken = (domain: string, other = 'another app'): Problem =>
  new Problem('conflict', {
    detail: `${domain} leads to ${other} of this license: svc apps domains remove comes first`,
  })
