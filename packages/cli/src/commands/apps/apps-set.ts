import type { AppView } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { appFacts } from './app-tables.ts'
import type { AppOptions } from './apps-show.ts'
import { operateNamed } from './host-names.ts'

/** Flags of the commands that set an app. */
export interface SetAppOptions extends AppOptions {
  readonly host?: readonly string[]
  readonly repo?: string
}

/** One host, which may be none, or several. */
const hostsOf = (hosts: readonly string[] | undefined) =>
  hosts === undefined || hosts.length < 2 ? { host: hosts?.[0] } : { hosts }

/** Makes an app. */
export const createApp: Handler<SetAppOptions> = async (run) => {
  const { license, host, repo } = run.options
  const input = given({ name: run.arg(0), license, ...hostsOf(host), repo_url: repo })
  const { answer, nameOf } = await operateNamed<{ app: AppView }>(run, 'apps.create', input)
  run.print(answer, (page) => appFacts(answer.app, page, nameOf))
}

/** Changes the hosts or the repository of an app. */
export const setApp: Handler<SetAppOptions> = async (run) => {
  const { license, host, repo } = run.options
  const input = given({ app: run.arg(0), license, ...hostsOf(host), repo_url: repo })
  const { answer, nameOf } = await operateNamed<{ app: AppView }>(run, 'apps.set', input)
  run.print(answer, (page) => appFacts(answer.app, page, nameOf))
}

/** Forgets an app. */
export const removeApp: Handler<AppOptions & { readonly data?: boolean }> = async (run) => {
  const { license, data } = run.options
  const answer = await run.operate<{ job_id?: string; databases?: readonly string[] }>(
    'apps.remove',
    given({ app: run.arg(0), license, data }),
  )
  run.print(answer, () => '')
  run.hint('The app, its variables and domains are forgotten.')
  const { databases = [] } = answer
  if (databases.length > 0)
    run.hint(`Its host drops the databases ${databases.join(', ')}, and keeps a dump of each for 7 days.`)
  run.hint(
    answer.job_id === undefined
      ? 'What runs on its host stays: the job kind remove ends it.'
      : `Its host ends it and removes its volumes: svc jobs logs ${answer.job_id} --follow`,
  )
}
