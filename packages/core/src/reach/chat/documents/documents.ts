import { plainText } from './markdown-text.ts'

const DROPPED = /[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu

/**
 * Returns a function that names the headings of one page as Markdown sites do: lower case, no punctuation,
 * hyphens for blanks, and a number after a name that the page already has.
 */
export function headingSlugs(): (heading: string) => string {
  const seen = new Map<string, number>()
  return (heading) => {
    const name = heading.trim().toLowerCase().replaceAll(DROPPED, '').replaceAll(' ', '-')
    const before = seen.get(name)
    seen.set(name, (before ?? 0) + 1)
    return before === undefined ? name : `${name}-${before}`
  }
}

/** One Markdown file: its path below its folder, with `/` as separator, and its text. */
export interface DocumentFile {
  readonly path: string
  readonly text: string
  /** The weight of its chunks in a search; absent: 1. */
  readonly weight?: number
}

/** A stretch of a page under one heading, short enough for a prompt. */
export interface Chunk {
  readonly id: number
  /** The page's title. */
  readonly page: string
  /** The heading above it; on the first stretch of a page, the title. */
  readonly heading: string
  readonly url: string
  /** Markdown. */
  readonly text: string
  readonly weight: number
}

/** Most characters of a chunk; a longer section is cut between paragraphs into several chunks. */
export const CHUNK_CHARS = 1500

/** The separator of two paragraphs of a chunk. */
const BETWEEN = '\n\n'
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*$/
const FENCE = /^ {0,3}(```|~~~)/

interface Section {
  readonly heading: string | undefined
  readonly level: number
  readonly lines: string[]
}

/**
 * Cuts pages at their headings into chunks. `base`: the path under which visitors read the folder, without a
 * slash at its end.
 */
export function chunksOf(files: readonly DocumentFile[], base: string, firstId = 0): Chunk[] {
  const chunks: Chunk[] = []
  for (const file of files) {
    const sections = sectionsOf(file.text)
    const page = titleOf(sections, file)
    const slug = headingSlugs()
    const place = `${base}${pagePath(file.path)}` || '/'
    for (const { heading, level, lines } of sections) {
      const anchor = heading === undefined ? '' : slug(heading)
      const url = `${place}${anchor === '' || level === 1 ? '' : `#${anchor}`}`
      for (const text of pieces(lines)) {
        chunks.push({
          id: firstId + chunks.length,
          page,
          heading: heading ?? page,
          url: encodeURI(url),
          text,
          weight: file.weight ?? 1,
        })
      }
    }
  }
  return chunks
}

/** `guides/agents.md` is read at `/guides/agents`, `guides/README.md` and `guides/index.md` at `/guides`. */
function pagePath(path: string): string {
  return `/${path}`.replace(/\.(?:md|markdown)$/i, '').replace(/\/(?:index|readme)$/i, '')
}

function titleOf(sections: readonly Section[], { path, text }: DocumentFile): string {
  const named = /^---\r?\n[\s\S]{0,4000}?^title:[ \t]*(.{1,200}?)[ \t]*$/m.exec(text)?.[1]
  const heading = sections.find(({ level }) => level === 1)?.heading
  const file =
    path
      .split('/')
      .at(-1)
      ?.replace(/\.\w+$/, '') ?? path
  return named?.replace(/^(["'])(.*)\1$/, '$2') ?? heading ?? file.replaceAll(/[-_]+/g, ' ')
}

function sectionsOf(text: string): Section[] {
  let section: Section = { heading: undefined, level: 0, lines: [] }
  const sections = [section]
  let fence: string | undefined
  for (const line of withoutFrontMatter(text).split(/\r?\n/)) {
    const mark = FENCE.exec(line)?.[1]
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence
    const [, hashes, heading] = fence === undefined ? (HEADING.exec(line) ?? []) : []
    if (hashes !== undefined && heading !== undefined) {
      section = { heading: plainText(heading), level: hashes.length, lines: [] }
      sections.push(section)
    } else section.lines.push(line)
  }
  return sections
}

const withoutFrontMatter = (text: string): string =>
  /^---\r?\n/.test(text) ? text.replace(/^---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, '') : text

/** Joins paragraphs up to the length of a chunk; a paragraph that is longer by itself is cut. */
function pieces(lines: readonly string[]): string[] {
  const found: string[] = []
  let piece = ''
  for (const paragraph of lines.join('\n').split(/\n[ \t]*\n/)) {
    const text = paragraph.replace(/^\n+/, '').trimEnd()
    if (text.trim() === '') continue
    if (piece !== '' && piece.length + BETWEEN.length + text.length > CHUNK_CHARS) {
      found.push(piece)
      piece = ''
    }
    piece = piece === '' ? text : `${piece}${BETWEEN}${text}`
    for (; piece.length > CHUNK_CHARS; piece = piece.slice(CHUNK_CHARS))
      found.push(piece.slice(0, CHUNK_CHARS))
  }
  if (piece.trim() !== '') found.push(piece)
  return found
}
