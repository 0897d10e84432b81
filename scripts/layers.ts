// `npm run layers`: checks the sources against the layer rules. Exit code 1 with one line per fault,
// `file:line rule: remedy`.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkLayers } from './layers/check.ts'

const root = join(import.meta.dirname, '..')
const paths = globSync(
  ['packages/*/package.json', 'packages/*/src/**/*.ts', 'packages/*/bin/**/*.{js,mjs}'],
  { cwd: root },
).map((path) => path.replaceAll('\\', '/'))
const files = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))

const faults = checkLayers(files)
for (const { path, line, rule, message } of faults) console.error(`${path}:${line}  ${rule}: ${message}`)
console.log(`layers: ${files.size} files, ${faults.length} faults`)
process.exitCode = faults.length > 0 ? 1 : 0
