import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { AgentBench } from './agent-bench.ts'
import { gitSource, repository, run, SHIPPED_HANDLERS } from './deploy-bench.ts'

/** Variables that a payload may set: its own facts. All others of the handlers are the agent's. */
const FACTS = [
  'SVC_APP',
  'SVC_CHECKSUM',
  'SVC_DATA',
  'SVC_DRILL',
  'SVC_ENGINE',
  'SVC_IMAGE',
  'SVC_OLDER_THAN_SECONDS',
  'SVC_REF',
  'SVC_DOMAIN',
  'SVC_REPO',
  'SVC_REPO_URL',
  'SVC_SHA',
  'SVC_SIZE_BYTES',
  'SVC_SOURCE_TYPE',
  'SVC_SUBMODULES',
  'SVC_SYNC',
  'SVC_TARGET',
  'SVC_UNDO',
  'SVC_VERIFY',
]

const scripts = readdirSync(SHIPPED_HANDLERS).map((name) =>
  readFileSync(join(SHIPPED_HANDLERS, name), 'utf8'),
)
const used = [...new Set(scripts.join('\n').match(/\bSVC_[A-Z_]+/g))].sort()
/** Further variables of the agent, as the page of agents names them. */
const promised = [
  'SVC_DEPLOYMENT_ID',
  'SVC_JOB_ATTEMPT',
  'SVC_JOB_FILE',
  'SVC_JOB_KIND',
  'SVC_TIMEOUT_SECONDS',
]

test.each([...new Set([...used.filter((name) => !FACTS.includes(name)), ...promised])])(
  'A field of a payload does not speak for %s, which a handler trusts',
  async (name) => {
    await using bench = await AgentBench.open()
    bench.handler('deploy', 'env -0 > "$SVC_STATE_DIR/env"')
    bench.plane.enqueue('deploy', {
      [name.slice(4).toLowerCase()]: 'forged',
      source: { type: 'git', [name.slice(4).toLowerCase()]: 'forged' },
    })
    await bench.start({ once: true }).done
    const entries = readFileSync(join(bench.stateDir, 'env'), 'utf8').split('\0')
    const said = entries.filter((entry) => entry.startsWith(`${name}=`))
    expect(said).toEqual([expect.not.stringContaining('forged')])
  },
)

test('Every fact that handlers read is one of a payload still', async () => {
  expect(FACTS.filter((name) => !used.includes(name))).toEqual([])
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'env -0 > "$SVC_STATE_DIR/env"')
  const { SVC_SOURCE_TYPE, ...facts } = Object.fromEntries(FACTS.map((name) => [name, 'said']))
  const fields = Object.keys(facts).map((name) => [name.slice(4).toLowerCase(), 'said'])
  bench.plane.enqueue('deploy', { ...Object.fromEntries(fields), source: { type: 'said' } })
  await bench.start({ once: true }).done
  const entries = readFileSync(join(bench.stateDir, 'env'), 'utf8').split('\0')
  for (const [name, value] of Object.entries({ ...facts, SVC_SOURCE_TYPE }))
    expect(entries).toContain(`${name}=${value}`)
})

test('Variables that the agent is given for its handlers win over a payload', async () => {
  await using bench = await AgentBench.open()
  bench.handler('backup', 'echo "$SVC_BACKUP_HOST $SVC_REGION"')
  const job = bench.plane.enqueue('backup', { backup_host: 'forged', region: 'forged' })
  await bench.start({ once: true, handlerEnvironment: { SVC_BACKUP_HOST: 'web-1', SVC_REGION: 'eu' } }).done
  expect(job.lines).toEqual(['web-1 eu'])
})

test('A payload that names a file as credentials of git neither removes nor reads it', async () => {
  await using bench = await AgentBench.open()
  const { path, shas } = repository(bench, { page: 'one' })
  const file = join(bench.folder, 'of-the-host')
  writeFileSync(file, 'username=a\npassword=b\n')
  const payload = { app: 'shop', git_auth: 'basic', git_auth_file: file, source: gitSource(path, shas[0]) }
  expect(await run(bench, 'deploy', payload)).toMatchObject({ state: 'succeeded' })
  expect(existsSync(file)).toBe(true)
})
