import { Problem } from '@svc/core'
import { alertPages } from './pages/alerts.ts'
import { apiPage } from './pages/api.ts'
import { appPages } from './pages/apps.ts'
import { choicesPage } from './pages/choices.ts'
import { deliveryPages } from './pages/deliveries.ts'
import { hostPages } from './pages/hosts.ts'
import { imagePages } from './pages/images.ts'
import { jobPages } from './pages/jobs.ts'
import { moneyPages } from './pages/money.ts'
import { overviewPage } from './pages/overview.ts'
import { peoplePages } from './pages/people.ts'
import { searchPage } from './pages/search.ts'
import { systemPages } from './pages/system.ts'
import { watchPages } from './pages/watch.ts'
import { runPage } from './run-page.ts'
import type { SentForm } from './sent-form.ts'
import { signOutPage } from './sign-out.ts'
import type { Redirect, View, Visit } from './visit.ts'

/** The parts of an address that a page's path leaves open, by their names. */
export type Params = Readonly<Record<string, string>>

/** One page of the console. */
export interface Page {
  /** Below the console's root: `jobs/{job}`. */
  readonly path: string
  /** The operation that the page shows the answer of. */
  readonly operation?: string
  /** @throws Problem as the operations that the page runs */
  show(visit: Visit, params: Params): Promise<View | Redirect>
  /** Takes a form that was sent to the page's address. */
  send?(visit: Visit, params: Params, form: SentForm): Promise<View | Redirect>
}

/** Every page. */
export const PAGES: readonly Page[] = [
  overviewPage,
  searchPage,
  choicesPage,
  ...hostPages,
  ...appPages,
  ...jobPages,
  ...alertPages,
  ...imagePages,
  ...watchPages,
  ...peoplePages,
  ...deliveryPages,
  ...moneyPages,
  ...systemPages,
  apiPage,
  runPage,
  signOutPage,
]

interface Found {
  readonly page: Page
  readonly params: Params
}

/** Returns the page at a path. @throws Problem `not-found` */
export function pageAt(path: string): Found {
  const given = path.split('/').map(decodeURIComponent)
  for (const page of PAGES) {
    const params = paramsOf(page.path.split('/'), given)
    if (params !== undefined) return { page, params }
  }
  throw new Problem('not-found', { detail: 'there is no such page' })
}

function paramsOf(pattern: readonly string[], given: readonly string[]): Params | undefined {
  if (pattern.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    const value = given[index] ?? ''
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
    if (name !== undefined) params[name] = value
    else if (part !== value) return undefined
  }
  return params
}
