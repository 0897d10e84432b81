import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { AgentBench, namesIn } from './agent-bench.ts'
import { appDir, gitIn, gitSource, live, repository, run } from './deploy-bench.ts'
import { GitServer } from './git-server.ts'

/** A commit whose tree holds links to commits of submodules, and `.gitmodules` for them. */
function commitWith(path: string, links: Record<string, string>, modules: string): string {
  writeFileSync(join(path, '.gitmodules'), modules)
  gitIn(path, ['add', '.gitmodules'])
  for (const [place, sha] of Object.entries(links))
    gitIn(path, ['update-index', '--add', '--cacheinfo', `160000,${sha},${place}`])
  return gitIn(path, ['commit-tree', gitIn(path, ['write-tree']), '-m', 'submodules'])
}

/** Puts a commit where a fetch of all branches finds it. */
const publish = (path: string, sha: string) => gitIn(path, ['update-ref', 'refs/heads/published', sha])

test('A submodule whose path names a folder elsewhere removes nothing there, and the deploy is refused', async () => {
  await using bench = await AgentBench.open()
  const outside = join(bench.folder, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'kept'), '')
  const { path, shas } = repository(bench, { page: 'one' })
  const place = `x\n${outside}\ny`
  await using git = await GitServer.start({ root: bench.folder, credentials: undefined })
  const url = `http://${git.host}/repository/.git`
  const modules = `[submodule "x"]\n\tpath = "x\\n${outside}\\ny"\n\turl = ${url}\n`
  const sha = commitWith(path, { [place]: shas[0] ?? '' }, modules)
  publish(path, sha)
  const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(path, sha) })
  expect(existsSync(join(outside, 'kept'))).toBe(true)
  expect(job).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('a path with a control character'),
  })
  expect(await namesIn(join(appDir(bench), 'releases'))).toEqual([])
})

test.each([
  ['a line end', 'a\nb'],
  ['a tab', 'a\tb'],
  ['a command for a terminal', 'a\x1b[2Jb'],
  ['a delete', 'a\x7fb'],
  ['a carriage return at its end', 'a\r'],
])('A file with %s in its name is refused', async (_, name) => {
  await using bench = await AgentBench.open()
  const { path, shas } = repository(bench, { page: 'one' }, { [name]: 'odd' })
  const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(path, shas[1]) })
  expect(job).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('a path with a control character'),
  })
})

test('Names with blanks, quotes, and letters of any language are no control characters', async () => {
  await using bench = await AgentBench.open()
  const name = `  grün "it's" 日本 *`
  const { path, shas } = repository(bench, { [name]: 'fine' })
  const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(path, shas[0]) })
  expect(job).toMatchObject({ state: 'succeeded' })
  expect(await live(bench, name)).toBe('fine')
})

test('A submodule is fetched at its commit, without a git folder, and what it is called stays below the release', async () => {
  await using bench = await AgentBench.open()
  const { path, shas } = repository(bench, { page: 'one' }, { page: 'two' })
  await using git = await GitServer.start({ root: bench.folder, credentials: undefined })
  const url = `http://${git.host}/repository/.git`
  const modules = ['lib', 'deep/li b']
    .map((name) => `[submodule "${name}"]\n\tpath = ${name}\n\turl = ${url}\n`)
    .join('')
  const sha = commitWith(path, { lib: shas[0] ?? '', 'deep/li b': shas[1] ?? '' }, modules)
  publish(path, sha)
  const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(path, sha) })
  expect(job).toMatchObject({ state: 'succeeded' })
  expect([await live(bench, 'lib/page'), await live(bench, 'deep/li b/page')]).toEqual(['one', 'two'])
  expect(await namesIn(join(appDir(bench), 'current/lib'))).toEqual(['page'])
  expect(await namesIn(join(appDir(bench), 'current/deep/li b'))).toEqual(['page'])
  expect((await namesIn(join(appDir(bench), 'current'))).sort()).toEqual([
    '.gitmodules',
    'deep',
    'lib',
    'page',
  ])
})
