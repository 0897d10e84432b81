// The files that an agent starts that waits for work: each of them takes memory of every host.
import { expect, test } from '@jest/globals'
import { filesOfAgent } from '../../../../scripts/one-file-agent.ts'

const SRC = 'packages/cli/src'
/** The program, and the parts that it loads on its way to the first claim. */
const STARTS = [
  'agent-bin.ts',
  'commands/agent/agent-run.ts',
  'agent/access/host-access.ts',
  'agent/access/agent-key.ts',
]
/** Files that an agent may have started while it waits; each takes some 10 kB. */
const FILES_MAX = 140

test('An agent that waits for work has started none of the code that other commands and jobs need', async () => {
  const files = await filesOfAgent()
  const started = new Set(STARTS.map((name) => `${SRC}/${name}`))
  for (const file of started) for (const each of files.get(file) ?? []) started.add(each)
  const paths = [...started].filter((path) => files.has(path) && /^(?:packages|node_modules)\//.test(path))
  expect(paths).toEqual(expect.arrayContaining([`${SRC}/agent/wire/heartbeat.ts`]))
  const packages = paths.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1])
  expect([...new Set(packages.filter((name) => name !== undefined))].sort()).toEqual([
    'commander',
    'ipaddr.js',
    'superstruct',
  ])
  const hosted = paths.filter((path) => /\/(?:host-apps|work\/apps)\//.test(path))
  expect(hosted.sort()).toEqual([
    `${SRC}/host-apps/apps-folder.ts`,
    `${SRC}/host-apps/program-word.ts`,
    `${SRC}/host-apps/resume-apps.ts`,
    `${SRC}/host-apps/system/places.ts`,
  ])
  expect(paths.length).toBeLessThan(FILES_MAX)
}, 60_000)
