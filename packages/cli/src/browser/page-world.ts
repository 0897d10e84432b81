import { readFile } from 'node:fs/promises'
import { type Extract, type ExtractOptions, PageFailure } from '@svc/core/adapters'
import type { CDPSession } from 'playwright-core'
import { packageFile } from '../shipped.ts'
import { EXTRACTION } from './page-extraction.ts'

const LIMIT_MS = 3000
/** For a renderer that answers nothing at all. */
const OUTER_MS = 5000

let loading: Promise<string> | undefined

// Each is wrapped, since elements of a page with the ids `module` and `exports` would pass for a loader.
const wrapped = (name: string, source: string): string =>
  `const ${name} = (() => { const module = { exports: {} }, exports = module.exports, define = undefined;\n${source}\n;return module.exports })();\n`

async function libraries(): Promise<string> {
  const files = { Readability: '@mozilla/readability/Readability.js', TurndownService: TURNDOWN }
  const sources = Object.entries(files).map(async ([name, file]) =>
    wrapped(name, await readFile(packageFile(file), 'utf8')),
  )
  return (await Promise.all(sources)).join('')
}

const TURNDOWN = 'turndown/lib/turndown.browser.umd.js'

/**
 * Takes texts, links and metadata from a page, in a world of its own: scripts of the page can neither see nor
 * change the code there. A page that takes too long is asked again for plain text alone.
 */
export async function extractFrom(session: CDPSession, options: ExtractOptions): Promise<Extract> {
  loading ??= libraries()
  const wantsLibraries = options.texts.length > 0
  const source = wantsLibraries ? await loading : ''
  const whole = await evaluated(
    session,
    `(() => {${source}\nreturn (${EXTRACTION})(${JSON.stringify(options)}, { Readability: ${wantsLibraries ? 'Readability' : 'undefined'}, TurndownService: ${wantsLibraries ? 'TurndownService' : 'undefined'} })})()`,
  )
  const plainly = { ...options, isPlain: true }
  const found = whole ?? (await evaluated(session, `(${EXTRACTION})(${JSON.stringify(plainly)}, {})`))
  if (found === undefined) throw new PageFailure({ kind: 'timeout', phase: 'extract' })
  return JSON.parse(found) as Extract
}

/** Returns the text that an expression gives; undefined if it took too long or failed. */
async function evaluated(session: CDPSession, expression: string): Promise<string | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), OUTER_MS)
  try {
    return await Promise.race([inWorld(session, expression), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function inWorld(session: CDPSession, expression: string): Promise<string | undefined> {
  try {
    const { frameTree } = await session.send('Page.getFrameTree')
    const world = { frameId: frameTree.frame.id, worldName: 'svc' }
    const { executionContextId } = await session.send('Page.createIsolatedWorld', world)
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      contextId: executionContextId,
      timeout: LIMIT_MS,
      returnByValue: true,
    })
    return exceptionDetails === undefined && typeof result.value === 'string' ? result.value : undefined
  } catch {
    return undefined
  }
}
