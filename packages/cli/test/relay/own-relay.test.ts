// Two replicas and a relay of its own over one PostgreSQL: the sides meet in no process of the service.

import { expect, it } from '@jest/globals'
import { createControlPlane, readConfig } from '@svc/core'
import { openStorage } from '@svc/core/sql'
import { buildHeartbeat, migratedDatabase } from '@svc/testing'
import { freePort } from '../../../../test/support/free-port.ts'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import '../../../../test/support/standard-input.ts'
import { runProgram } from '../../src/commands/program.ts'
import { connectToRelay } from '../../src/relay/relay-socket.ts'

const HOST = { fingerprint: 'fp-1', hostname: 'web-1' }

it('A session opened at one replica and fetched at another meets at svc relay serve, which notes its end', async () => {
  await using database = await migratedDatabase(process.env.SVC_TEST_POSTGRES ?? '')
  const url = `ws://127.0.0.1:${await freePort()}`
  const shared = { DATABASE_URL: database.url, RELAY_URL: url }
  const env = {
    ...shared,
    RELAY_MODE: 'external',
    SERVICE_LICENSE_PRIVKEY: Buffer.alloc(32, 5).toString('base64url'),
  }
  await using storages = new AsyncDisposableStack()
  const replica = async () => {
    const storage = storages.use(await openStorage({ url: database.url }))
    return createControlPlane({ config: readConfig(env), storage })
  }
  const [first, second] = [await replica(), await replica()]
  const keys = new RecordingIo({ args: ['relay', 'keys'], env })
  await runProgram(keys)

  // It has the public keys alone.
  const relay = new RecordingIo({
    args: ['relay', 'serve', '--listen', new URL(url).host],
    env: { ...shared, RELAY_VERIFY_KEYS: keys.out.text.trim() },
  })
  const served = runProgram(relay)
  await relay.err.until('relaying')

  const { license } = await first.licenses.issue({ label: 'two replicas' })
  await first.agents.heartbeat({ ...buildHeartbeat({ licenseId: license.id, ...HOST }), jobs: [] })
  const opened = await first.operations.run('ssh.open', { host: HOST.hostname }, 'cli:ann')
  const { tickets } = await second.access.pending({
    ...{ licenseId: license.id, fingerprint: HOST.fingerprint, waitSeconds: 0 },
    ...{ headers: { key: undefined, proof: undefined }, gone: new AbortController().signal },
  })
  expect(opened.relay_url).toBe(`${url}/relay/v1/operator`)
  const operator = await connectToRelay(String(opened.relay_url), String(opened.token))
  const agent = await connectToRelay(`${url}/relay/v1/agent`, tickets[0]?.token ?? '')
  await Promise.all([operator.ready, agent.ready])
  agent.control({ t: 'exit', code: 7 })
  agent.close()
  expect(await operator.ended).toEqual({ reason: 'done', code: 1000 })

  relay.signal('SIGTERM')
  await served
  expect(relay.exitCode).toBe(0)
  const { sessions } = await second.operations.run('ssh.sessions', {}, 'cli:ann')
  expect(sessions).toMatchObject([
    { id: opened.session_id, state: 'ended', end_reason: 'done', exit_code: 7 },
  ])
})
