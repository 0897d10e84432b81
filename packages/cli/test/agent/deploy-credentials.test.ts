import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { AgentBench } from './agent-bench.ts'
import { gitSource, live, repository, run } from './deploy-bench.ts'
import { GitServer } from './git-server.ts'

/** The arguments of every process of this machine, as any of its users can read them. */
async function allArguments(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
}

test.each([
  ['a name and a password', 'bob:s3cretpw99', 'bob:s3cretpw99'],
  ['a password with escaped characters', 'bob:s3cret%2Fpw%40%3A%25', 'bob:s3cret/pw@:%'],
  ['a name alone', 's3crettoken99', 's3crettoken99:'],
])(
  'deploy fetches from an address with %s, and no process has it among its arguments',
  async (_, written, meant) => {
    await using bench = await AgentBench.open()
    const { shas } = repository(bench, { page: 'one' })
    const seen: string[] = []
    const onAdmitted = async () => {
      seen.push(...(await allArguments()))
    }
    await using git = await GitServer.start({ root: bench.folder, credentials: meant, onAdmitted })
    const url = `http://${written}@${git.host}/repository/.git`
    const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(url, shas[0]) })
    expect(job).toMatchObject({ state: 'succeeded' })
    expect(await live(bench, 'page')).toBe('one')
    // While the fetch was under way, by the very process that speaks to the server.
    expect(seen.filter((args) => args.includes('git-remote-http'))).not.toEqual([])
    expect(seen.filter((args) => /s3cret/.test(args))).toEqual([])
    expect(job.lines.join('\n')).toContain(`from http://${git.host}/repository/.git`)
    expect(job.lines.join('\n')).not.toContain('s3cret')
  },
)

test('A password that the repository refuses is neither in the log nor in the error', async () => {
  await using bench = await AgentBench.open()
  const { shas } = repository(bench, { page: 'one' })
  await using git = await GitServer.start({ root: bench.folder, credentials: 'bob:another' })
  const url = `http://bob:s3cretpw99@${git.host}/repository/.git`
  const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(url, shas[0]) })
  expect(job).toMatchObject({
    state: 'failed',
    error:
      'exit code 1: the repository could not be fetched: the server refused it, or has no such repository',
  })
  expect(git.shown).toContain('bob:s3cretpw99')
  expect(job.lines.join('\n')).not.toContain('s3cret')
})

test('A password is shown to the host of its address alone, not to one that it redirects to', async () => {
  await using bench = await AgentBench.open()
  const { shas } = repository(bench, { page: 'one' })
  await using elsewhere = await GitServer.start({ root: bench.folder, credentials: 'bob:s3cretpw99' })
  const server = createServer((request, response) => {
    response.writeHead(302, { location: `http://${elsewhere.host}${request.url}` }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://bob:s3cretpw99@127.0.0.1:${(server.address() as AddressInfo).port}/repository/.git`
  const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(url, shas[0]) })
  await new Promise((resolve) => server.close(resolve))
  expect(job).toMatchObject({ state: 'failed' })
  expect(elsewhere.shown).toEqual([])
})

test.each([
  ['http://bob:p@ss@127.0.0.1:1/x.git', 'write %40 for it'],
  ['ssh://git:s3cretpw99@127.0.0.1:1/x.git', 'an address of ssh takes no password'],
  ['http://127.0.0.1:1/x\n/y.git', 'holds a control character'],
])('deploy refuses the address %j and repeats nothing secret of it', async (url, message) => {
  await using bench = await AgentBench.open()
  const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(url, 'a'.repeat(40)) })
  expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining(message) })
  expect(job.lines.join('\n')).not.toContain('s3cret')
})
