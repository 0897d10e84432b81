import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../../../..')
const MANIFESTS = ['.', 'packages/core', 'packages/http', 'packages/cli', 'packages/testing'] as const
const TEXT_FILE =
  /^(?:readme|changelog|changes|history|licen[cs]e|security|contributing|authors|notice)[^.]*(?:\.[\w-]+)?(?:\.(?:md|txt))?$/i
/** Blank lines, with any line ends and blanks. */
const GAP = /\r?\n(?:[ \t]*\r?\n)+/

/** One paragraph written for readers, and its file. */
export interface Paragraph {
  readonly file: string
  readonly text: string
}

/** Returns the paragraphs of the pages of this project and of its direct dependencies, at pinned versions. */
export function realProse(): Paragraph[] {
  const found = new Map<string, Paragraph>()
  for (const file of [...ownPages(), ...packagePages()]) {
    for (const part of readFileSync(join(ROOT, file), 'utf8').split(GAP)) {
      const text = part.trim()
      if (text !== '' && !found.has(text)) found.set(text, { file, text })
    }
  }
  return [...found.values()]
}

const ownPages = () => ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...markdownIn('docs')]

function packagePages(): string[] {
  return directDependencies().flatMap((name) => {
    const folder = folderOf(name)
    const entries = readdirSync(join(ROOT, folder), { withFileTypes: true })
    const pages = entries.filter((entry) => entry.isFile() && TEXT_FILE.test(entry.name))
    const hasDocs = entries.some((entry) => entry.isDirectory() && entry.name === 'docs')
    return [
      ...pages.map((entry) => `${folder}/${entry.name}`).sort(),
      ...(hasDocs ? markdownIn(`${folder}/docs`) : []),
    ]
  })
}

/** The folder of a dependency: at the root, or beside the package that has it if its peers differ there. */
const folderOf = (name: string): string =>
  MANIFESTS.map((folder) => join(folder, 'node_modules', name)).find((folder) =>
    existsSync(join(ROOT, folder)),
  ) ?? name

function directDependencies(): string[] {
  const names = MANIFESTS.flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
    return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  })
  return [...new Set(names)].filter((name) => !name.startsWith('@svc/')).sort()
}

function markdownIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort()
}
