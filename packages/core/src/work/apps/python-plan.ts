import { present } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import type { AppPlan, ReleaseFacts } from './app-plan.ts'
import { type AppDefinition, DEFINITION_FILE } from './definition.ts'

/** The folder of a release that holds the packages of its program of Python. */
const VENV = '.venv'
const LISTS = ['requirements.txt', 'pyproject.toml']

/**
 * The plan of a program of Python. `base`: the plan of its Procfile, or an empty one.
 * @throws Problem `invalid-input` when nothing says what runs
 */
export function pythonPlan(facts: ReleaseFacts, base: AppPlan, given: AppDefinition): AppPlan {
  if (given.processes === undefined && base.type !== 'processes')
    throw new Problem('invalid-input', {
      detail: `${DEFINITION_FILE} says python: add processes, or a Procfile`,
    })
  const list = LISTS.find((name) => facts.names.has(name))
  const source = list === 'requirements.txt' ? `-r ${list}` : '.'
  const install = `${VENV}/bin/pip install --no-input --disable-pip-version-check ${source}`
  return {
    ...base,
    type: 'processes',
    why: list ?? `neither ${LISTS.join(' nor ')}: nothing is installed`,
    notes: [],
    build: list === undefined ? [] : [`python3 -m venv ${VENV}`, install],
    node: undefined,
    python: { version: facts.text('.python-version')?.trim().slice(0, 20) || undefined },
  }
}

/** Returns a command that finds the programs of the release's packages first. */
const inVenv = (command: string): string => `export PATH="$PWD/${VENV}/bin:$PATH"; ${command}`

/** Returns a plan whose commands find the packages of its program of Python; any other plan as it is. */
export function withPackages(plan: AppPlan): AppPlan {
  if (plan.python === undefined || plan.build.length === 0) return plan
  const processes = Object.entries(plan.processes).map(
    ([name, process]) =>
      [name, { ...process, ...present('command', process.command && inVenv(process.command)) }] as const,
  )
  return {
    ...plan,
    processes: Object.fromEntries(processes),
    release: plan.release && inVenv(plan.release),
    cron: plan.cron.map((each) => ({ ...each, command: inVenv(each.command) })),
  }
}
