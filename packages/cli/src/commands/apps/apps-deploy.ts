import { type CommandRun, given, type Handler } from '../../program/command-run.ts'
import { facts } from '../../terminal/render.ts'
import type { AppOptions } from './apps-show.ts'

interface Deployed {
  readonly job_id: string
  readonly app: string
  readonly sha: string
}

/** Deploys a commit of an app, or its last one again. */
export const deployApp: Handler<AppOptions & { readonly sha?: string; readonly ref?: string }> = async (
  run,
) => {
  const { license, sha, ref } = run.options
  await print(run, 'apps.deploy', { app: run.arg(0), license, sha, ref })
}

/** Goes back to an earlier good deployment of an app. */
export const rollBackApp: Handler<AppOptions & { readonly to?: string }> = async (run) => {
  const { license, to } = run.options
  await print(run, 'apps.rollback', { app: run.arg(0), license, to })
}

async function print(run: CommandRun, operation: string, input: object): Promise<void> {
  const answer = await run.operate<Deployed & object>(operation, given({ ...input }))
  run.print(answer, (page) =>
    facts(
      [
        ['app', answer.app],
        ['commit', answer.sha],
        ['job', answer.job_id],
      ],
      page,
    ),
  )
  run.hint(`Follow it: svc jobs logs ${answer.job_id} --follow`)
}
