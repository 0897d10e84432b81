import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { AgentAnswer, AgentStep } from '@svc/core/adapters'
import { Problem } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { EXIT } from '../../terminal/failure.ts'
import { plain, plainBlock } from '../../terminal/terminal.ts'
import { wholeNumber } from '../number-option.ts'

/** Flags of `svc browser run`. */
export interface RunOptions {
  readonly page: string
  readonly maxSteps?: string
  readonly timeout?: string
  readonly domain?: readonly string[]
  readonly schemaFile?: string
  readonly allowRisky?: boolean
}

/** Lets the agent reach a goal. The exit code is 1 unless it did. */
export const runAgent: Handler<RunOptions> = async (run) => {
  const { page, maxSteps, timeout, domain, schemaFile, allowRisky } = run.options
  const seconds = wholeNumber('--timeout', timeout)
  const input = given({
    goal: run.arg(0),
    url: page,
    max_steps: wholeNumber('--max-steps', maxSteps),
    timeout_ms: seconds === undefined ? undefined : seconds * 1000,
    allowed_domains: domain,
    result_schema: schemaFile === undefined ? undefined : await schemaIn(resolve(run.io.cwd, schemaFile)),
    allow_risky: allowRisky,
  })
  const answer = await run.operate<AgentAnswer>('browser.run', input)
  run.print(answer, () => textOf(answer))
  if (answer.status === 'needs_confirmation')
    run.hint('The last step spends money or gives a password: --allow-risky lets it.')
  return answer.ok ? EXIT.done : EXIT.failed
}

async function schemaIn(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    throw new Problem('invalid-input', { detail: '--schema-file must name a file with a JSON Schema' })
  }
}

const stepLine = ({ n, action, outcome, url }: AgentStep): string => {
  const { type, label, ...fields } = action
  const rest = Object.values(fields).map(String).join(' ')
  return plain(`${n}. ${String(type)} ${label === undefined ? rest : String(label)}  ${outcome}  ${url}`)
}

function textOf({ status, answer, reason, result, steps = [] }: AgentAnswer): string {
  const lines = [
    ...steps.map(stepLine),
    plain(`status  ${status}`),
    ...(reason === undefined ? [] : [plain(`reason  ${reason}`)]),
    ...(answer === undefined ? [] : [plainBlock(answer)]),
    ...(result === undefined ? [] : [plainBlock(JSON.stringify(result, null, 2))]),
  ]
  return `${lines.join('\n')}\n`
}
