import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from '@jest/globals'
import { scan } from '../scripts/layers/source.ts'
import { root } from './docs/page.ts'
import { countedExpression } from './support/counted-expression.ts'

const CHARS = 96
/** Most steps for each character that are looked at no further. */
const FEW = 10
/** Twice as long a text takes twice the steps, or four times as many if they grow with the square. */
const LINEAR = 3
/** No text of 192 characters may take more: that would be growth with a power above the square. */
const MOST_STEPS = 100_000
/** Steps that a text of full length may take: a few tens of milliseconds. */
const MOST_OF_ALL = 10_000_000

/**
 * Expressions whose steps may grow with the square of a text, by their sources. `longest`: the most
 * characters that their callers let in. `ours`: the text is no stranger's.
 */
const SQUARE: Readonly<Record<string, { longest: number } | { ours: string }>> = {
  '/^ {0,3}(#{1,6})[ \\t]+(.+?)[ \\t]*#*$/': { ours: 'documents of the chat' },
  '/^---\\r?\\n[\\s\\S]{0,4000}?^title:[ \\t]*(.{1,200}?)[ \\t]*$/m': { ours: 'documents of the chat' },
  '/<!--[\\s\\S]{0,4000}?-->/g': { ours: 'documents of the chat' },
  '/!\\[([^\\]\\n]{0,500})\\]\\([^)\\n]{0,2000}\\)/g': { ours: 'documents of the chat' },
  '/\\[([^\\]\\n]{1,500})\\]\\([^)\\n]{0,2000}\\)/g': { ours: 'documents of the chat' },
  '/^[ \\t]*\\|?[ \\t:|-]{3,}$/gm': { ours: 'documents of the chat' },
  '/\\{([^}]+)\\}/g': { ours: 'paths of routes' },
  '/\\{([^}]+)\\}/': { ours: 'paths of routes' },
  '/\\{[^}]+\\}$/': { ours: 'paths of routes' },
  // A mailbox of a message; a name of the DNS; a line of /proc, whose only name has 15 bytes.
  [String.raw`/^(?:(?:"((?:[^"\\]|\\["\\])*)"|([^"<>()[\]:;@\\,]*?)) *<([^<>\s]+)>|([^<>\s"]+))$/u`]: {
    longest: 998,
  },
  '/\\.s3[.-][a-z0-9.-]*amazonaws\\.com$/': { longest: 253 },
  '/^\\d+ \\(([\\s\\S]*)\\) (.*)$/m': { longest: 1024 },
}

/** Modules that make expressions when they are read, but for the redactor, which has suites of its own. */
const MADE_AT_READING = [
  'packages/cli/src/browser/element-facts.ts',
  'packages/cli/src/terminal/terminal.ts',
  'packages/core/src/platform/dns/dns-answer.ts',
  'packages/core/src/hosts/provisioning/order.ts',
  'packages/core/src/outside/scan/tech-rules.ts',
]
/** Modules that make expressions of constants when they are called, and these constants. */
const MADE_LATER: Readonly<Record<string, readonly RegExp[]>> = {
  'packages/cli/src/agent/wire/host-facts.ts': [/^MemTotal:\s+(\d+) kB/m],
}

const written = new Map<string, string>()
const making: string[] = []
for (const path of globSync('packages/{core,http,cli}/src/**/*.ts', { cwd: root }).toSorted()) {
  const { code, expressions } = scan(readFileSync(join(root, path), 'utf8'))
  for (const each of expressions) if (!written.has(each)) written.set(each, path)
  if (/\bRegExp\(/.test(code) && !path.includes('/redaction/')) making.push(path)
}

function read(literal: string): RegExp {
  const end = literal.lastIndexOf('/')
  return new RegExp(literal.slice(1, end), literal.slice(end + 1))
}

/** Returns the steps of the text that is worst for an expression, if they grow with more than its length. */
function worst(expression: RegExp): number | undefined {
  const counted = countedExpression(expression)
  const shorter = [...counted.hostileTexts(CHARS)]
  for (const [at, text] of [...counted.hostileTexts(2 * CHARS)].entries()) {
    const steps = counted.steps(text, MOST_STEPS)
    if (steps === Infinity) return steps
    if (steps > FEW * 2 * CHARS && steps > LINEAR * counted.steps(shorter[at] ?? '', MOST_STEPS)) return steps
  }
  return undefined
}

describe('the steps of an expression of the sources', () => {
  it('grow with the length of a text alone, or are few for the longest one that is let in', () => {
    expect(written.size).toBeGreaterThan(400)
    const faults = [...written].flatMap(([literal, path]) => {
      const steps = worst(read(literal))
      if (steps === undefined) return []
      const row = SQUARE[literal]
      if (row === undefined) return [`${path}: ${literal} grows with more than the length`]
      if ('ours' in row) return []
      const all = steps * (row.longest / (2 * CHARS)) ** 2
      return all <= MOST_OF_ALL
        ? []
        : [`${path}: ${literal} takes ${all} steps for ${row.longest} characters`]
    })
    expect(faults).toEqual([])
  })

  it('are excused for those alone that need it', () => {
    const needless = Object.keys(SQUARE).filter(
      (each) => !written.has(each) || worst(read(each)) === undefined,
    )
    expect(needless).toEqual([])
  })

  it('are looked at where it is made of constants too', async () => {
    expect(making).toEqual([...MADE_AT_READING, ...Object.keys(MADE_LATER)].toSorted())
    const made: RegExp[] = []
    const native = globalThis.RegExp
    globalThis.RegExp = new Proxy(native, {
      construct: (target, given: [string, string?]) => {
        const expression = new target(...given)
        made.push(expression)
        return expression
      },
    })
    try {
      for (const path of MADE_AT_READING) await import(join(root, path))
    } finally {
      globalThis.RegExp = native
    }
    expect(made.length).toBeGreaterThan(30)
    const faults = [...made, ...Object.values(MADE_LATER).flat()].filter((each) => worst(each) !== undefined)
    expect(faults).toEqual([])
  })
})

describe('the count of steps', () => {
  test.each([
    [/^\s*x/m, true],
    [/a\s*$/, false],
    [/\s+$/, true],
    [/(?<!\s)\s+$/, false],
    [/^(a+)+$/, true],
    [/^(?:a|b|ab)*$/, true],
    [/(a*)(a*)b/, true],
    [/^(["'])(.*)\1$/, false],
    [/<\?php[\s\S]*(?:password)/i, true],
    [/^[a-z]+(?:-[a-z]+)*$/, false],
    [/^[a-z-]+(?:-[a-z]+)*$/, true],
    [/a{3}b{2,}c{1,4}/, false],
  ])('%s grows with more than the length: %s', (expression, expected) => {
    expect(worst(expression) !== undefined).toBe(expected)
  })

  test.each([
    [/abc/, 'xxabc'],
    [/^(?:a|ab)(?:c|bcd)$/, 'abcd'],
    [/(?<=a)b(?!c)/g, 'abcabd'],
    [/^.{2,3}?x$/s, 'a\nx'],
    [/(\w)\1/, 'hello'],
  ])('%s is followed as the engine does', (expression, text) => {
    expect(expression.test(text)).toBe(true)
    expect(countedExpression(expression).steps(text, 1000)).toBeGreaterThan(2)
    expect(countedExpression(expression).steps(text, 2)).toBe(Infinity)
  })
})
