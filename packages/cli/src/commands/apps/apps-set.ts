import type { AppView } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { appFacts } from './app-tables.ts'
import type { AppOptions } from './apps-show.ts'

/** Flags of the commands that set an app. */
export interface SetAppOptions extends AppOptions {
  readonly host?: string
  readonly repo?: string
}

/** Makes an app. */
export const createApp: Handler<SetAppOptions> = async (run) => {
  const { license, host, repo } = run.options
  const input = given({ name: run.arg(0), license, host, repo_url: repo })
  const answer = await run.operate<{ app: AppView }>('apps.create', input)
  run.print(answer, (page) => appFacts(answer.app, page))
}

/** Changes the host or the repository of an app. */
export const setApp: Handler<SetAppOptions> = async (run) => {
  const { license, host, repo } = run.options
  const input = given({ app: run.arg(0), license, host, repo_url: repo })
  const answer = await run.operate<{ app: AppView }>('apps.set', input)
  run.print(answer, (page) => appFacts(answer.app, page))
}

/** Forgets an app. */
export const removeApp: Handler<AppOptions & { readonly data?: boolean }> = async (run) => {
  const { license, data } = run.options
  const answer = await run.operate<{ job_id?: string }>(
    'apps.remove',
    given({ app: run.arg(0), license, data }),
  )
  run.print(answer, () => '')
  run.hint('The app, its variables and domains are forgotten.')
  run.hint(
    answer.job_id === undefined
      ? 'What runs on its host stays: the job kind remove ends it.'
      : `Its host ends it and removes its volumes: svc jobs logs ${answer.job_id} --follow`,
  )
}
