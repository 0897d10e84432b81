// A port without a contract suite, or with one that leaves a method out or a storage, is a promise that nobody checks.
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { memoryStorage } from '@svc/testing'

const PACKAGES = new URL('../../../', import.meta.url).pathname
const read = (path: string): string => readFileSync(`${PACKAGES}${path}`, 'utf8')
const found = (pattern: string): string[] => globSync(pattern, { cwd: PACKAGES })

const ports = Object.entries(memoryStorage())
  .filter(([name, store]) => typeof store === 'object' && name !== 'rates')
  .map(([name, store]) => ({ name, methods: Object.keys(store as object) }))

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
    expect(read('testing/src/contracts.ts')).toContain(`${name}StoreContract`)
    expect(tests).toContain(`onEveryStorage(${name}StoreContract)`)
  })

  it.each(ports)('$name has no method that its contract suite leaves out', ({ name, methods }) => {
    const home = suites.find((path) => read(path).includes(`export function ${name}StoreContract`)) ?? ''
    const folder = home.split('/').slice(0, -1).join('/')
    const text = suites
      .filter((path) => path.startsWith(`${folder}/`))
      .map(read)
      .join('\n')
    expect(methods.filter((method) => !text.includes(`.${method}(`))).toEqual([])
  })
})
