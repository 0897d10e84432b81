import type { AppDomainView } from '@svc/core'
import { Problem } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { domainsTable } from './app-tables.ts'
import { deployed, type FollowOptions } from './apps-deploy.ts'
import type { AppOptions } from './apps-show.ts'

interface AddDomainOptions extends FollowOptions {
  readonly tls?: string
  readonly process?: string
  readonly path?: readonly string[]
  readonly redirectTo?: string
  readonly allow?: readonly string[]
  readonly user?: string
  readonly hsts?: boolean
  readonly maxBody?: string
  readonly force?: boolean
}

/** Reads the processes that answer below paths. @throws Problem `invalid-input` for a word of another form */
function pathsOf(words: readonly string[] | undefined) {
  return words?.map((word) => {
    const [path, process] = word.split('=')
    if (path?.startsWith('/') && process) return { path, process }
    throw new Problem('invalid-input', {
      detail: `'${word}' is no PATH=PROCESS, such as /api=api: a process of svc.json with "http": true`,
    })
  })
}

/** Leads a domain to an app. */
export const addDomain: Handler<AddDomainOptions> = async (run) => {
  const { license, tls, process, path, redirectTo, allow, user, hsts, maxBody, force } = run.options
  const password =
    user === undefined ? undefined : await run.io.readSecret(`password of ${user} at ${run.arg(1)}: `)
  const way = { process, paths: pathsOf(path), redirect_to: redirectTo }
  const how = { tls, ...way, allow, user, password, hsts, max_body: maxBody, force }
  return deployed(run, 'apps.domains-add', given({ app: run.arg(0), domain: run.arg(1), license, ...how }))
}

/** Takes a domain away from an app. */
export const removeDomain: Handler<FollowOptions> = (run) => {
  const { license } = run.options
  return deployed(run, 'apps.domains-remove', given({ app: run.arg(0), domain: run.arg(1), license }))
}

/** Lists the domains of an app. */
export const listDomains: Handler<AppOptions> = async (run) => {
  const input = given({ app: run.arg(0), license: run.options.license })
  const answer = await run.operate<{ domains: readonly AppDomainView[] }>('apps.domains-list', input)
  run.print(answer, (page) => domainsTable(answer.domains, page))
  for (const { domain, reason } of answer.domains) if (reason !== undefined) run.hint(`${domain}: ${reason}`)
  if (answer.domains.length === 0)
    run.hint('No domains yet: svc apps domains add APP DOMAIN leads one to the app.')
}
