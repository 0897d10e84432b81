// `npm run prose`: checks that comments and pages are plain English. A sentence begins with its subject, a
// comment gives one measured figure, and lines are as wide as code. Clauses as in "what became of it" rarely
// stand for a noun: each page is judged, and the whole project when no files are chosen.
// `npm run prose -- packages/core/src/work/jobs` chooses files; `--clauses` lists each clause. Prints
// `file:line  rule: words` for each fault; exit code 1 when there is one.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { proseFaults } from './prose/check.ts'
import { badPages, badRates, type Counted, countClauses, ratesOf } from './prose/clauses.ts'

const root = join(import.meta.dirname, '..')
const lists = process.argv.includes('--clauses')
const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
// The changelog keeps its words; the reference and the tables of the bench are generated.
const SPARED = /^(?:CHANGELOG\.md|docs\/reference\/|bench\/results\/README\.md)/
const OLD_RECORD = /^docs\/decisions\/00(?:0[1-9]|[12]\d|3[0-3])-/

const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.(?:ts|js|mjs|md)$/.test(path) && !SPARED.test(path))
  .filter((path) => chosen.length === 0 || chosen.some((start) => path.startsWith(start)))

const files = paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
const faults = files
  .filter(({ path }) => !OLD_RECORD.test(path))
  .flatMap(({ path, text }) => proseFaults(path, text))
const counted: Counted[] = files.map(({ path, text }) => countClauses(path, text))

for (const { path, line, rule, message } of faults) console.error(`${path}:${line}  ${rule}: ${message}`)
if (lists)
  for (const { path, hits } of counted)
    for (const { line, clause, words } of hits) console.log(`${path}:${line}  ${clause}: …${words}…`)
for (const kind of ['comments', 'pages'] as const)
  console.log(`prose: ${kind}: ${ratesOf(counted.filter((each) => each.kind === kind))}`)
const bad = [...badPages(counted), ...(chosen.length === 0 ? badRates(counted) : [])]
for (const sentence of bad) console.error(`${sentence} npm run prose -- --clauses`)
console.log(`prose: ${paths.length} files, ${faults.length + bad.length} faults`)
process.exitCode = faults.length + bad.length > 0 ? 1 : 0
