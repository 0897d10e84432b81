import { defaulted, optional } from 'superstruct'
import { present } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import { ofLicense } from '../../kernel/scope.ts'
import { flag, listOf, oneOf, shape, text } from '../../kernel/validation.ts'
import { JOB_ANSWERS } from '../jobs/job-answers.ts'
import { madeAnswer } from '../jobs/job-operations.ts'
import { type AppMove, isUnderWay, MOVE_STEPS } from './app-move.ts'
import { appOf, named, operation } from './app-run-operations.ts'

const ANY = Number.POSITIVE_INFINITY
const word = text(0, 4096)
const STEP_STATES = ['done', 'now', 'next'] as const
const STATES = ['planned', 'under_way', 'moved', 'undone', 'finished'] as const
const ENDS = { move: 'moved', undo: 'undone', finish: 'finished' } as const

/** A step of a move in an answer. */
const STEP = {
  step: oneOf(MOVE_STEPS),
  host: word,
  domain: optional(word),
  state: oneOf(STEP_STATES),
  job_id: optional(word),
}

const stepsOf = ({ steps, at }: AppMove, isPlan: boolean) =>
  steps.map(({ do: step, host, domain, jobId }, index) => ({
    ...{ step, host },
    ...present('domain', domain),
    state: index < at ? ('done' as const) : index === at && !isPlan ? ('now' as const) : ('next' as const),
    ...present('job_id', jobId),
  }))

const move = operation({
  name: 'apps.move',
  summary: 'move an app to another host, step by step; again goes on, until nothing is left to do',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: {
    ...named,
    to: optional(text(1, 512)),
    /** Volumes come along, by a backup: the app is down until they are there. */
    data: defaulted(flag(), false),
    dry_run: defaulted(flag(), false),
    /** Goes back to the host from before. */
    undo: defaulted(flag(), false),
    /** Removes the app from the host from before. */
    finish: defaulted(flag(), false),
  },
  answer: {
    id: word,
    app: word,
    from: word,
    to: word,
    state: oneOf(STATES),
    steps: listOf(shape(STEP), ANY),
    /** The commit that the new host has to be sent first: no repository has it. */
    upload: optional(word),
    job: optional(JOB_ANSWERS.made.job),
    warning: optional(word),
  },
  run: async (services, { to: host, data, dry_run: isPlan, undo, finish, ...given }, operator) => {
    if (undo && finish) throw new Problem('invalid-input', { details: ['finish: expected undo or finish'] })
    if ((undo || finish) && (host !== undefined || data))
      throw new Problem('invalid-input', { details: ['to: expected it without undo and finish'] })
    const app = await appOf(services, given, operator)
    const agent =
      host === undefined ? undefined : await services.agents.resolve(ofLicense(app.licenseId), host)
    const kind = undo ? 'undo' : finish ? 'finish' : 'move'
    const wish = { kind, to: agent?.fingerprint, withData: data } as const
    const done = await (isPlan
      ? services.appMoves.plan(app, wish)
      : services.appMoves.goOn(app, wish, operator.name))
    const { move: now, job, upload } = done
    const state: (typeof STATES)[number] = isPlan ? 'planned' : isUnderWay(now) ? 'under_way' : ENDS[now.kind]
    const made = job && (await madeAnswer(services, operator, { job, created: true }))
    return {
      ...{ id: app.id, app: app.name, from: now.from, to: now.to, state, steps: stepsOf(now, isPlan) },
      ...present('upload', upload),
      ...present('job', made?.job),
      ...present('warning', made?.warning),
    }
  },
})

/** The operation that moves apps. */
export const appMoveOperations = [move]
