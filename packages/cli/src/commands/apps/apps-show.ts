import type { AppView, ReleaseView } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { wholeNumber } from '../number-option.ts'
import { appFacts, appsTable, releasesTable } from './app-tables.ts'
import { operateNamed } from './host-names.ts'

/** Flags of the commands on one app. */
export interface AppOptions {
  readonly license?: string
}

/** Lists the apps. */
export const listApps: Handler<AppOptions> = async (run) => {
  const input = given({ license: run.options.license })
  const { answer, nameOf } = await operateNamed<{ apps: readonly AppView[] }>(run, 'apps.list', input)
  run.print(answer, (page) => appsTable(answer.apps, page, nameOf))
  if (answer.apps.length === 0) run.hint('No apps yet: a git hook, a deploy or svc apps create makes one.')
}

/** Shows an app. */
export const showApp: Handler<AppOptions> = async (run) => {
  const input = given({ app: run.arg(0), license: run.options.license })
  const { answer, nameOf } = await operateNamed<{ app: AppView }>(run, 'apps.show', input)
  run.print(answer, (page) => appFacts(answer.app, page, nameOf))
}

/** Lists the deployments of an app. */
export const listReleases: Handler<AppOptions & { readonly limit?: string }> = async (run) => {
  const { license, limit } = run.options
  const input = given({ app: run.arg(0), license, limit: wholeNumber('--limit', limit) })
  const { answer, nameOf } = await operateNamed<{ releases: readonly ReleaseView[] }>(
    run,
    'apps.releases',
    input,
  )
  run.print(answer, (page) => releasesTable(answer.releases, page, nameOf))
  if (answer.releases.length === 0)
    run.hint('It was never deployed: svc apps deploy APP --sha COMMIT does it.')
}
