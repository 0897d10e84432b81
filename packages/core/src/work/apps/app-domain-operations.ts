import { optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import {
  flag,
  listOf,
  namedFields,
  namedShape,
  oneOf,
  shape,
  text,
  type ViewOf,
  whole,
} from '../../kernel/validation.ts'
import { type AppDomain, DOMAIN_STATES, domainState } from './app-domain.ts'
import { appOf, MADE, madeFor, named, operation } from './app-run-operations.ts'
import { processName } from './definition.ts'
import { bodySize, MAX_PATHS, MAX_RANGES, pathPrefix, TLS, visitorName } from './exposure.ts'
import type { VisitorLogin } from './visitor-login.ts'

const ANY = Number.POSITIVE_INFINITY
const count = whole(0, Number.MAX_SAFE_INTEGER)
const word = text(0, 4096)
const NAME = text(1, 512)

/** A domain of an app in an answer. */
const DOMAIN = {
  domain: word,
  state: oneOf(DOMAIN_STATES),
  /** Why its newest job failed. */
  reason: optional(word),
  tls: oneOf(TLS),
  /** The process that answers; `web` when none is named. */
  process: optional(word),
  /** Processes that answer below paths. */
  paths: optional(listOf(shape({ path: word, process: word }), ANY)),
  redirect_to: optional(word),
  allow: optional(listOf(word, ANY)),
  /** The name that visitors have to say, with its password. */
  user: optional(word),
  hsts: optional(flag()),
  max_body: optional(word),
  /** The host that its newest job is for. */
  host: word,
  job_id: word,
  by: word,
  created_at: count,
  updated_at: count,
}
/** A domain of an app as operators see it. */
export type AppDomainView = ViewOf<typeof DOMAIN>

const FAILED = { add: 'its job failed', remove: 'it was not taken away' } as const

/** A domain of an app as operators see it. */
function domainView(found: AppDomain): AppDomainView {
  const { domain, options, isLeaving, jobError } = found
  const state = domainState(found)
  const reason = isLeaving ? [FAILED.remove, jobError ?? []].flat().join(': ') : (jobError ?? FAILED.add)
  return {
    ...{ domain, state, tls: options.tls, host: found.jobTarget, job_id: found.jobId, by: found.madeBy },
    ...present('reason', state === 'failed' ? reason : undefined),
    ...present('process', options.process),
    ...present(
      'paths',
      options.paths && Object.entries(options.paths).map(([path, to]) => ({ path, process: to })),
    ),
    ...present('redirect_to', options.redirect_to),
    ...present('allow', options.allow),
    ...present('user', options.basic_auth?.user),
    ...present('hsts', options.hsts),
    ...present('max_body', options.max_body),
    created_at: unixSeconds(found.createdAt),
    updated_at: unixSeconds(found.updatedAt),
  }
}

function loginOf(user: string | undefined, password: string | undefined): VisitorLogin | undefined {
  if (user === undefined && password === undefined) return undefined
  if (user !== undefined && password !== undefined) return { user, password }
  throw new Problem('invalid-input', { details: ['user: expected together with a password'] })
}

const CHANGED = namedFields('AppDomainJob', { ...MADE, domain: word })

const add = operation({
  name: 'apps.domains-add',
  summary: 'lead a domain to an app, or change how it leads there',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: {
    ...named,
    domain: NAME,
    tls: optional(oneOf(TLS)),
    process: optional(processName),
    paths: optional(listOf(shape({ path: pathPrefix, process: processName }), MAX_PATHS)),
    redirect_to: optional(NAME),
    allow: optional(listOf(text(1, 64), MAX_RANGES)),
    /** The name and password that visitors have to say: both, or none. */
    user: optional(visitorName),
    password: optional(text(1, 72)),
    /** Whether browsers are told to come by https alone, for a year. */
    hsts: optional(flag()),
    /** The largest body of a request, such as 10M. */
    max_body: optional(bodySize),
    force: optional(flag()),
  },
  answer: CHANGED,
  run: async (
    services,
    {
      domain,
      tls = 'auto',
      process,
      paths,
      redirect_to,
      allow,
      user,
      password,
      hsts,
      max_body,
      force,
      ...given
    },
    operator,
  ) => {
    const login = loginOf(user, password)
    const app = await appOf(services, given, operator)
    const ways = paths && Object.fromEntries(paths.map((each) => [each.path, each.process]))
    const way = { process, paths: ways, redirectTo: redirect_to, allow, login, hsts, maxBody: max_body }
    const wish = { domain, tls, ...way, force, madeBy: operator.name }
    const { domain: name, isRepeat, ...made } = await services.appDomains.add(app, wish)
    const note = isRepeat
      ? `${name} is there already with these options: the job makes sure of it`
      : undefined
    return { ...(await madeFor(services, operator, app, made, note)), domain: name }
  },
})

const remove = operation({
  name: 'apps.domains-remove',
  summary: 'take a domain away from an app',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: { ...named, domain: NAME },
  answer: CHANGED,
  run: async (services, { domain, ...given }, operator) => {
    const app = await appOf(services, given, operator)
    const { domain: name, isRepeat, ...made } = await services.appDomains.remove(app, domain, operator.name)
    const note = isRepeat ? `${name} is being removed already: the job makes sure of it` : undefined
    return { ...(await madeFor(services, operator, app, made, note)), domain: name }
  },
})

const list = operation({
  name: 'apps.domains-list',
  summary: 'list the domains of an app, with the state of each',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  input: named,
  answer: { id: word, app: word, domains: listOf(namedShape('AppDomain', DOMAIN), ANY) },
  run: async (services, given, operator) => {
    const app = await appOf(services, given, operator)
    const domains = await services.appDomains.list(app)
    return { id: app.id, app: app.name, domains: domains.map(domainView) }
  },
})

/** Operations on the domains of apps. */
export const appDomainOperations = [add, remove, list]
