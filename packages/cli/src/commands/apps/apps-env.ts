import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { VariableView } from '@svc/core'
import { Problem } from '@svc/core/client'
import { type CommandRun, given, type Handler } from '../../program/command-run.ts'
import { namesTable, variablesTable } from './app-tables.ts'
import type { AppOptions } from './apps-show.ts'

/** Flags of the commands that set variables. */
export interface SetVariablesOptions extends AppOptions {
  readonly plain?: boolean
}

const LOOKS_SECRET = /secret|token|passw|credential|private|api_?key/i

/** Lists the variables of an app. */
export const listVariables: Handler<AppOptions> = async (run) => {
  const input = given({ app: run.arg(0), license: run.options.license })
  const answer = await run.operate<{ variables: readonly VariableView[] }>('apps.env-list', input)
  run.print(answer, (page) => variablesTable(answer.variables, page))
  if (answer.variables.length === 0) run.hint('No variables yet: svc apps env set APP NAME asks for one.')
}

/**
 * Sets variables: `NAME=value`, or `NAME` alone, whose value is asked for, or read from standard input a line
 * each.
 */
export const setVariables: Handler<SetVariablesOptions> = async (run) => {
  const values = new Map<string, string>()
  for (const word of run.args.slice(1)) {
    const equals = word.indexOf('=')
    const name = equals < 0 ? word : word.slice(0, equals)
    values.set(name, equals < 0 ? await run.io.readSecret(`${name}: `) : word.slice(equals + 1))
    if (equals >= 0 && (run.options.plain !== true || LOOKS_SECRET.test(name)))
      run.hint(
        `${name}: the value stood among arguments, which others on this machine can read: leave it off to be asked`,
      )
    if (run.options.plain === true && LOOKS_SECRET.test(name))
      run.hint(`${name} looks like a secret: without --plain its value is sealed and never shown`)
  }
  await set(run, values)
}

/** Sets the variables of a file of `NAME=value` lines. */
export const importVariables: Handler<SetVariablesOptions> = async (run) => {
  const file = run.arg(1)
  const text = await readFile(resolve(run.io.cwd, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Problem('invalid-input', { detail: `${file} cannot be read (${error.code})` })
  })
  const values = new Map(Object.entries(parseEnv(text)).map(([name, value]) => [name, value ?? '']))
  if (values.size === 0)
    throw new Problem('invalid-input', { detail: `${file} holds no line of the form NAME=value` })
  await set(run, values)
}

/** Removes variables. */
export const unsetVariables: Handler<AppOptions> = async (run) => {
  const names = run.args.slice(1)
  const input = given({ app: run.arg(0), license: run.options.license, names })
  const answer = await run.operate<{ app: string; removed: readonly string[] }>('apps.env-unset', input)
  run.print(answer, (page) => namesTable('REMOVED', answer.removed, page))
  for (const name of names) if (!answer.removed.includes(name)) run.hint(`${name} was not set`)
  if (answer.removed.length > 0) run.hint(NEXT(answer.app))
}

async function set(run: CommandRun<SetVariablesOptions>, variables: ReadonlyMap<string, string>) {
  const { license, plain } = run.options
  const list = [...variables].map(([name, value]) => ({ name, value }))
  const input = given({ app: run.arg(0), license, variables: list, plain })
  const answer = await run.operate<{ app: string; names: readonly string[] }>('apps.env-set', input)
  run.print(answer, (page) => namesTable('SET', answer.names, page))
  run.hint(NEXT(answer.app))
}

const NEXT = (app: string): string =>
  `The next deploy has it: svc apps deploy ${app} does the last one again.`
