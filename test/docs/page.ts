import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The checkout. */
export const root = join(import.meta.dirname, '../..')

/** A fenced block of a page: its language, its text, and the line of the page that it begins at. */
export interface Block {
  readonly language: string
  readonly text: string
  readonly line: number
}

/** One Markdown page, taken apart as far as the tests of the docs need it. */
export interface Page {
  /** From the checkout, with slashes. */
  readonly path: string
  readonly blocks: readonly Block[]
  /** Line by line; lines of fenced blocks are empty. */
  readonly prose: readonly string[]
}

const FENCE = /^\s*(```+|~~~+)\s*([\w-]*)/

/** Takes a page apart. */
export function readPage(path: string, text: string): Page {
  const blocks: Block[] = []
  const prose: string[] = []
  let open: { fence: string; language: string; line: number; lines: string[] } | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const [, fence = '', language = ''] = FENCE.exec(line) ?? []
    prose.push(open === undefined && fence === '' ? line : '')
    if (open === undefined) {
      if (fence !== '') open = { fence, language, line: index + 1, lines: [] }
    } else if (fence.startsWith(open.fence) && language === '') {
      blocks.push({ language: open.language, text: open.lines.join('\n'), line: open.line })
      open = undefined
    } else open.lines.push(line)
  }
  return { path, blocks, prose }
}

/** The number of words of a page as `wc -w` counts them, without fenced blocks. */
export const wordsOf = ({ prose }: Page): number => prose.join('\n').match(/\S+/g)?.length ?? 0

/** Every page that people read: at the top of the checkout, below docs, and beside the code. */
export function allPages(): readonly Page[] {
  return globSync(['*.md', 'docs/**/*.md', '{bench,chaos,siege,test}/*.md', 'packages/*/*.md'], { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => readPage(path, readFileSync(join(root, path), 'utf8')))
}

/** The one block of a page that begins with `first`, for a test to run. */
export function blockOf(path: string, first: string): string {
  const found = readPage(path, readFileSync(join(root, path), 'utf8')).blocks.filter(({ text }) =>
    text.startsWith(first),
  )
  const [block, ...others] = found
  if (block === undefined || others.length > 0) {
    throw new Error(`${path} should have one block that begins with ${first}, and has ${found.length}`)
  }
  return block.text
}
