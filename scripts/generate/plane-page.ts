import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { testPlane } from '@svc/testing'
import { code, table } from './table.ts'

const root = join(import.meta.dirname, '../..')

const INTRODUCTION = `# What a plane has

Written from the services of \`@svc/core\` and their docstrings (\`npm run generate\`); change the code, not this page. Each
row is a service of the object that \`createControlPlane\` returns, with the methods that you can call, such as
\`plane.jobs.enqueue\`. Their declarations say what they take and which \`Problem\` they throw. Beside these a plane has the
parts that it was made of.
`

/** The parts that the caller hands in, or may. */
const PARTS: ReadonlySet<string> = new Set(['config', 'storage', 'clock', 'ids', 'log', 'timers'])

/** The first sentence of the docstring of each exported class and interface, by its name. */
function promises(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const path of globSync('packages/core/src/**/*.ts', { cwd: root })) {
    const source = readFileSync(join(root, path), 'utf8')
    const documented = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport (?:abstract )?(?:class|interface) (\w+)/g
    for (const [, text = '', name = ''] of source.matchAll(documented))
      found.set(name, sentenceOf(text.replaceAll(/\n\s*\*/g, ' ')))
  }
  return found
}

/** The first sentence, without the places of the design that it names. */
function sentenceOf(text: string): string {
  const words = text.replaceAll(/\s+/g, ' ').replaceAll(/ \((?:spec|wire)[^)]*\)/g, '')
  return (/^.*?[.](?= |$)/.exec(words.trim())?.[0] ?? words.trim()).replace(/\.$/, '')
}

/** The names of a service's own methods and getters; an object without a class has its fields. */
function methodsOf(service: object): readonly string[] {
  const kind = Object.getPrototypeOf(service)
  const names = Object.getOwnPropertyNames(kind === Object.prototype ? service : kind)
  return names.filter((name) => name !== 'constructor')
}

/**
 * Returns the page of the services of a control plane.
 * @throws Error for a service whose class has no docstring
 */
export async function planePage(): Promise<string> {
  await using test = testPlane()
  const said = promises()
  const services = Object.entries(test.plane).filter(([name]) => !PARTS.has(name))
  const rows = services
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, service]) => {
      const kind = service.constructor.name
      // Storage that is a service itself is an object of the interface that is named after it.
      const type = kind === 'Object' ? `${name[0]?.toUpperCase()}${name.slice(1)}Store` : kind
      const what = said.get(type)
      if (what === undefined) throw new Error(`${type} of plane.${name} has no docstring`)
      return [code(name), what, methodsOf(service).map(code).join(', ')]
    })
  return `${INTRODUCTION}\n${table(['Service', 'What it is', 'Methods'], rows)}\n`
}
