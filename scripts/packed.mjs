// Generates the files that the command's package holds beside its own: `make [folder]` writes them before
// packing, `remove` deletes them afterwards. The default folder is the package's own.
// - `docs`: the documentation. The support chat answers from its pages for customers and for authors of
//   agents.
// - `bundle`: the program and its dependencies, made from the sources, so that no old build can get in. It is
//   split, so that each command loads only its part: `svc serve` reads 33 files instead of 1,000.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.ts'

const root = join(import.meta.dirname, '..')
const [task, folder = join(root, 'packages/cli')] = process.argv.slice(2)
const docs = join(folder, 'docs')
const program = join(folder, 'bundle')

for (const made of [docs, program]) rmSync(made, { recursive: true, force: true })
if (task === 'make') {
  // Decision records are only for people who change the code.
  const decisions = join(root, 'docs/decisions')
  cpSync(join(root, 'docs'), docs, { recursive: true, filter: (path) => path !== decisions })
  const sources = await bundle({ bin: 'packages/cli/src/bin.ts' }, program)
  writeFileSync(join(program, 'LICENSES.txt'), licensesOf(sources))
}

/** Returns the licenses of the packages that these files belong to: every copy must include them. */
function licensesOf(files) {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0])
  return [...new Set(folders)]
    .filter((each) => each !== undefined)
    .sort()
    .map((each) => {
      const path = join(root, each)
      const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
      const texts = readdirSync(path).filter((file) => /^(licen[sc]e|notice)/i.test(file))
      const said = texts.sort().map((text) => readFileSync(join(path, text), 'utf8').trim())
      return [`${name} ${version} (${license})`, ...said].join('\n\n')
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`)
}
