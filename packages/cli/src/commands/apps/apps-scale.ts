import { Problem } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { deployed, type FollowOptions } from './apps-deploy.ts'

interface AdjustOptions extends FollowOptions {
  readonly host?: string
}

/** Changes how many instances of its processes an app has. */
export const scaleApp: Handler<AdjustOptions> = (run) => {
  const [app, ...words] = run.args
  const processes = words.map((word) => {
    const [, process, count] = /^([a-z][a-z0-9-]{0,31})=(\d{1,2})$/.exec(word) ?? []
    if (process !== undefined) return { process, count: Number(count) }
    throw new Problem('invalid-input', {
      detail: `'${word}' is no PROCESS=COUNT, such as web=2: a process of svc.json, and 0 to 10`,
    })
  })
  const { license, host } = run.options
  return deployed(run, 'apps.scale', given({ app, license, host, processes }))
}

/** Turns visitors of an app away, or lets them in again. */
export const maintainApp: Handler<AdjustOptions> = (run) => {
  const { license, host } = run.options
  const word = run.arg(1)
  if (word !== 'on' && word !== 'off')
    throw new Problem('invalid-input', { detail: `'${word}' is neither on nor off` })
  return deployed(run, 'apps.maintenance', given({ app: run.arg(0), license, host, on: word === 'on' }))
}
