import { execFileSync } from 'node:child_process'
import { existsSync, readlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { AgentBench, isAlive, namesIn, readNumber } from './agent-bench.ts'
import { appDir, gitSource, live, repository, run, SHIPPED_HANDLERS } from './deploy-bench.ts'

test('deploy puts the exact commit live, although the branch has moved on', async () => {
  await using bench = await AgentBench.open()
  const { path, shas } = repository(bench, { page: 'one' }, { page: 'two' }, { page: 'three' })
  const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(path, shas[1]) })
  expect(job).toMatchObject({ state: 'succeeded', exitCode: 0 })
  expect(await live(bench, 'page')).toBe('two')
  expect(readlinkSync(join(appDir(bench), 'current'))).toBe(`releases/${shas[1]}`)
  expect(job.lines).toEqual([
    `fetching ${shas[1]} from ${path}`,
    'no deploy.sh: the files are the deployment',
    `shop is at ${shas[1]}`,
  ])
})

test('A release holds the files of the commit and no git folder that a web server could hand out', async () => {
  await using bench = await AgentBench.open()
  const { path, shas } = repository(bench, { page: 'one' })
  await run(bench, 'deploy', { app: 'shop', source: gitSource(path, shas[0]) })
  expect(await namesIn(join(appDir(bench), 'current'))).toEqual(['page'])
  expect(await namesIn(join(appDir(bench), 'releases'))).toEqual([shas[0]])
})

test('deploy.sh runs in the release, before the switch, with the variables of the application', async () => {
  await using bench = await AgentBench.open()
  const script =
    'echo "$PWD|$GREETING|$SVC_APP"; [ -e "$SVC_CURRENT_DIR" ] || echo "not live yet"; touch built'
  const { path, shas } = repository(bench, { 'deploy.sh': script })
  const env = { GREETING: `it's $HOME "quoted"\nover two lines`, 'no-name': 'x' }
  const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(path, shas[0]), env })
  expect(job.lines).toEqual(
    expect.arrayContaining([
      `${join(appDir(bench), 'releases', shas[0] ?? '')}|it's $HOME "quoted"`,
      'over two lines|shop',
      'not live yet',
    ]),
  )
  expect(existsSync(join(appDir(bench), 'current/built'))).toBe(true)
})

test('A deploy.sh that fails leaves the old release live and gives its exit code', async () => {
  await using bench = await AgentBench.open()
  const { path, shas } = repository(
    bench,
    { page: 'one' },
    { page: 'two', 'deploy.sh': 'echo broken; exit 9' },
  )
  await run(bench, 'deploy', { app: 'shop', source: gitSource(path, shas[0]) })
  const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(path, shas[1]) })
  expect(job).toMatchObject({
    state: 'failed',
    exitCode: 1,
    error: 'exit code 1: deploy.sh ended with exit code 9',
  })
  expect(await live(bench, 'page')).toBe('one')
})

test('redeploy runs deploy.sh of the live commit again', async () => {
  await using bench = await AgentBench.open()
  const { path, shas } = repository(bench, { 'deploy.sh': 'echo run >> runs' })
  await run(bench, 'deploy', { app: 'shop', source: gitSource(path, shas[0]) })
  const job = await run(bench, 'redeploy', { app: 'shop', source: gitSource(path, shas[0]) })
  expect(job.state).toBe('succeeded')
  expect(await live(bench, 'runs')).toBe('run\nrun\n')
})

test('A release whose deploy failed is fetched anew on the next try', async () => {
  await using bench = await AgentBench.open()
  const { path, shas } = repository(bench, { 'deploy.sh': 'echo run >> runs; [ -e "$SVC_STATE_DIR/go" ]' })
  const source = gitSource(path, shas[0])
  expect(await run(bench, 'deploy', { app: 'shop', source })).toMatchObject({ state: 'failed' })
  writeFileSync(join(bench.stateDir, 'go'), '')
  expect(await run(bench, 'deploy', { app: 'shop', source })).toMatchObject({ state: 'succeeded' })
  expect(await live(bench, 'runs')).toBe('run\n')
})

test.each([undefined, 'main'])(
  'A host that hands out no single commits is fetched from by ref %s or whole',
  async (ref) => {
    await using bench = await AgentBench.open()
    const { path, shas } = repository(bench, { page: 'one' }, { page: 'two' })
    execFileSync('git', ['-C', path, 'update-server-info'])
    // The dumb protocol: files of the repository over plain HTTP, which knows neither depth nor commits by
    // name.
    const server = createServer((request, response) => {
      readFile(join(path, '.git', new URL(request.url ?? '', 'http://x').pathname)).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}`
    const job = await run(bench, 'deploy', {
      app: 'shop',
      source: gitSource(url, shas[0], ref ? { ref } : {}),
    })
    await new Promise((resolve) => server.close(resolve))
    expect(job.state).toBe('succeeded')
    expect(await live(bench, 'page')).toBe('one')
    expect(job.lines.join('\n')).toContain(ref ? 'fetching main' : 'fetching all branches')
    expect(job.lines.join('\n')).not.toContain('secret')
  },
)

test('A commit that the repository does not hold fails, and nothing is left behind', async () => {
  await using bench = await AgentBench.open()
  const { path } = repository(bench, { page: 'one' })
  const sha = 'a'.repeat(40)
  const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(path, sha) })
  expect(job).toMatchObject({
    state: 'failed',
    error: `exit code 1: the repository does not hold the commit ${sha}`,
  })
  expect(await namesIn(join(appDir(bench), 'releases'))).toEqual([])
  expect(await namesIn(appDir(bench))).not.toContain('current')
})

test('The last three releases are kept, the live one among them', async () => {
  await using bench = await AgentBench.open()
  const { path, shas } = repository(bench, { page: '1' }, { page: '2' }, { page: '3' }, { page: '4' })
  for (const [age, sha] of shas.slice(0, 3).entries()) {
    await run(bench, 'deploy', { app: 'shop', source: gitSource(path, sha) })
    utimesSync(join(appDir(bench), 'releases', sha), 1000 + age, 1000 + age)
  }
  const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(path, shas[3]) })
  expect((await namesIn(join(appDir(bench), 'releases'))).sort()).toEqual(shas.slice(1).sort())
  expect(job.lines).toContain(`removing the release ${shas[0]}`)
})

test.each([
  ['an app name that leads out of the folder', { app: '../evil' }, 'is not an application name'],
  ['an app name with capitals', { app: 'Shop' }, 'is not an application name'],
  ['no app name', { app: '' }, 'is not an application name'],
  ['a branch in place of a commit', { sha: 'main' }, 'is not a full commit id'],
  ['a short commit id', { sha: 'abc1234' }, 'is not a full commit id'],
  ['an option in place of an address', { repo_url: '--upload-pack=touch /tmp/x' }, 'begins with a dash'],
  ['a ref that is a refspec', { ref: 'main:evil' }, 'is not a branch or tag name'],
  ['an image source', { type: 'image', image: 'nginx' }, 'this host runs no images'],
])('deploy refuses %s', async (_what, fault, message) => {
  await using bench = await AgentBench.open()
  const { app = 'shop', ...source } = { ...gitSource('/nowhere', 'a'.repeat(40)), ...fault } as Record<
    string,
    string
  >
  const job = await run(bench, 'deploy', { app, source })
  expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining(message) })
  expect(await namesIn(join(bench.stateDir, 'apps'))).toEqual([])
})

test('deploy refuses a transport that runs a command', async () => {
  await using bench = await AgentBench.open()
  const mark = join(bench.folder, 'ran')
  const job = await run(bench, 'deploy', {
    app: 'shop',
    source: gitSource(`ext::touch ${mark}`, 'a'.repeat(40)),
  })
  expect(job.state).toBe('failed')
  expect(existsSync(mark)).toBe(false)
})

test('A cancelled deploy ends deploy.sh and what it started, and leaves the old release live', async () => {
  await using bench = await AgentBench.open()
  const slow = 'sh -c \'echo $$ > "$SVC_STATE_DIR/deep"; sleep 60\'; echo never'
  const { path, shas } = repository(bench, { page: 'one' }, { page: 'two', 'deploy.sh': slow })
  await run(bench, 'deploy', { app: 'shop', source: gitSource(path, shas[0]) })
  const job = bench.plane.enqueue('deploy', { app: 'shop', source: gitSource(path, shas[1]) })
  const agent = bench.start({
    once: true,
    handlersDir: SHIPPED_HANDLERS,
    environment: { PATH: process.env.PATH },
  })
  const deep = await readNumber(join(bench.stateDir, 'deep'))
  job.cancel = true
  await agent.done
  expect(job).toMatchObject({ state: 'failed', error: 'cancelled' })
  expect(await isAlive(deep)).toBe(false)
  expect(await live(bench, 'page')).toBe('one')
})

test('stop runs stop.sh of the live release', async () => {
  await using bench = await AgentBench.open()
  const { path, shas } = repository(bench, {
    'stop.sh': 'echo "stopping $SVC_APP in $(basename "$(pwd -P)")"',
  })
  await run(bench, 'deploy', { app: 'shop', source: gitSource(path, shas[0]) })
  const job = await run(bench, 'stop', { app: 'shop' })
  expect(job).toMatchObject({
    state: 'succeeded',
    lines: ['running stop.sh', `stopping shop in ${shas[0]}`, 'stopped shop'],
  })
})

test('stop of an application that is not there fails; remove of it does not', async () => {
  await using bench = await AgentBench.open()
  expect(await run(bench, 'stop', { app: 'shop' })).toMatchObject({
    state: 'failed',
    error: 'exit code 1: there is no application shop on this host',
  })
  expect(await run(bench, 'remove', { app: 'shop' })).toMatchObject({ state: 'succeeded' })
})

test('remove stops the application and removes it, and no other', async () => {
  await using bench = await AgentBench.open()
  const { path, shas } = repository(bench, { 'stop.sh': 'echo stopping' })
  await run(bench, 'deploy', { app: 'shop', source: gitSource(path, shas[0]) })
  await run(bench, 'deploy', { app: 'shop2', source: gitSource(path, shas[0]) })
  const job = await run(bench, 'remove', { app: 'shop' })
  expect(job).toMatchObject({
    state: 'succeeded',
    lines: expect.arrayContaining(['stopping', 'removed shop']),
  })
  expect(await namesIn(join(bench.stateDir, 'apps'))).toEqual(['shop2'])
})

test('prune removes old releases that are not live, and keeps young ones and the live one', async () => {
  await using bench = await AgentBench.open()
  const { path, shas } = repository(bench, { page: '1' }, { page: '2' }, { page: '3' })
  for (const sha of shas) await run(bench, 'deploy', { app: 'shop', source: gitSource(path, sha) })
  const releases = join(appDir(bench), 'releases')
  for (const sha of [shas[0], shas[2]]) utimesSync(join(releases, sha ?? ''), 1000, 1000)
  const job = await run(bench, 'prune', { older_than_seconds: 3600 })
  expect((await namesIn(releases)).sort()).toEqual(shas.slice(1).sort())
  expect(job).toMatchObject({ state: 'succeeded', lines: [`removing shop ${shas[0]}`, 'removed 1 releases'] })
})

test('prune on a host without applications has nothing to do', async () => {
  await using bench = await AgentBench.open()
  expect(await run(bench, 'prune', {})).toMatchObject({ state: 'succeeded', lines: ['removed 0 releases'] })
})
