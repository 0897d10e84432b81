import type { AppDomainView } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { domainsTable } from './app-tables.ts'
import { deployed, type FollowOptions } from './apps-deploy.ts'
import type { AppOptions } from './apps-show.ts'

interface AddDomainOptions extends FollowOptions {
  readonly tls?: string
  readonly redirectTo?: string
  readonly allow?: readonly string[]
  readonly user?: string
  readonly force?: boolean
}

/** Leads a domain to an app. */
export const addDomain: Handler<AddDomainOptions> = async (run) => {
  const { license, tls, redirectTo, allow, user, force } = run.options
  const password =
    user === undefined ? undefined : await run.io.readSecret(`password of ${user} at ${run.arg(1)}: `)
  const how = { tls, redirect_to: redirectTo, allow, user, password, force }
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
