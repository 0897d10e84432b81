// Files that come with the command, found from here: this file stands directly in src.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ContentPages } from '@svc/core'

// The build of the one-file agent puts the texts of these files here, by their path in the package.
declare const SVC_SHIPPED: Readonly<Record<string, string>> | undefined

const HANDLERS = 'handlers/'

const texts = typeof SVC_SHIPPED === 'undefined' ? undefined : SVC_SHIPPED
const near = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** Whether this program is the one-file agent, which holds the shipped files itself. */
export const isOneFile = texts !== undefined

/** Returns the text of a file that comes with the command, by its path in the package. */
export const shippedText = (path: string): string => texts?.[path] ?? readFileSync(near(path), 'utf8')

/** Returns the texts of the shipped handlers by their names. */
export function shippedHandlers(): ReadonlyMap<string, string> {
  const names =
    texts === undefined
      ? readdirSync(near(HANDLERS))
      : Object.keys(texts).flatMap((path) => (path.startsWith(HANDLERS) ? [path.slice(HANDLERS.length)] : []))
  return new Map(names.map((name) => [name, shippedText(`${HANDLERS}${name}`)]))
}

/** Returns the file of the one-file agent: this program, or one in the package; undefined in a checkout. */
export function oneFileAgent(): string | undefined {
  const file = isOneFile ? fileURLToPath(import.meta.url) : near('agent/svc-agent.mjs')
  return existsSync(file) ? file : undefined
}

/** A file that handlers read and nobody runs has an ending: no kind of a job has a dot in its name. */
const modeOf = (name: string): number => (name.includes('.') ? 0o644 : 0o755)

/** Writes the shipped handlers into a folder, which every user may read. Files that differ are replaced. */
export async function writeHandlers(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 })
  for (const [name, text] of shippedHandlers()) {
    const file = join(folder, name)
    if ((await readFile(file, 'utf8').catch(() => undefined)) !== text) {
      const draft = `${file}.new`
      await rm(draft, { force: true })
      await writeFile(draft, text)
      await rename(draft, file)
    }
    // The mode of a new file depends on the umask of this process.
    await chmod(file, modeOf(name))
  }
  await chmod(folder, 0o755)
}

/**
 * Returns the folder of the handlers that come with the agent, and what writes them there: the one-file agent
 * has them in its state folder, where a user for handlers reaches them too.
 */
export function ownHandlers(stateDir: string): {
  readonly handlersDir: string
  readonly writeHandlers?: () => Promise<void>
} {
  if (!isOneFile) return { handlersDir: near('handlers') }
  const handlersDir = join(stateDir, 'shipped-handlers')
  return { handlersDir, writeHandlers: () => writeHandlers(handlersDir) }
}

/**
 * The pages that answer visitors, with their weights: pages for customers, then the page for authors of
 * agents.
 */
export const DOCS_PAGES: ContentPages = { customers: 1, 'agents.md': 0.5 }

/**
 * Returns the folder of the documentation, the source of the support chat's answers: the one in the package,
 * or the repository's when run from sources. Undefined when neither is there.
 */
export function docsFolder(): string | undefined {
  const packed = near('docs')
  if (existsSync(packed)) return packed
  // In an installed package, three folders up may belong to anybody: only the repository has this file there.
  return existsSync(near('../../lerna.json')) ? near('../../docs') : undefined
}

interface Manifest {
  readonly version: string
  readonly engines: { readonly node: string }
}

const manifest = (): Manifest => JSON.parse(shippedText('package.json')) as Manifest

/** The version of this package, as its package.json says. */
export const version = (): string => manifest().version

/** The oldest Node.js that this release is made for, in plain numbers. */
export const requiredNode = (): string => manifest().engines.node.replace('>=', '')

const require = createRequire(import.meta.url)

/** Returns the path of a file of a package that the command needs, such as `turndown/lib/turndown.js`. */
export const packageFile = (name: string): string => require.resolve(name)
