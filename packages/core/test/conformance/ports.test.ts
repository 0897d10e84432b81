// A port without a contract suite, or with one that leaves a method out or a storage, is a promise that
// nobody checks.
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { portsOf } from './port-methods.ts'

const PACKAGES = new URL('../../../', import.meta.url).pathname
const read = (path: string): string => readFileSync(`${PACKAGES}${path}`, 'utf8')
const found = (pattern: string): string[] => globSync(pattern, { cwd: PACKAGES })

const ports = portsOf()
/** Its suite is called after the port; the counter is no store. */
const suiteOf = (name: string) => (name === 'rates' ? 'rateCounterContract' : `${name}StoreContract`)

// Suites with their scenes: whatever stands beside a fake and is none.
const suites = found('testing/src/*/*.ts').filter((path) => !path.endsWith('-memory.ts'))
const tests = found('core/test/**/*.test.ts').map(read).join('\n')

describe('ports', () => {
  it('are all seen here', () => {
    const files = found('core/src/*/*-store.ts').map((path) => basename(path, '-store.ts'))
    const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    expect(ports.map(({ name }) => kebab(name))).toEqual(expect.arrayContaining(files))
  })

  it.each(ports)('$name has a contract suite that runs on memory, PGlite and PostgreSQL', ({ name }) => {
    expect(read('testing/src/contracts.ts')).toContain(suiteOf(name))
    expect(tests).toContain(`onEveryStorage(${suiteOf(name)})`)
  })

  it.each(ports)('$name has no method that its contract suite leaves out', ({ name, methods }) => {
    const home = suites.find((path) => read(path).includes(`export function ${suiteOf(name)}`)) ?? ''
    const folder = home.split('/').slice(0, -1).join('/')
    const text = suites
      .filter((path) => path.startsWith(`${folder}/`))
      .map(read)
      .join('\n')
    expect(methods.filter((method) => !text.includes(`.${method}(`))).toEqual([])
  })
})
