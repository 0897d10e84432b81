import type { AppCronView } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { cronsTable } from './app-tables.ts'
import type { AppOptions } from './apps-show.ts'
import { operateNamed } from './host-names.ts'

/** Lists the commands of an app that run at times of the clock. */
export const listCrons: Handler<AppOptions> = async (run) => {
  const input = given({ app: run.arg(0), license: run.options.license })
  const { answer, nameOf } = await operateNamed<{ crons: readonly AppCronView[] }>(
    run,
    'apps.cron-list',
    input,
  )
  run.print(answer, (page) => cronsTable(answer.crons, page, nameOf))
  for (const { name, fault } of answer.crons)
    if (fault !== undefined) run.hint(`${name}: svc apps logs ${run.arg(0)} --process cron.${name}`)
  if (answer.crons.length === 0)
    run.hint('No commands yet, or its host has not told of them: cron in svc.json makes some.')
}
