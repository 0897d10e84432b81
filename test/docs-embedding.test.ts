import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { type Block, readPage, root } from './docs/page.ts'

// Bare names in a program that is read from standard input resolve from the folder it runs in.
const FLAGS = [
  '--conditions=svc-source',
  '--disable-warning=ExperimentalWarning',
  '--input-type=module',
  '--liftoff-only',
]

function printed(program: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      FLAGS,
      { cwd: root, env: { PATH: process.env.PATH ?? '' } },
      (error, stdout, stderr) => (error ? reject(new Error(stderr)) : resolve(stdout.trimEnd())),
    )
    child.stdin?.end(program)
  })
}

/** A program of a page makes a database of its own, which takes seconds on a busy machine. */
const PATIENCE_MS = 90_000

const IS_PROGRAM = /^\/\/ ([\w-]+\.mjs)\n/

interface Shown {
  readonly name: string
  readonly program: string
  readonly output: string
}

/** The programs of a page, each with the output that the page shows behind it. */
function programsOf(path: string): readonly Shown[] {
  const { blocks } = readPage(path, readFileSync(join(root, path), 'utf8'))
  return blocks.flatMap((block: Block, index) => {
    const [, name] = IS_PROGRAM.exec(block.text) ?? []
    const next = blocks[index + 1]
    return name === undefined ? [] : [{ name, program: block.text, output: next?.text ?? '' }]
  })
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** A shown output as a pattern: `…` stands for any text. */
const pattern = (output: string) => new RegExp(`^${output.split('…').map(escaped).join('[^\\n]*')}$`)

describe('the programs that the docs show', () => {
  // The night runs those of other runtimes: `npm run runtimes`.
  const shown = ['docs/embedding.md', 'docs/testing.md', 'docs/web-servers.md', 'docs/client.md']
    .flatMap(programsOf)
    .filter(({ name }) => !/^in-(?:bun|deno)\.mjs$/.test(name))

  test('are those of embedding, testing, web servers and the client', () => {
    expect(shown.map(({ name }) => name)).toEqual([
      'core-alone.mjs',
      'with-listen.mjs',
      'operations.mjs',
      'own-routes.mjs',
      'waiting.mjs',
      'in-koa.mjs',
      'in-express.mjs',
      'in-fastify.mjs',
      'in-hono.mjs',
      'in-next.mjs',
      'in-node-http.mjs',
      'client.mjs',
    ])
  })

  test.each(shown)(
    '$name prints what the page says',
    async ({ program, output }) => {
      expect(await printed(program)).toMatch(pattern(output))
    },
    PATIENCE_MS,
  )

  test('the core alone is a program of ten lines', () => {
    const [alone] = shown
    const lines =
      alone?.program
        .split('\n')
        .slice(1)
        .filter((line) => !line.startsWith('import')) ?? []
    expect(lines.length).toBeLessThanOrEqual(10)
    expect(alone?.program).not.toContain('@svc/http')
  })
})
