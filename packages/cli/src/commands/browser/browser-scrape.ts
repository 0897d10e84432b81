import { type FileHandle, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ScrapeAnswer } from '@svc/core/adapters'
import { Problem } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { plainBlock } from '../../terminal/terminal.ts'
import { wholeNumber } from '../number-option.ts'

/** Flags of `svc browser scrape`. */
export interface ScrapeOptions {
  readonly format?: string
  readonly output?: string
  readonly whole?: boolean
  readonly waitFor?: string
  readonly timeout?: string
}

/** Brings a page in one format. */
export const scrape: Handler<ScrapeOptions> = async (run) => {
  const { format = 'markdown', output, whole, waitFor, timeout } = run.options
  const isPicture = format === 'screenshot'
  if (isPicture && output === undefined && run.options.json !== true)
    throw new Problem('invalid-input', { detail: 'a screenshot is no text: name a file with -o' })
  const seconds = wholeNumber('--timeout', timeout)
  const input = given({
    url: run.arg(0),
    formats: [format],
    only_main: whole === true ? false : undefined,
    wait_for: waitFor,
    timeout_ms: seconds === undefined ? undefined : seconds * 1000,
  })
  await using file = output === undefined ? undefined : await opened(resolve(run.io.cwd, output))
  const answer = await run.operate<ScrapeAnswer>('browser.scrape', input)
  const content = contentOf(answer, format)
  if (file !== undefined) await file.writeFile(content)
  else run.print(answer, () => `${plainBlock(String(content))}\n`)
  if (answer.status >= 400) run.hint(`the page answered with ${answer.status}`)
  if (answer.truncated) run.hint('the page is longer than this')
  for (const { url, reason } of answer.blocked) run.hint(`not loaded: ${url} (${reason})`)
}

/** Opens the file before the page is asked for, which may cost a run. @throws Problem `invalid-input` */
async function opened(path: string): Promise<FileHandle> {
  return open(path, 'w').catch((error: NodeJS.ErrnoException) => {
    throw new Problem('invalid-input', { detail: `the file ${path} cannot be written (${error.code})` })
  })
}

function contentOf(answer: ScrapeAnswer, format: string): string | Uint8Array {
  if (format === 'screenshot') return Buffer.from(answer.screenshot?.base64 ?? '', 'base64')
  const content = answer[format as 'markdown' | 'links' | 'metadata']
  return typeof content === 'string' ? content : JSON.stringify(content ?? null, null, 2)
}
