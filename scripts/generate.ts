// `npm run generate`: writes the reference pages and the generated sources from the code.
// `npm run generate -- --check`: writes nothing; exit code 1 with the names of files that are not current.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generatedPages, generatedSources, stalePages } from './generate/pages.ts'

const root = join(import.meta.dirname, '..')

function readText(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return undefined
  }
}

const unknown = process.argv.slice(2).filter((word) => word !== '--check')
const isCheck = process.argv.includes('--check')

/** Writes the files that are not current, and returns their paths. */
function write(files: ReadonlyMap<string, string>): readonly string[] {
  const stale = stalePages(files, readText)
  for (const path of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), files.get(path) ?? '')
    console.log(`wrote ${path}`)
  }
  return stale
}

if (unknown.length > 0) {
  console.error(`generate takes --check or nothing, not ${unknown.join(' ')}`)
  process.exitCode = 2
} else if (isCheck) {
  const pages = await generatedPages()
  const stale = stalePages(pages, readText)
  for (const path of stale) console.error(`${path} is not current: run npm run generate, and commit it`)
  console.log(`generated: ${pages.size} files, ${stale.length} not current`)
  process.exitCode = stale.length > 0 ? 1 : 0
} else {
  const sources = write(generatedSources())
  const pages = await generatedPages()
  const count = sources.length + write(pages).length
  console.log(`generated: ${pages.size} files, ${count} written`)
}
