import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DocumentFile } from './documents.ts'

/** A folder of Markdown files and the path under which visitors read them. */
export interface ContentFolder {
  readonly dir: string
  /** Such as `/docs`; empty for the site's root. */
  readonly base: string
  readonly pages?: ContentPages | undefined
}

/**
 * Files and folders that answers are drawn from, with their weights; absent: every file, with equal weight.
 */
export type ContentPages = Readonly<Record<string, number>>

/** Folders without pages for visitors: records of decisions, and packages. */
const LEFT_OUT: ReadonlySet<string> = new Set(['decisions', 'node_modules'])
const MAX_FILES = 2000
const MAX_FILE_CHARS = 1024 * 1024
const MAX_DEPTH = 8

/**
 * Reads the Markdown files below a folder, sorted by path: at most 2,000 of 1 MiB each. Links are not
 * followed.
 * @throws when the folder cannot be read
 */
export async function readContent(dir: string, pages?: ContentPages): Promise<readonly DocumentFile[]> {
  const weighed = Object.entries(pages ?? {})
  const weightOf = (path: string): number | undefined =>
    pages === undefined ? 1 : weighed.find(([page]) => path === page || path.startsWith(`${page}/`))?.[1]
  const paths = (await pathsBelow(dir, '', 0)).filter((path) => weightOf(path) !== undefined)
  const files: DocumentFile[] = []
  for (const path of paths.sort().slice(0, MAX_FILES)) {
    const text = await readFile(join(dir, path), 'utf8')
    if (text.length <= MAX_FILE_CHARS) files.push({ path, text, weight: weightOf(path) ?? 1 })
  }
  return files
}

async function pathsBelow(dir: string, path: string, depth: number): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(join(dir, path), { withFileTypes: true })) {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`
    if (entry.name.startsWith('.')) continue
    if (entry.isDirectory() && depth < MAX_DEPTH && !LEFT_OUT.has(entry.name)) {
      found.push(...(await pathsBelow(dir, inner, depth + 1)))
    } else if (entry.isFile() && /\.(?:md|markdown)$/i.test(entry.name)) found.push(inner)
  }
  return found
}
