import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { logFile } from '../../src/host-apps/app-output.ts'
import { runtimeFolder } from '../../src/host-apps/apps-folder.ts'
import { order } from '../../src/host-apps/control-client.ts'
import { openControl } from '../../src/host-apps/control-server.ts'
import { KeptOutput, MISSED } from '../../src/host-apps/kept-output.ts'
import { OutputLog } from '../../src/host-apps/output-log.ts'
import { eventually } from '../agent/agent-bench.ts'
import { type Ran, runSvc, SvcProcess } from '../support/svc-process.ts'
import { AppsBench, processOf, sha, webRelease } from './apps-bench.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-apps-logs-'))
const path = logFile(runtimeFolder(folder), 'shop')
beforeAll(() => {
  mkdirSync(dirname(path), { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const words = (apps: string, more: readonly string[]) => ['host-apps', 'logs', '--apps', apps, ...more]
const logs = (apps: string, ...more: readonly string[]): Promise<Ran> =>
  runSvc(words(apps, more), { cwd: folder })

const at = (hour: number) => `2026-11-29T${String(hour).padStart(2, '0')}:00:00.000Z`
const numbered = (number: number) => `${at(number % 24)} web.1 | line ${number}`

test('No line is lost or doubled while the files turn, whenever somebody looks', () => {
  using log = new OutputLog(path, 1_000)
  using output = new KeptOutput(path)
  const seen: string[] = []
  for (let number = 0; number < 3_000; number += 1) {
    log.write(numbered(number))
    // At most 23 lines between two looks: fewer than a file holds, so it turns once at most.
    if (number % 23 === 0 || number % 7 === 3) seen.push(...output.lines())
  }
  seen.push(...output.lines())
  expect(seen).toEqual(Array.from({ length: 3_000 }, (_, number) => numbered(number)))
  for (let number = 0; number < 200; number += 1) log.write(numbered(number))
  const late = [...output.lines()]
  expect(late).toContain(MISSED)
  expect(late.at(-1)).toBe(numbered(199))
  expect(new Set(late).size).toBe(late.length)
})

test('A real follower prints every line once, over six turns of the files, until it is asked to end', async () => {
  for (const each of [path, `${path}.1`]) rmSync(each, { force: true })
  using log = new OutputLog(path, 50_000)
  log.write(numbered(0))
  await using follower = new SvcProcess(words(folder, ['--app', 'shop', '--follow']), { cwd: folder })
  await follower.until('out', `${numbered(0)}\n`)
  for (let number = 1; number <= 6_000; number += 1) {
    log.write(numbered(number))
    if (number % 20 === 0) await sleep(5)
  }
  await follower.until('out', `${numbered(6_000)}\n`)
  follower.kill('SIGTERM')
  expect(await follower.end()).toBe(130)
  const lines = Array.from({ length: 6_001 }, (_, number) => numbered(number))
  expect(follower.out.text.split('\n')).toEqual([...lines, ''])
})

test('Lines are chosen by process, instance, time and number, oldest first, out of both files', async () => {
  for (const each of [path, `${path}.1`]) rmSync(each, { force: true })
  const lines = [
    `${at(1)} web.1 | one`,
    `${at(2)} worker.1 | two`,
    `${at(3)} web.2 | three`,
    `${at(4)} web.1 | `,
    `${at(5)} web-2.1 | five`,
  ]
  {
    using log = new OutputLog(path, 90)
    for (const line of lines) log.write(line)
  }
  const picked = async (...more: readonly string[]) => {
    const { code, out, err } = await logs(folder, '--app', 'shop', ...more)
    expect([code, err]).toEqual([0, ''])
    return out.split('\n').flatMap((line) => (line === '' ? [] : [lines.indexOf(line) + 1]))
  }
  // The first two lines are those of a file that is gone.
  expect(await picked()).toEqual([3, 4, 5])
  expect(await picked('--process', 'web')).toEqual([3, 4])
  expect(await picked('--process', 'web.1', '--lines', '5')).toEqual([4])
  expect(await picked('--since', at(4))).toEqual([4, 5])
  expect(await picked('--since', '2026-11-29T04:30:00Z', '--process', 'web')).toEqual([])
  expect(await picked('--lines', '1')).toEqual([5])
  expect(await picked('--since', '999999d', '--lines', '2')).toEqual([4, 5])
})

test.each<[string, readonly string[], number, string]>([
  ['an app that is not there', ['--app', 'blog'], 5, 'there is no app blog on this host'],
  ['an app that is a path', ['--app', '../shop'], 2, 'app: expected the name of an application'],
  ['a process with a space', ['--app', 'shop', '--process', 'web 1'], 2, 'process'],
  ['a time that is none', ['--app', 'shop', '--since', 'yesterday'], 2, 'since'],
  ['a number that is none', ['--app', 'shop', '--lines', 'many'], 2, 'lines'],
])('Logs are refused in words for %s', async (_, args, code, text) => {
  const ran = await logs(folder, ...args)
  expect([ran.code, ran.out]).toEqual([code, ''])
  expect(ran.err).toContain(text)
})

const NASTY = String.raw`printf 'a\033[2J\033[31mred\033]0;title\007\033[1Ab\342\200\256\n'; exec node server.js`

test('The output of a real supervisor is read while it runs, and no line of it moves the cursor', async () => {
  await using bench = await AppsBench.open()
  const processes = { web: processOf(NASTY), worker: processOf('echo at work; exec sleep 60') }
  await bench.deploy('shop', webRelease(sha('a'), { processes }))
  const { processes: _, ...rest } = webRelease(sha('a'))
  await bench.deploy('site', { ...rest, static: {} }, { 'index.html': 'home' })
  const { code, out } = await logs(bench.apps, '--app', 'shop', '--since', '1h')
  expect(code).toBe(0)
  expect(out).toMatch(/^\S+Z worker\.1 \| at work$/m)
  const web = out.split('\n').find((line) => line.includes('web.1')) ?? ''
  expect(web).toContain('red')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  expect(web.replaceAll(/\u001b\[\d*m/g, '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  expect((await logs(bench.apps, '--app', 'site')).err).toContain(
    'site keeps no process running on this host',
  )
})

test('A supervisor hands the output over by its socket, follows it, and forgets an asker who is gone', async () => {
  await using bench = await AppsBench.open()
  const processes = { worker: processOf('n=0; while true; do n=$((n+1)); echo tick $n; sleep 0.05; done') }
  await bench.deploy('shop', webRelease(sha('a'), { processes }))
  const runtime = runtimeFolder(bench.apps)
  const control = await openControl(runtime, 0o600, bench.supervisor)
  const said: string[] = []
  const ask = (body: object) =>
    order(bench.apps, { path: '/logs', body, onLine: (line) => void said.push(line) })
  expect(await ask({ app: 'shop', lines: 2 })).toBe('')
  expect(said).toHaveLength(2)
  await expect(ask({ app: 'blog' })).rejects.toThrow('there is no app blog on this host')
  await expect(ask({ app: '../shop' })).rejects.toThrow('the name of an application')
  said.length = 0
  const followed = ask({ app: 'shop', lines: 0, follow: true }).catch((error: Error) => error.message)
  await eventually(() => said.length > 20)
  const numbers = said.map((line) => Number(/tick (\d+)$/.exec(line)?.[1]))
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index))
  await control[Symbol.asyncDispose]()
  expect(await followed).toContain('the supervisor ended')
})
