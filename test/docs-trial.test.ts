import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { testDatabase } from '@svc/testing'
import { SOURCES, SvcProcess } from '../packages/cli/test/support/svc-process.ts'
import { type Block, readPage, root } from './docs/page.ts'
import { shellSuite } from './docs/shell-suite.ts'
import { freePort } from './support/free-port.ts'

const PAGE = 'docs/trial-to-production.md'
const { blocks, prose } = readPage(PAGE, readFileSync(join(root, PAGE), 'utf8'))
const commands = blocks.filter(({ language }) => language === 'sh')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-trial-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Puts the command on the PATH, from its sources. */
function commandOnPath(): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'svc'), `#!/bin/sh\nexec ${process.execPath} ${SOURCES.join(' ')} "$@"\n`)
  chmodSync(join(bin, 'svc'), 0o755)
  return `${bin}:${process.env.PATH}`
}

/** Places of the reader, which replace the page's examples. */
type Places = Readonly<Record<string, string>>

function asReader(text: string, places: Places): string {
  let own = text
  for (const [example, place] of Object.entries(places)) own = own.replaceAll(example, place)
  return own
}

const MARK = '@@ the next block'

/** Runs the blocks one after the other in one shell; returns the output of each. */
function printed(blocks: readonly string[], path: string, password: string): Promise<readonly string[]> {
  const script = ["trap 'kill $(jobs -p); wait' EXIT", ...blocks.flatMap((text) => [text, `echo '${MARK}'`])]
  writeFileSync(join(folder, 'page.sh'), script.join('\n'))
  const env = { PATH: path, HOME: folder }
  return new Promise((resolve, reject) => {
    const child = execFile(
      'bash',
      ['-e', '-o', 'pipefail', 'page.sh'],
      { cwd: folder, env },
      (error, stdout, stderr) =>
        error
          ? reject(new Error(`${error.message}\n${stdout}\n${stderr}`))
          : resolve(stdout.split(`${MARK}\n`)),
    )
    child.stdin?.end(`${password}\n`)
  })
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** A shown output as a pattern: `…` stands for any text. */
const pattern = (output: string) => new RegExp(`^${output.split('…').map(escaped).join('[^\\n]*')}$`)

/** Starts the trial, stops it when its agent has reported, and returns the id of the host. */
async function trial(): Promise<string> {
  await using up = new SvcProcess(['up', '--port', '0'], { cwd: folder })
  await up.until('out', 'Ctrl-C ends it')
  await using list = new SvcProcess(['fleet', 'servers', '--json'], { cwd: folder })
  await list.end()
  up.kill('SIGINT')
  expect(await up.end()).toBe(0)
  const { servers } = JSON.parse(list.out.text) as { servers: readonly { id: string }[] }
  return servers[0]?.id ?? ''
}

shellSuite('from trial to production', () => {
  test('the list at the top names every step in its order', () => {
    const listed = prose.flatMap((line) => /^(\d+)\. \[(.+)\]\(#/.exec(line)?.slice(1, 3).join('. ') ?? [])
    const steps = prose.flatMap((line) => /^## (.+)$/.exec(line)?.[1] ?? [])
    expect(listed).toEqual(steps)
    expect(steps).toHaveLength(12)
  })

  test('the page can be followed word for word: the host of the trial is online in production', async () => {
    await using database = await testDatabase(process.env.SVC_TEST_POSTGRES ?? '')
    const host = await trial()
    const port = await freePort()
    const places = {
      'postgres://svc_owner@127.0.0.1:5432/svc': database.url,
      'PORT=8080': `PORT=${port}`,
      ':8080/': `:${port}/`,
      'https://svc.example': `http://127.0.0.1:${port}`,
    }
    const texts = commands.map(({ text }) => asReader(text, places))
    for (const example of Object.keys(places))
      expect(commands.some(({ text }) => text.includes(example))).toBe(true)
    const outputs = await printed(texts, commandOnPath(), 'a long enough battery staple')

    const shown = commands.flatMap((block, index) => {
      const next = blocks[blocks.indexOf(block) + 1] as Block | undefined
      return next?.language === 'text' ? [{ expected: next.text, output: outputs[index]?.trimEnd() }] : []
    })
    expect(shown.length).toBeGreaterThan(0)
    for (const { expected, output } of shown) expect(output).toMatch(pattern(expected))
    expect(outputs.join('')).toContain(host)
    const carried = outputs[commands.findIndex(({ text }) => text.includes('svc import trial'))] ?? ''
    const [written, read] = carried.split('TABLE').slice(1)
    expect(written).toMatch(/^licenses +1$/m)
    expect(read).toBe(written)
    for (const secret of ['production/env', 'production/signing-key', 'production/backup.jsonl.gz']) {
      expect([secret, statSync(join(folder, secret)).mode & 0o777]).toEqual([secret, 0o600])
    }
  }, 240_000)
})
