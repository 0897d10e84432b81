import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { AgentBench, namesIn } from './agent-bench.ts'
import { appDir, gitIn, gitSource, live, repository, run } from './deploy-bench.ts'

/** A commit with these links, on top of a first one with a page. */
function withLinks(bench: AgentBench, links: Readonly<Record<string, string>>) {
  const { path, shas } = repository(bench, { page: 'one', 'run.sh': 'echo ran >> runs' })
  mkdirSync(join(path, 'deep/er'), { recursive: true })
  writeFileSync(join(path, 'deep/er/file'), 'deep')
  for (const [name, to] of Object.entries(links)) {
    rmSync(join(path, name), { force: true })
    symlinkSync(to, join(path, name))
  }
  gitIn(path, ['add', '--all'])
  gitIn(path, ['commit', '--quiet', '-m', 'links'])
  return { path, before: shas[0], sha: gitIn(path, ['rev-parse', 'HEAD']) }
}

const OUT: readonly [string, Readonly<Record<string, string>>][] = [
  ['a file of the host', { 'index.html': '/etc/passwd' }],
  ['the root by steps upwards', { 'deep/root': '../../../../../../../..' }],
  ['the release beside it', { other: '..' }],
  ['a name that is no folder yet', { later: '../../shared/uploads' }],
  ['outside through a link that stays', { 'deep/up': '..', through: 'deep/up/../x' }],
  ['a file of the host as its deploy.sh', { 'deploy.sh': '/etc/passwd' }],
  ['a folder that begins like its own', { near: '../.incoming-job_1-near' }],
]

test.each(OUT)('A repository with a link to %s is refused, and the log names the link', async (_, links) => {
  await using bench = await AgentBench.open()
  const { path, before, sha } = withLinks(bench, links)
  await run(bench, 'deploy', { app: 'shop', source: gitSource(path, before) })
  const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(path, sha) })
  const [name, to] = Object.entries(links).at(-1) ?? []
  expect(job).toMatchObject({
    state: 'failed',
    error: `exit code 1: the repository holds a link that leads out of the release: ${name} -> ${to}; put what it leads to into the repository`,
  })
  expect(job.lines.join('\n')).not.toContain('running deploy.sh')
  expect(await live(bench, 'page')).toBe('one')
  expect(await namesIn(join(appDir(bench), 'releases'))).toEqual([before])
})

test('Links that stay in the release are kept, and a deploy.sh that is one runs', async () => {
  await using bench = await AgentBench.open()
  const links = {
    'deploy.sh': 'run.sh',
    'deep/back': '../page',
    'deep/er/all': '../..',
    self: '.',
    dangling: 'not/there/yet',
  }
  const { path, sha } = withLinks(bench, links)
  const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(path, sha) })
  expect(job).toMatchObject({ state: 'succeeded' })
  expect([await live(bench, 'runs'), await live(bench, 'deep/back')]).toEqual(['ran\n', 'one'])
})

test('A link that deploy.sh makes to a folder of its own is no matter of the repository', async () => {
  await using bench = await AgentBench.open()
  const { path, shas } = repository(bench, { 'deploy.sh': 'ln -sfn "$SVC_STATE_DIR" shared' })
  for (const kind of ['deploy', 'redeploy'])
    expect(await run(bench, kind, { app: 'shop', source: gitSource(path, shas[0]) })).toMatchObject({
      state: 'succeeded',
    })
})
