import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { AgentBench } from './agent-bench.ts'

const percent = (value: unknown) => typeof value === 'number' && value >= 0 && value <= 100

test('A heartbeat names the host, its boot, its state and measured cpu, memory and disk', async () => {
  await using bench = await AgentBench.open()
  const agent = bench.start()
  await bench.plane.until(() => bench.plane.called('heartbeat').length > 1)
  await agent.stop()
  const { body } = bench.plane.called('heartbeat')[1] ?? {}
  expect(body).toMatchObject({
    hostname: 'host-1',
    version: '1.2.3',
    state: 'online',
    boot_id: expect.any(String),
  })
  expect([body.cpu_pct, body.mem_pct, body.disk_pct].every(percent)).toBe(true)
  expect(body.mem_pct).toBeGreaterThan(0)
  expect(body.disk_total_gb).toBeGreaterThan(0)
  expect(body).not.toHaveProperty('jobs')
})

test.each([60, 3600])('The interval that the plane names is kept: %s s', async (next_interval) => {
  await using bench = await AgentBench.open()
  bench.plane.script('heartbeat', () => ({ body: { ack: true, next_interval } }))
  const agent = bench.start()
  await bench.plane.until(() => bench.plane.called('claim').length > 20)
  expect(bench.plane.called('heartbeat')).toHaveLength(1)
  await agent.stop()
})

test('A refresh that verifies is kept, and a later one replaces it', async () => {
  await using bench = await AgentBench.open()
  bench.plane.script('heartbeat', ({ body }) => ({
    body: { ack: true, next_interval: 0.02, refresh: bench.plane.refresh(body.fingerprint) },
  }))
  const agent = bench.start()
  await bench.plane.until(() => bench.plane.called('heartbeat').length > 3)
  await agent.stop()
  const { refresh } = (await bench.memory()) as { refresh: { iat: number; seq: number } }
  expect(refresh.seq).toBeGreaterThanOrEqual(3)
  expect(refresh.iat).toBe(1_700_000_000 + refresh.seq)
})

test.each([
  ['of another key', {}, true],
  ['for another host', { fp: 'other' }, false],
])('A refresh %s changes nothing, and its cancel is not obeyed', async (_what, claims, forged) => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'until [ -e go ]; do sleep 0.02; done')
  const key = forged ? generateKeyPairSync('ed25519').privateKey : undefined
  const job = bench.plane.enqueue('deploy')
  bench.plane.script('heartbeat', ({ body }) => ({
    body: {
      ack: true,
      next_interval: 0.02,
      refresh: bench.plane.refresh(body.fingerprint, { cancel: [job.id], ...claims }, key),
    },
  }))
  const agent = bench.start()
  await bench.plane.until(() => job.state === 'running')
  const beats = bench.plane.called('heartbeat').length
  await bench.plane.until(() => bench.plane.called('heartbeat').length > beats + 3)
  expect(job.state).toBe('running')
  expect(await bench.memory()).not.toHaveProperty('refresh')
  await agent.stop()
})

test('A refresh whose time does not rise is not accepted', async () => {
  await using bench = await AgentBench.open()
  let beats = 0
  bench.plane.script('heartbeat', ({ body }) => {
    beats += 1
    const iat = beats === 1 ? 1_800_000_000 : 1_800_000_000 - beats
    return {
      body: { ack: true, next_interval: 0.02, refresh: bench.plane.refresh(body.fingerprint, { iat }) },
    }
  })
  const agent = bench.start()
  await bench.plane.until(() => beats > 3)
  await agent.stop()
  expect(await bench.memory()).toMatchObject({ refresh: { iat: 1_800_000_000, seq: 1 } })
})

test('A heartbeat lists the running jobs with their attempts and says busy', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'exec sleep 60')
  const job = bench.plane.enqueue('deploy')
  bench.plane.script('heartbeat', () => ({ body: { ack: true, next_interval: 0.02 } }))
  const agent = bench.start()
  await bench.plane.until(() => bench.plane.called('heartbeat').some(({ body }) => body.jobs))
  const { body } = bench.plane.called('heartbeat').find((call) => call.body.jobs) ?? {}
  expect(body).toMatchObject({ state: 'busy', jobs: [{ id: job.id, attempt: 1 }] })
  await agent.stop()
})

test.each(['header', 'refresh'])('A cancel in the %s of a heartbeat answer ends the job', async (where) => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'exec sleep 60')
  const job = bench.plane.enqueue('deploy')
  bench.plane.script('heartbeat', ({ body }) => {
    const cancel = body.jobs ? [job.id] : []
    const refresh = bench.plane.refresh(body.fingerprint, where === 'refresh' ? { cancel } : {})
    const headers: Record<string, string> = where === 'header' ? { 'svc-cancel': cancel.join(',') } : {}
    return { headers, body: { ack: true, next_interval: 0.02, refresh } }
  })
  const agent = bench.start()
  await bench.plane.until(() => job.state === 'failed')
  expect(job).toMatchObject({ error: 'cancelled' })
  await agent.stop()
})

test('The last heartbeat of an agent that ends says stopped', async () => {
  await using bench = await AgentBench.open()
  await bench.start({ once: true }).done
  expect(bench.plane.called('heartbeat').at(-1)?.body.state).toBe('stopped')
})
